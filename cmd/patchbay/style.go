package main

import (
	"os"

	"golang.org/x/term"
)

// A style colours text. The zero style does not.
type style struct{ on bool }

// newStyle returns a style with colours if a file is a terminal that can show them, and the user has not said NO_COLOR
// (https://no-color.org).
func newStyle(f *os.File) style {
	return style{term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

func (s style) code(code, text string) string {
	if !s.on || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (s style) bold(text string) string  { return s.code("1", text) }
func (s style) dim(text string) string   { return s.code("2", text) }
func (s style) red(text string) string   { return s.code("31", text) }
func (s style) green(text string) string { return s.code("32", text) }
func (s style) cyan(text string) string  { return s.code("36", text) }
