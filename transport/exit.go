package transport

import (
	"io"
	"os"
	"strings"
)

// How much of the end of standard error is part of an ExitError.
const (
	exitLines = 10
	exitBytes = 2 << 10
)

// An ExitError says that a peer's process has ended, how, and what it said last. It is the end of input too, so that
// errors.Is(err, io.EOF) is true, and a process that ended with status 0 is reported by it as well.
type ExitError struct {
	Command string           // Path of the Command
	State   *os.ProcessState // nil if it could not be found out
	Stderr  string           // the last ten lines of standard error or less, at most 2 KiB
}

// Error names the command, its exit status or the signal that ended it, and its last words.
func (e *ExitError) Error() string {
	how := "exit status unknown"
	if e.State != nil {
		how = e.State.String()
	}
	text := e.Command + " ended: " + how
	switch words := printable(e.Stderr); {
	case words == "":
		return text
	case strings.Contains(words, "\n"):
		return text + "; last lines of its standard error:\n\t" + strings.ReplaceAll(words, "\n", "\n\t")
	default:
		return text + "; last line of its standard error: " + words
	}
}

// Unwrap returns io.EOF.
func (e *ExitError) Unwrap() error { return io.EOF }

// ExitCode returns the exit status, or -1 if a signal ended the process or it is not known.
func (e *ExitError) ExitCode() int {
	if e.State == nil {
		return -1
	}
	return e.State.ExitCode()
}

// printable drops the control characters from what a process wrote: an error ends up on someone's terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 && r != '\n' && r != '\t' || r == 0x7F {
			return -1
		}
		return r
	}, text)
}
