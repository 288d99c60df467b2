package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/patchbay-dev/patchbay/acp"
)

// signIn brings those together who find at the same time that the user has to sign in: one does it for all.
type signIn struct {
	mu      sync.Mutex
	attempt *attempt     // that is under way, nil if none is
	done    atomic.Int64 // how often the user has signed in
}

// An attempt is one time that the user is asked.
type attempt struct {
	over chan struct{} // closed when it is; then the rest is fixed
	err  error
	left bool // whoever made it has left before it came to an end
}

// era tells what was before a sign-in from what comes after.
func (a *signIn) era() int { return int(a.done.Load()) }

// authenticated makes a call, and if the agent answers that the user has to sign in, sees to that and makes the call
// once more (F116, F120).
func (c *Client) authenticated(ctx context.Context, call func() error) error {
	era := c.auth.era()
	err := call()
	if !c.mustSignIn(err) {
		return err
	}
	return c.signedIn(ctx, era, err, call)
}

// mustSignIn reports whether that is what an error says, by the codes of this agent, and something can be done about it. No
// other error is taken for it (F118): -32000 is what some agents say for want of a better code, and those offer no way to
// sign in.
func (c *Client) mustSignIn(err error) bool {
	return codeOf(err) != 0 && c.opts.Auth != nil && len(c.AuthMethods()) > 0 && c.opts.Codes.RecoveryOf(err).Action == ActionSignIn
}

// errSignIn says that what the agent asked for was tried.
var errSignIn = errors.New("signing in failed")

// signedIn has the user sign in, unless somebody has done so since era, and makes a call again that failed for it.
func (c *Client) signedIn(ctx context.Context, era int, failed error, call func() error) error {
	if err := c.signIn(ctx, era); err != nil {
		return fmt.Errorf("%w; %w: %w", failed, errSignIn, err)
	}
	return call()
}

// signIn has the user asked once, however many calls wait for it: who declines is not asked again by each of them.
func (c *Client) signIn(ctx context.Context, era int) error {
	for c.auth.era() == era {
		if err := c.conn.Err(); err != nil {
			return err
		}
		a, mine := c.auth.join()
		if mine {
			return c.attempt(ctx, a)
		}
		select {
		case <-a.over:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if a.err != nil && !a.left {
			return a.err
		}
	}
	return nil
}

// join returns the attempt that is under way, or a new one that is the caller's to make.
func (a *signIn) join() (attempted *attempt, mine bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.attempt != nil {
		return a.attempt, false
	}
	a.attempt = &attempt{over: make(chan struct{}), left: true}
	return a.attempt, true
}

// attempt asks the user, as long as the connection lives: nobody signs in to an agent that has gone.
func (c *Client) attempt(ctx context.Context, a *attempt) error {
	defer func() {
		c.auth.mu.Lock()
		defer c.auth.mu.Unlock()
		c.auth.attempt = nil
		close(a.over)
	}()
	ctx, leave := c.whileConnected(ctx)
	defer leave()
	id, err := c.opts.Auth(ctx, c, c.AuthMethods())
	if err == nil {
		err = c.Authenticate(ctx, id)
	}
	if gone := c.conn.Err(); gone != nil {
		err = gone
	}
	a.err, a.left = err, ctx.Err() != nil
	return err
}

// whileConnected returns a context that ends with the connection, too.
func (c *Client) whileConnected(ctx context.Context) (_ context.Context, leave func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-c.conn.Done():
			cancel(c.conn.Err())
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-watched
	}
}

// Authenticate signs the user in with one of the agent's methods: by the agent itself, however long the user takes, or
// for one that needs a terminal as AuthenticateTerminal does.
//
// Spec: authentication.
func (c *Client) Authenticate(ctx context.Context, id acp.AuthMethodID) error {
	for _, method := range c.AuthMethods() {
		switch m := method.(type) {
		case *acp.AuthMethodAgent:
			if m.ID != id {
				continue
			}
			if login := c.loginOf(m); login != nil {
				return c.runLogin(ctx, m.Name, login)
			}
			return c.authenticateAgent(ctx, id)
		case *acp.AuthMethodTerminal:
			if m.ID == id {
				return c.authenticateTerminal(ctx, m)
			}
		}
	}
	return fmt.Errorf("%s: the agent offers no method %q that this client can use, but %s", acp.MethodAuthenticate, id, c.methodNames())
}

func (c *Client) authenticateAgent(ctx context.Context, id acp.AuthMethodID) error {
	_, err := request[acp.AuthenticateResponse](ctx, c, acp.MethodAuthenticate, &acp.AuthenticateRequest{MethodID: id})
	if err != nil {
		return err
	}
	c.auth.done.Add(1)
	return nil
}

// methodNames lists the agent's ways to sign in.
func (c *Client) methodNames() string {
	names := ""
	for _, method := range c.AuthMethods() {
		name := ""
		switch m := method.(type) {
		case *acp.AuthMethodAgent:
			name = string(m.ID)
		case *acp.AuthMethodTerminal:
			name = string(m.ID)
		case *acp.UnknownAuthMethod:
			name = "one of type " + m.Type
		}
		if names != "" {
			names += ", "
		}
		names += name
	}
	if names == "" {
		return "none at all"
	}
	return names
}
