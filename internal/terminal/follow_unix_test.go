//go:build unix

package terminal_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/internal/terminal"
)

// The output can be read part by part as it comes; a character that is cut by a part's end is whole in the next.
func TestOutputComesInParts(t *testing.T) {
	gate := t.TempDir() + "/gate"
	term := line(t, `printf 'one \303'; while [ ! -e `+gate+` ]; do sleep 0.01; done; printf '\244 two'`)
	<-term.Grown(4)
	first := term.Since(0)
	if want := (terminal.Span{Text: "one ", Next: 4}); first != want {
		t.Fatalf("got %+v, want %+v", first, want)
	}
	grown := term.Grown(5)
	select {
	case <-grown:
		t.Fatal("it has grown though nothing was written")
	default:
	}
	if err := os.WriteFile(gate, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	select {
	case <-grown:
	case <-time.After(20 * time.Second):
		t.Fatal("nobody was told that there is more")
	}
	wait(t, term)
	if got, want := term.Since(first.Next), (terminal.Span{Text: "ä two", Next: 10}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := term.Since(10); got.Text != "" || got.Missed || got.Next != 10 {
		t.Errorf("after the end: %+v", got)
	}
}

// Who reads too late is told that something is missing.
func TestOutputThatIsMissed(t *testing.T) {
	term := start(t, terminal.Command{Line: `printf 'aä0123456789'`, Limit: 11})
	wait(t, term)
	if got, want := term.Since(0), (terminal.Span{Text: "0123456789", Next: 13, Missed: true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := term.Since(11).Text; got != "89" {
		t.Errorf("got %q", got)
	}
}

// F48: a command that takes no notice of SIGTERM is over at once when it has to be.
func TestF48_AbortWaitsForNothing(t *testing.T) {
	term := start(t, terminal.Command{Line: `trap '' TERM; echo ready; sleep 1000`, TermGrace: time.Hour})
	shown(t, term, "ready")
	term.Kill()
	term.Abort()
	if got := wait(t, term); got != "SIGKILL" {
		t.Errorf("it ended with %s", got)
	}
	term.Abort() // is harmless afterwards
	if !strings.Contains(term.Output().Text, "ready") {
		t.Error("the output is gone")
	}
}
