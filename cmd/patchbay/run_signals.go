package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// signals turns the first Ctrl-C into the end of a context, which cancels the turn, and the second one into the death of
// the agent.
type signals struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	ch     chan os.Signal // closed by stop
	pipe   chan os.Signal // never read
	done   chan struct{}  // closed by the goroutine

	mu   sync.Mutex
	kill func()
}

func watchSignals() *signals {
	s := &signals{ch: make(chan os.Signal, 4), pipe: make(chan os.Signal, 1), done: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	// A reader of our output that goes away is an error of the write, and no reason to die and leave an agent behind.
	// Ignoring the signal would do that too, but for the children as well.
	signal.Notify(s.pipe, syscall.SIGPIPE)
	signal.Notify(s.ch, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go s.watch()
	return s
}

// onSecond says what the second signal does. Before, there is no agent that could be asked to cancel, and the end of the
// context is enough.
func (s *signals) onSecond(kill func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kill = kill
}

func (s *signals) watch() {
	defer close(s.done)
	for n := 1; ; n++ {
		sig, open := <-s.ch
		if !open {
			return
		}
		if n == 1 {
			s.first(sig)
			continue
		}
		s.mu.Lock()
		if s.kill != nil {
			s.kill()
		}
		s.mu.Unlock()
	}
}

func (s *signals) first(sig os.Signal) {
	cause := errInterrupted
	if sig != os.Interrupt {
		cause = errTerminated
	}
	fmt.Fprintln(os.Stderr, "\npatchbay: cancelling; once more kills the agent")
	s.cancel(cause)
}

// stop ends the watch.
func (s *signals) stop() {
	signal.Stop(s.pipe)
	signal.Stop(s.ch)
	close(s.ch)
	<-s.done
	s.cancel(nil)
}
