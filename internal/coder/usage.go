package coder

import (
	"math"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// A bill is what a session has used.
type bill struct {
	requests int
	usage    acp.Usage
	usd      float64
	unknown  bool // there were requests whose price nobody knows
}

// count reports the tokens of a request, once for each (F165), and adds them up for the answer to the prompt.
func (x *exchange) count(u model.Usage, e engine) error {
	x.counted.tokens, x.counted.fixed = u.InputTokens+u.OutputTokens, x.sent
	add(&x.usage, u)
	usd, known := e.facts.Price.Cost(u)
	total := x.session.charge(u, usd, known)
	if e.Info().ContextTokens == 0 {
		return nil // the size is required, and nobody knows it
	}
	update := acp.UsageUpdate{Used: x.counted.tokens, Size: e.Info().ContextTokens}
	if !total.unknown && total.usd > 0 {
		update.Cost = &acp.Cost{Amount: math.Round(total.usd*1e6) / 1e6, Currency: "USD"}
	}
	if u.Estimate != "" {
		update.Meta = acp.Meta{"patchbay.dev/estimate": quote(u.Estimate)}
		x.usage.Meta = update.Meta
	}
	return x.turn.Usage(update)
}

// showTokens tells the client how long the conversation is by estimate, when it has become shorter.
func (x *exchange) showTokens(used uint64) error {
	if x.window() == 0 {
		return nil
	}
	return x.turn.Usage(acp.UsageUpdate{Used: used, Size: x.window()})
}

// add adds the tokens of a request.
func add(sum *acp.Usage, u model.Usage) {
	sum.InputTokens += u.InputTokens
	sum.OutputTokens += u.OutputTokens
	sum.TotalTokens += u.InputTokens + u.OutputTokens
	for _, kind := range []struct {
		sum **uint64
		n   uint64
	}{{&sum.ThoughtTokens, u.ThoughtTokens}, {&sum.CachedReadTokens, u.CachedReadTokens}, {&sum.CachedWriteTokens, u.CachedWriteTokens}} {
		if kind.n == 0 {
			continue
		}
		n := kind.n
		if *kind.sum != nil {
			n += **kind.sum
		}
		*kind.sum = &n
	}
}

// charge adds a request to a session's bill and returns what that is then.
func (s *session) charge(u model.Usage, usd float64, known bool) bill {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subagent.charge(u, usd, known)
	s.bill.requests++
	add(&s.bill.usage, u)
	s.bill.usd += usd
	s.bill.unknown = s.bill.unknown || !known
	return s.bill
}

// spent returns a session's bill.
func (s *session) spent() bill {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bill
}

// roundly is a duration for people.
func roundly(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Second)
}
