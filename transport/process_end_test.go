//go:build unix

package transport_test

import (
	"context"
	"errors"
	"io"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/transport"
)

// A good process ends by itself when its input does. No signal is sent, and its last words don't kill it (F80).
func TestCloseIsPolite(t *testing.T) {
	p := start(t, "echo", patient)
	p.Close()
	if err := wait(t, p); err != nil {
		t.Error(err)
	}
	checkClosed(t, p)
}

// Close returns at once and makes a Read return that waits (W8).
func TestW8_CloseInterruptsRead(t *testing.T) {
	p := start(t, "stubborn", quick)
	pidOf(t, p)
	ended := make(chan error)
	go func() {
		_, err := p.Read(limit)
		ended <- err
	}()
	p.Close()
	if err := within(t, "Read to return", ended); err != io.ErrClosedPipe {
		t.Errorf("got %v, want io.ErrClosedPipe", err)
	}
	exit := exitOf(t, wait(t, p))
	if exit.State.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("ended by %v", exit)
	}
}

// The ladder has three steps, each for those whom the one before did not move (F44, F79).
func TestLadder(t *testing.T) {
	t.Run("SIGTERM", func(t *testing.T) {
		p := start(t, "heeds SIGTERM", func(c *transport.Command) { c.CloseGrace, c.TermGrace = time.Millisecond, time.Hour })
		pidOf(t, p)
		p.Close()
		if err := wait(t, p); err != nil {
			t.Error(err)
		}
		contains(t, p.Stderr(), "got SIGTERM")
	})
	t.Run("SIGKILL", func(t *testing.T) {
		p := start(t, "stubborn", func(c *transport.Command) { c.CloseGrace, c.TermGrace = time.Millisecond, time.Millisecond })
		pidOf(t, p)
		p.Close()
		contains(t, exitOf(t, wait(t, p)).Error(), "signal: killed")
	})
}

// A wrapper does not pass signals on, so they go to the group (F81).
func TestSignalsReachTheGroup(t *testing.T) {
	p := start(t, "wrapper", func(c *transport.Command) { c.CloseGrace, c.TermGrace = -1, time.Hour })
	child := pidOf(t, p)
	p.Close()
	if err := wait(t, p); err != nil {
		t.Error(err)
	}
	contains(t, p.Stderr(), "got SIGTERM")
	checkGone(t, child)
}

// When the process ends, for whatever reason, its descendants don't outlive it, however stubborn they are and whatever
// pipes they hold (F79, F92).
func TestDescendantsEndWithTheProcess(t *testing.T) {
	for name, end := range map[string]func(p *transport.Process){
		"by itself": func(p *transport.Process) { _ = p.Write([][]byte{nil}) },
		"by Close":  func(p *transport.Process) { p.Close() },
		"by Kill":   func(p *transport.Process) { p.Kill() },
	} {
		for _, helper := range families {
			t.Run(helper+" ends "+name, func(t *testing.T) {
				p := start(t, helper, patient)
				child := pidOf(t, p)
				end(p)
				_, err := readAll(p, limit)
				if name == "by Close" {
					_ = wait(t, p)
				} else {
					exitOf(t, err)
				}
				checkGone(t, child)
			})
		}
	}
}

// A descendant that nothing finds may hold the pipes for as long as it likes: a second after the death of the process
// its output has ended (W8, F79).
func TestW8_LostDescendantHoldsThePipes(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *transport.Process){
		"killed": func(t *testing.T, p *transport.Process) {
			p.Kill()
			_, err := readAll(p, limit)
			exitOf(t, err)
		},
		"closed": func(_ *testing.T, p *transport.Process) { p.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, "parent of a lost daemon", patient)
			child := pidOf(t, p)
			defer func() { _ = syscall.Kill(child, syscall.SIGKILL) }()
			end(t, p)
			_ = wait(t, p)
			if isGone(child) {
				t.Error("the descendant was found after all: this test proves nothing")
			}
		})
	}
}

// A context that ends closes the process.
func TestContextEndsProcess(t *testing.T) {
	ctx, cancel := context.WithCancel(background)
	p, err := transport.Start(ctx, transport.Command{Path: os.Args[0], Env: helperEnv("echo")})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := wait(t, p); err != nil {
		t.Error(err)
	}
	eventually(t, "the stream is closed", func() bool {
		_, err := p.Read(limit)
		return err == io.ErrClosedPipe
	})
	if _, err := transport.Start(ctx, transport.Command{Path: os.Args[0]}); !errors.Is(err, context.Canceled) {
		t.Errorf("start with a context that has ended: %v", err)
	}
}

// Waiting gives up with its context, and the process lives on.
func TestWaitGivesUp(t *testing.T) {
	p := start(t, "echo")
	ctx, cancel := context.WithCancelCause(background)
	reason := errors.New("enough")
	cancel(reason)
	if err := p.Wait(ctx); err != reason {
		t.Errorf("got %v, want the cause", err)
	}
	mustWrite(t, p, "{}")
	if got := readOne(t, p); got != "{}" {
		t.Errorf("got %q", got)
	}
}

// A process that closes its end of a pipe and lives on is of no use: whoever waits for it learns so in time (W8), and it is
// led out.
func TestW8_ProcessThatClosesItsPipes(t *testing.T) {
	for _, helper := range []string{"closes its output", "closes its input"} {
		t.Run(helper, func(t *testing.T) {
			t.Parallel()
			p := start(t, helper, patient)
			if got := readOne(t, p); got != "1" {
				t.Errorf("got %q", got)
			}
			var err error
			if helper == "closes its output" {
				_, err = p.Read(limit)
			} else {
				err = p.Write([][]byte{[]byte("{}")})
			}
			if err == nil {
				t.Fatal("no error")
			}
			contains(t, err.Error(), "still runs")
		})
	}
}
