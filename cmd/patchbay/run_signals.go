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
	fmt.Fprintln(os.Stderr, "\npatchbay: cancelling; once more kills the agent")
	s.cancel(causeOf(sig))
}

// causeOf says why a signal ends a context.
func causeOf(sig os.Signal) error {
	if sig == os.Interrupt {
		return errInterrupted
	}
	return errTerminated
}

// stop ends the watch.
func (s *signals) stop() {
	signal.Stop(s.pipe)
	signal.Stop(s.ch)
	close(s.ch)
	<-s.done
	s.cancel(nil)
}

// untilSignal returns a context that a signal ends, for what has no turn to be cancelled. stop gives signals their usual meaning
// again.
func untilSignal() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	ch, over := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		defer close(over)
		select {
		case sig := <-ch:
			cancel(causeOf(sig))
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(ch)
		cancel(nil)
		<-over
	}
}

// unlessSignalled returns an error, or the signal that has caused it.
func unlessSignalled(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && (cause == errInterrupted || cause == errTerminated) {
		return exitOfCause(cause)
	}
	return err
}
