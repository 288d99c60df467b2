package main

import (
	"fmt"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// limitFlags bound what a run may take.
type limitFlags struct {
	Timeout      time.Duration `placeholder:"10m" help:"Cancel after so long. Default: never."`
	IdleTimeout  time.Duration `placeholder:"2m" help:"Cancel when nothing has happened for so long, while no tool runs and nobody is asked. Default: never."`
	MaxCost      *float64      `placeholder:"N" help:"Cancel when the turn has cost more, in the currency that the agent counts in. 0 allows nothing."`
	MaxTokens    *uint64       `placeholder:"N" help:"Cancel when the turn has used more tokens."`
	MaxToolCalls *int          `placeholder:"N" help:"Cancel when the agent begins more tool calls."`
}

func (f *limitFlags) check() error {
	switch {
	case f.Timeout < 0:
		return fmt.Errorf("--timeout: %v is less than nothing", f.Timeout)
	case f.IdleTimeout < 0:
		return fmt.Errorf("--idle-timeout: %v is less than nothing", f.IdleTimeout)
	case f.MaxCost != nil && !(*f.MaxCost >= 0): // NaN is neither
		return fmt.Errorf("--max-cost: %v is no amount", *f.MaxCost)
	case f.MaxToolCalls != nil && *f.MaxToolCalls < 0:
		return fmt.Errorf("--max-tool-calls: %d is less than nothing", *f.MaxToolCalls)
	}
	return nil
}

// A limitError says which limit was reached.
type limitError struct{ text string }

func (e *limitError) Error() string { return e.text }

// A meter counts what a turn takes.
type meter struct {
	limits limitFlags
	turn   bool // whether the turn has begun
	calls  map[callKey]struct{}
	before float64   // what the session had cost when the turn began
	cost   *acp.Cost // of the session, the last that was said
	tokens uint64    // of the turn
	filled uint64    // the context, the last that was said
	heard  bool      // whether the agent has said anything of tokens
}

// A callKey names a tool call: each session has ids of its own.
type callKey struct {
	session acp.SessionID
	call    acp.ToolCallID
}

func newMeter(limits limitFlags) *meter {
	return &meter{limits: limits, calls: map[callKey]struct{}{}}
}

// begin says that the turn begins. What came before is not the turn's.
func (m *meter) begin(s *client.Session) {
	m.turn = true
	if u := s.State().Usage(); u != nil {
		m.filled = u.Used
		if m.cost = u.Cost; m.cost != nil {
			m.before = m.cost.Amount
		}
	}
}

// see takes an update. Its error is that of a limit.
func (m *meter) see(s *client.Session, u acp.SessionUpdate) error {
	if !m.turn {
		return nil
	}
	switch u := u.(type) {
	case *acp.ToolCall:
		return m.call(s, u.ToolCallID)
	case *acp.ToolCallUpdate:
		return m.call(s, u.ToolCallID)
	case *acp.UsageUpdate:
		if s.Parent() == nil { // where a subagent's cost is in its parent's
			return m.usage(u)
		}
	}
	return nil
}

func (m *meter) call(s *client.Session, id acp.ToolCallID) error {
	m.calls[callKey{s.ID(), id}] = struct{}{}
	if limit := m.limits.MaxToolCalls; limit != nil && len(m.calls) > *limit {
		return &limitError{fmt.Sprintf("the agent begins more tool calls than the %d of --max-tool-calls", *limit)}
	}
	return nil
}

// usage counts. An agent says after each request to its model how full the context is, all of which that request has used;
// what was said before, and a context that has become smaller, is no request.
func (m *meter) usage(u *acp.UsageUpdate) error {
	m.heard = true
	if u.Used > m.filled {
		m.tokens += u.Used
	}
	m.filled = u.Used
	if u.Cost != nil {
		m.cost = u.Cost
	}
	if limit := m.limits.MaxCost; limit != nil && m.spent() > *limit {
		return &limitError{fmt.Sprintf("the turn has cost %g %s, more than the %g of --max-cost", m.spent(), m.cost.Currency, *limit)}
	}
	return m.tooMany(m.tokens)
}

func (m *meter) tooMany(tokens uint64) error {
	if limit := m.limits.MaxTokens; limit != nil && tokens > *limit {
		return &limitError{fmt.Sprintf("the turn has used %d tokens, more than the %d of --max-tokens", tokens, *limit)}
	}
	return nil
}

// spent is what the turn has cost.
func (m *meter) spent() float64 {
	if m.cost == nil {
		return 0
	}
	return max(0, m.cost.Amount-m.before)
}

// end looks at what the agent says of the whole turn, which may be more than it has said meanwhile.
func (m *meter) end(u *acp.Usage) error {
	if u == nil {
		return nil
	}
	m.heard = true
	return m.tooMany(max(u.TotalTokens, u.InputTokens+u.OutputTokens))
}

// blind says which limits had no effect, since the agent doesn't say what they need.
func (m *meter) blind() (notes []string) {
	if m.limits.MaxCost != nil && m.cost == nil {
		notes = append(notes, "--max-cost had no effect: the agent doesn't say what it costs")
	}
	if m.limits.MaxTokens != nil && !m.heard {
		notes = append(notes, "--max-tokens had no effect: the agent doesn't say how many tokens it uses")
	}
	return notes
}
