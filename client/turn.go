package client

import (
	"context"
	"iter"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Turn is what follows a prompt.
type Turn struct{}

// A Result is how a turn ended.
type Result struct {
	StopReason acp.StopReason

	// Usage counts the tokens of the turn, if the agent says so. Unstable.
	Usage *acp.Usage

	// Unconfirmed says that the turn was cancelled and the agent has not answered within Options.CancelGrace: it may
	// still be at work.
	Unconfirmed bool

	// Reason is what was given to CancelBecause.
	Reason string

	Meta acp.Meta
}

func (t *Turn) Session() *Session                                      { return nil }
func (t *Turn) Updates() iter.Seq[acp.SessionUpdate]                   { return nil }
func (t *Turn) Wait() (*Result, error)                                 { return nil, nil }
func (t *Turn) Cancel(ctx context.Context) error                       { return nil }
func (t *Turn) CancelBecause(ctx context.Context, reason string) error { return nil }
func (t *Turn) Done() <-chan struct{}                                  { return nil }
