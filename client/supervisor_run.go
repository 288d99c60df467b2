package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// run sees one connection after the other out. It is the goroutine that owns them.
func (v *Supervisor) run(c *Client) {
	defer close(v.done)
	defer v.work.Wait()
	defer v.cancel()
	failures := 0
	for c != nil {
		began := time.Now()
		select {
		case <-c.Done():
		case <-v.ctx.Done():
		}
		err := c.Err()
		v.bury(c, err)
		if v.ctx.Err() != nil {
			break
		}
		if time.Since(began) >= v.opts.Healthy {
			failures = 0
		}
		c = v.restart(&failures, err)
	}
	v.end(&jsonrpc.ClosedError{})
}

// bury waits until nothing of a connection is left. What the agent had written is handled by then, so that nothing of it
// comes after what the next one writes.
func (v *Supervisor) bury(c *Client, err error) {
	v.mu.Lock()
	v.client = nil
	v.mu.Unlock()
	if v.ctx.Err() == nil {
		v.tell(&AgentCrashed{err})
	}
	c.hearOut(v.ctx)
	_ = c.Close()
	_ = c.Wait()
}

// lastWords is how long what an agent had written is waited for, before what is still to be handled is dropped.
const lastWords = 10 * time.Second

// hearOut waits until the updates that were read have been handled: Close would drop those that wait, and cancels all else.
func (c *Client) hearOut(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, lastWords)
	defer cancel()
	for _, s := range c.Sessions() {
		_ = c.conn.Handled(ctx, string(s.id))
	}
}

// restart starts the agent until it is there with its sessions. It returns nil when that is over: after Close, or when it
// has given up.
func (v *Supervisor) restart(failures *int, err error) *Client {
	for {
		*failures++
		r := v.opts.Restart.Recovery(err)
		if !v.mayRestart(*failures, r) {
			v.giveUp(*failures, err)
			return nil
		}
		pause := v.opts.Restart.pause(*failures, r.After)
		v.tell(&AgentRestarting{*failures, pause, err})
		if sleep(v.ctx, pause) != nil {
			return nil
		}
		var c *Client
		if c, err = v.launch(v.ctx, v.handler, v.opts.Client); err != nil {
			if v.ctx.Err() != nil {
				return nil
			}
			continue
		}
		if err = v.welcome(c); err == nil {
			return c
		}
		v.bury(c, err)
		if v.ctx.Err() != nil {
			return nil
		}
	}
}

// mayRestart reports whether there is another start. What is missing now may be there in a moment, for instance while it
// is being updated; only what can never work is not tried again.
func (v *Supervisor) mayRestart(failures int, r Recovery) bool {
	most := v.opts.Restart.Attempts
	return (most < 0 || failures < most) && r.Action != ActionGiveUp && r.After <= v.opts.Restart.Patience
}

func (v *Supervisor) giveUp(failures int, err error) {
	err = fmt.Errorf("%w after %d failures in a row: %w", ErrGaveUp, failures, err)
	v.end(err)
	v.tell(&SupervisorGaveUp{err})
}

// end says that there will be no more connections. Its first error counts.
func (v *Supervisor) end(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.err == nil {
		v.err = err
		v.changeLocked()
	}
}

// welcome makes a connection the Supervisor's, and opens the sessions there. It fails if the connection ends meanwhile.
func (v *Supervisor) welcome(c *Client) error {
	v.tell(&AgentStarted{c})
	v.mu.Lock()
	v.client = c
	sessions := slices.Clone(v.sessions)
	v.changeLocked()
	v.mu.Unlock()
	if v.ctx.Err() != nil { // so Close may not have seen it
		return context.Cause(v.ctx)
	}
	v.reopen(c, sessions)
	return c.Err()
}

// maxReopening is how many sessions are opened again at the same time: one that takes long does not hold up all the others.
const maxReopening = 4

// reopen opens sessions on another connection, and waits for what comes of it. New sessions are begun last: the name that an
// agent without a memory gives to one can be that of another one that is still to be opened.
func (v *Supervisor) reopen(c *Client, sessions []*SupervisedSession) {
	var reopening sync.WaitGroup
	whys := make([]error, len(sessions))
	slots := make(chan struct{}, maxReopening)
	for i, s := range sessions {
		slots <- struct{}{}
		reopening.Go(func() {
			defer func() { <-slots }()
			s.onConnection(c, func() { whys[i] = s.reopenLocked(c) })
		})
	}
	reopening.Wait()
	for i, s := range sessions {
		if whys[i] != nil {
			s.onConnection(c, func() { s.giveNew(c, whys[i]) })
		}
	}
}

// expired reports whether an error says that the agent does not have the session.
func (v *Supervisor) expired(err error) bool {
	return v.opts.Restart.Recovery(err).Action == ActionNewSession
}

// hopeless reports whether a session that could not be opened because of an error never will be, as far as one can tell: not
// every agent has a code of its own for a session that it does not have.
func (v *Supervisor) hopeless(err error) bool {
	if errors.Is(err, errCannotReopen) {
		return true
	}
	switch v.opts.Restart.Recovery(err).Action {
	case ActionNewSession, ActionTellUser, ActionGiveUp:
		return codeOf(err) != 0
	}
	return false
}
