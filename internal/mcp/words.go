package mcp

import (
	"strings"
	"sync"
)

const (
	wordLines = 10   // lines of standard error that are kept
	pieceSize = 8192 // from which on package transport gives the rest of a line as another one
)

// lastWords are the last lines of what a server has written to its standard error. The pipe is always emptied, and only the
// beginnings of lines are kept: nothing that was cut from the front of one, which might be the end of a secret.
type lastWords struct {
	mu    sync.Mutex
	lines []string
	goes  bool // what comes next belongs to the line before
}

func (w *lastWords) add(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	continues := w.goes
	w.goes = len(line) >= pieceSize
	if continues || strings.TrimSpace(line) == "" {
		return
	}
	if len(w.lines) == wordLines {
		w.lines = append(w.lines[:0], w.lines[1:]...)
	}
	w.lines = append(w.lines, line)
}

// said is the end of a sentence about the server. Its lines are whole yet, so that secrets can be found in them before they
// are cut.
func (w *lastWords) said() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.lines) == 0 {
		return ""
	}
	return "; the last lines of its standard error:\n" + strings.Join(w.lines, "\n")
}

// printable drops control characters, line ends aside.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r == 0x7f {
			return -1
		}
		return r
	}, s)
}

// cut returns the beginning of a text, of at most so many bytes and an ellipsis, cut between characters.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && s[most]&0xc0 == 0x80 {
		most--
	}
	return s[:most] + "…"
}
