//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
)

// F145: a form is asked for on the terminal, field by field; what does not fit is asked again, an empty line is the default or
// leaves a field out.
func TestF145_AFormIsFilledInOnTheTerminal(t *testing.T) {
	s := runOnTerminal(t, "run", "/demo elicitation form")
	s.await("Answer? y or n: ")
	s.typed("y\n")
	s.await("Name\r\n(text): ")
	s.typed("\n")
	s.await("needs more. (text): ")
	s.typed("Ada\n")
	s.await("3) blue\r\n(1-3; empty for green): ")
	s.typed("\n")
	s.await("How many\r\n(whole number; empty for nothing): ")
	s.typed("11\n")
	s.await("the most is 10. ")
	s.typed("7\n")
	s.await("Ratio\r\n")
	s.typed("\n")
	s.await("Are you sure?\r\n(y or n")
	s.typed("y\n")
	s.await("(some of 1-2, parted by commas")
	s.typed("2,1\n")
	s.await("* sure: true")
	s.ended(0)
	for _, line := range []string{`* colour: "green"`, "* count: 7", `* days: ["Tuesday","Monday"]`, `* name: "Ada"`} {
		if !strings.Contains(s.text(), line) {
			t.Errorf("the agent was not told %s:\n%s", line, s.text())
		}
	}
	if strings.Contains(s.text(), "* ratio") {
		t.Error("a field that was left out was told")
	}
}

// F145: who declines, or ends the input, is believed.
func TestF145_AFormIsDeclinedOnTheTerminal(t *testing.T) {
	s := runOnTerminal(t, "run", "/demo elicitation form")
	s.await("Answer? y or n: ")
	s.typed("n\n")
	s.await("you declined")
	s.ended(0)
}

// F145: a page is shown by its whole address and opened only after a yes.
func TestF145_APageIsOpenedOnlyOnConsent(t *testing.T) {
	bin := t.TempDir()
	opened := filepath.Join(bin, "opened")
	for _, name := range []string{"xdg-open", "open"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\necho \"$1\" >"+opened+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for _, answer := range []string{"n", "y"} {
		s := runOnTerminal(t, "run", "/demo elicitation url")
		s.await("https://example.com/demo")
		s.await("Open it in the browser? y or n: ")
		if _, err := os.Stat(opened); err == nil {
			t.Error("the page was opened before the answer, or after a no")
		}
		s.typed(answer + "\n")
		s.ended(0)
	}
	if text, err := os.ReadFile(opened); err != nil || string(text) != "https://example.com/demo\n" {
		t.Errorf("opened was %q, %v", text, err)
	}
}

// F145: the program that opens a page may become the browser, for which nobody waits.
func TestF145_ABrowserThatStaysOpen(t *testing.T) {
	bin := t.TempDir()
	pid := filepath.Join(bin, "pid")
	for _, name := range []string{"xdg-open", "open"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\necho $$ >"+pid+"\nexec sleep 600\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	s := runOnTerminal(t, "run", "/demo elicitation url")
	s.await("Open it in the browser? y or n: ")
	s.typed("y\n")
	s.ended(0)
	text, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(number, syscall.SIGKILL); err != nil {
		t.Errorf("the browser is gone: %v", err)
	}
}

// F145: only a page of the web is one that the user is asked about, and its address shows what it is.
func TestF145_WhatIsNoPage(t *testing.T) {
	gone, stop := context.WithCancel(t.Context())
	stop() // so that a question ends as cancelled
	for address, asked := range map[string]bool{
		"https://example.com/a?b=c": true,
		"http://localhost:1234/":    true,
		"https://me@example.com/":   true,
		"https://exаmple.com/":      true, // with a letter that is not what it looks like
		"file:///etc/passwd":        false,
		"file://example.com/secret": false,
		"vscode://example.com/run":  false,
		"javascript:alert(1)":       false,
		"https:///no-host":          false,
		"/etc/passwd":               false,
		"https://a.example/\x1b[2J": false,
		"https://a.example/ b":      true,
		"https://a.example/  b":     false,
		"--help":                    false,
	} {
		var b strings.Builder
		a := &asker{out: &b, lines: make(chan string)}
		_, was := a.page(gone, "Sign in", address).(*acp.ElicitationCancelAction)
		if was != asked || strings.Contains(b.String(), "\x1b") {
			t.Errorf("%q: asked: %v, %q", address, was, b.String())
		}
		if odd := strings.Contains(address, "@") || strings.Contains(address, "а"); odd != strings.Contains(b.String(), "Mind the address") {
			t.Errorf("%q: %s", address, b.String())
		}
	}
}

func TestFieldsAreChecked(t *testing.T) {
	two, four := uint32(2), uint32(4)
	text := func(s acp.StringPropertySchema) acp.ElicitationPropertySchema { return &s }
	for _, c := range []struct {
		schema    acp.ElicitationPropertySchema
		good, bad string
	}{
		{text(acp.StringPropertySchema{MinLength: &two, MaxLength: &four}), "äöü", "a"},
		{text(acp.StringPropertySchema{MaxLength: &four}), "1234", "12345"},
		{text(acp.StringPropertySchema{Pattern: "^a+$"}), "aa", "ab"},
		{text(acp.StringPropertySchema{Format: acp.StringFormatEmail}), "a@b.example", "a"},
		{text(acp.StringPropertySchema{Format: acp.StringFormatURI}), "https://a", "a"},
		{text(acp.StringPropertySchema{Format: acp.StringFormatDate}), "2026-01-31", "2026-02-31"},
		{text(acp.StringPropertySchema{Format: acp.StringFormatDateTime}), "2026-01-31T10:00:00Z", "now"},
		{text(acp.StringPropertySchema{Enum: []string{"x", "y"}}), "2", "3"},
		{&acp.NumberPropertySchema{}, "1.5", "NaN"},
		{&acp.IntegerPropertySchema{}, "-3", "1.5"},
		{&acp.BooleanPropertySchema{}, "yes", "perhaps"},
	} {
		f, err := fieldOf(acp.ElicitationProperty{Name: "f", Schema: c.schema})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.read(c.good); err != nil {
			t.Errorf("%T: %q is refused: %v", c.schema, c.good, err)
		}
		if v, err := f.read(c.bad); err == nil {
			t.Errorf("%T: %q is taken as %s", c.schema, c.bad, v.Raw)
		}
	}
	if _, err := fieldOf(acp.ElicitationProperty{Name: "f", Schema: &acp.UnknownPropertySchema{}}); err == nil {
		t.Error("a field of an unknown kind is asked for")
	}
}
