package client

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/patchbay-dev/patchbay/acp"
)

// Select answers a permission request with the first of its options that is of one of the kinds, the earlier kinds
// before the later, and with acp.PermissionCancelled() if there is none. Agents name their options as they like, so
// that it is the kind to choose by and the agent's own id to answer with (F57). An id that is given to a yes and to a no is
// passed over: it says neither.
func Select(options []acp.PermissionOption, kinds ...acp.PermissionOptionKind) acp.RequestPermissionOutcome {
	for _, kind := range kinds {
		for i := range options {
			if options[i].Kind == kind && acp.OptionOf(options, options[i].OptionID) != nil {
				return acp.PermissionSelected(options[i].OptionID)
			}
		}
	}
	return acp.PermissionCancelled()
}

// errTurnCancelled ends the context of a question whose turn was cancelled.
var errTurnCancelled = fmt.Errorf("the turn was cancelled: %w", context.Canceled)

// An ask is a question of the agent's to the user that has not been answered.
type ask struct {
	cancelled chan struct{} // closed under Client.mu, once, by whoever takes the ask out of Session.asks
}

// requestPermission asks the Handler, and checks that it chose what the agent offered.
func (c *Client) requestPermission(ctx context.Context, s *Session, req *acp.RequestPermissionRequest) (*acp.RequestPermissionResponse, error) {
	cancelled := &acp.RequestPermissionResponse{Outcome: acp.PermissionCancelled()}
	return askUser(ctx, s, cancelled, func(ctx context.Context) (*acp.RequestPermissionResponse, error) {
		outcome, err := c.handler.RequestPermission(ctx, s, req)
		if err != nil {
			return nil, err
		}
		if outcome == nil {
			return cancelled, nil
		}
		if chosen, ok := outcome.(*acp.SelectedPermissionOutcome); ok {
			option := acp.OptionOf(req.Options, chosen.OptionID)
			switch {
			case option == nil && isOffered(req.Options, chosen.OptionID): // as a yes and as a no
				return cancelled, nil
			case option == nil:
				return nil, acp.ErrInternal("the client chose the option %q, which was not offered", chosen.OptionID)
			}
			if option.Kind.Allows() {
				s.allow(req)
			}
		}
		return &acp.RequestPermissionResponse{Outcome: outcome}, nil
	})
}

func isOffered(options []acp.PermissionOption, id acp.PermissionOptionID) bool {
	return slices.ContainsFunc(options, func(o acp.PermissionOption) bool { return o.OptionID == id })
}

// askUser asks something that the cancelling of the session's turn answers (T4, F45): then ifCancelled goes out at
// once, whatever the user's side is doing. A nil session can't be cancelled.
func askUser[R any](ctx context.Context, s *Session, ifCancelled *R, question func(context.Context) (*R, error)) (*R, error) {
	if s == nil {
		return question(ctx)
	}
	a := &ask{cancelled: make(chan struct{})}
	if !s.openAsk(a) {
		return ifCancelled, nil
	}
	defer s.client.work.Done()
	defer s.closeAsk(a)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type answer struct {
		result *R
		err    error
	}
	answers := make(chan answer, 1)
	s.client.work.Add(1) // openAsk has seen to it that it is not too late
	go func() {
		defer s.client.work.Done()
		out := answer{err: errors.New("runtime.Goexit in the handler")}
		defer func() {
			if p := recover(); p != nil {
				s.client.opts.Logger.Error("a handler panicked", "panic", p, "stack", string(debug.Stack()))
				out = answer{err: acp.ErrInternal("the client's handler failed")}
			}
			answers <- out
		}()
		out.result, out.err = question(ctx)
	}()
	select {
	case out := <-answers:
		if out.err != nil && s.wasCancelled(a) {
			return ifCancelled, nil
		}
		return out.result, out.err
	case <-a.cancelled:
		cancel(errTurnCancelled)
		return ifCancelled, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("the agent has withdrawn the question: %w", context.Cause(ctx))
	}
}

// openAsk notes a question. It returns false if the turn that it belongs to is being cancelled, or the session has ended.
func (s *Session) openAsk(a *ask) bool {
	c := s.client
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.over || c.over {
		return false
	}
	for p := s; p != nil; p = p.parent {
		if p.turn != nil && p.turn.cancelled {
			return false
		}
	}
	s.asks[a] = struct{}{}
	c.work.Add(1)
	return true
}

func (s *Session) closeAsk(a *ask) {
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	delete(s.asks, a)
}

func (s *Session) wasCancelled(a *ask) bool {
	select {
	case <-a.cancelled:
		return true
	default:
		return false
	}
}

// cancelAsks answers all questions of the session and its subagents.
func (s *Session) cancelAsks() {
	s.client.mu.Lock()
	defer s.client.mu.Unlock()
	s.client.cancelAsksLocked(s)
}

func (c *Client) cancelAsksLocked(s *Session) {
	for a := range s.asks {
		delete(s.asks, a)
		close(a.cancelled)
	}
	for _, other := range c.sessions {
		for p := other.parent; p != nil; p = p.parent {
			if p == s && len(other.asks) > 0 {
				for a := range other.asks {
					delete(other.asks, a)
					close(a.cancelled)
				}
			}
		}
	}
}
