package coder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// A subagent is what makes a session one that works for another. It has a conversation of its own, and settings of its own as
// far as its model is concerned; what the user has chosen and decided is that of the session that the user has opened.
type subagent struct {
	parent *session
	kind   *subagentType
	depth  int      // 1 for a subagent of the user's session
	bill   *expense // of the turn that it works in
}

// taskTool is the name of the tool that starts subagents.
const taskTool = "task"

// user is the session that the user has opened: s itself, or the one that it works for.
func (s *session) user() *session {
	for s.subagent != nil {
		s = s.subagent.parent
	}
	return s
}

// mode is the mode of the session that the user has opened, as it is now.
func (s *session) mode() *mode { return s.user().chosen().mode }

// depth is how many sessions s works for.
func (s *session) depth() int {
	if s.subagent == nil {
		return 0
	}
	return s.subagent.depth
}

// offers reports whether a session has a tool, whatever its mode says.
func (s *session) offers(name string) bool {
	switch {
	case s.subagent == nil:
		return true
	case name == "propose": // a mode is the user's and the agent's business
		return false
	case name == taskTool && s.subagent.depth >= maxSubagentDepth:
		return false
	}
	return s.subagent.kind.has(name)
}

// allowed leaves out the tools that a session has not, and says which types of subagents there are.
func (x *exchange) allowed(all []model.Tool) []model.Tool {
	list := make([]model.Tool, 0, len(all))
	for _, t := range all {
		if !x.session.offers(t.Name) {
			continue
		}
		if t.Name == taskTool {
			if x.types == nil { // once for a turn, so that providers can keep the beginning of the conversation
				x.types = subagentTypes(x.session.roots[0], x.session.config.UserFile, x.session.hides)
			}
			t.Description += describeTypes(x.types)
		}
		list = append(list, t)
	}
	return list
}

// subagentWords are what a subagent is told about itself.
const subagentWords = `
You are a subagent of the type %q: another agent has given you a piece of its work. It answers no questions, so decide what is unclear and say what
you decided. Your last message is your report, and all that the other agent gets to read: put into it what was asked for, and nothing about
how you went about it.
`

// words are what a session's model is told beside what every model is.
func (s *session) words() string {
	if s.subagent == nil {
		return ""
	}
	words := fmt.Sprintf(subagentWords, s.subagent.kind.name)
	if more := s.subagent.kind.instructions; more != "" {
		words += more + "\n"
	}
	return words
}

// modeWords are what a session's model is told about a mode. A subagent can't propose anything.
func (s *session) modeWords(m *mode) string {
	if s.subagent != nil && m.has("propose") {
		return modeNamed("read-only").words
	}
	return m.words
}

// lastWords are what the model said last.
func (s *session) lastWords() string {
	for _, m := range slices.Backward(s.messages()) {
		if m.Role == model.RoleAssistant {
			return strings.TrimSpace(textOf(m.Content))
		}
	}
	return ""
}

// An expense is what the subagents have used that work in a turn.
type expense struct {
	mu    sync.Mutex
	usage acp.Usage
}

func (e *expense) add(u model.Usage) {
	e.mu.Lock()
	defer e.mu.Unlock()
	add(&e.usage, u)
}

// with adds the expense to what the turn has used itself.
func (e *expense) with(own acp.Usage) acp.Usage {
	e.mu.Lock()
	defer e.mu.Unlock()
	sum := own
	sum.InputTokens += e.usage.InputTokens
	sum.OutputTokens += e.usage.OutputTokens
	sum.TotalTokens += e.usage.TotalTokens
	for _, kind := range []struct{ sum, more **uint64 }{
		{&sum.ThoughtTokens, &e.usage.ThoughtTokens},
		{&sum.CachedReadTokens, &e.usage.CachedReadTokens},
		{&sum.CachedWriteTokens, &e.usage.CachedWriteTokens},
	} {
		switch {
		case *kind.more == nil:
		case *kind.sum == nil:
			*kind.sum = *kind.more
		default:
			n := **kind.sum + **kind.more
			*kind.sum = &n
		}
	}
	return sum
}

// charge has whoever a subagent works for pay for a request.
func (a *subagent) charge(u model.Usage, usd float64, known bool) {
	if a == nil {
		return
	}
	a.bill.add(u)
	a.parent.charge(u, usd, known)
}

// newChild makes the session of a new subagent.
func (e *env) newChild(ctx context.Context, child *agent.Session, title string, a *subagent) (*session, error) {
	chosen := e.session.chosen()
	if name := a.kind.model; name != "" && name != chosen.engine.Info().Name {
		if e.coder.models.fixed != nil {
			return nil, fmt.Errorf("the model %q of the type %s can't be used: there is only %s", name, a.kind.name, chosen.engine.Info().Name)
		}
		engine, err := e.coder.models.named(e.session.config, name)
		if err != nil {
			return nil, fmt.Errorf("the model %q of the type %s can't be used: %w", name, a.kind.name, err)
		}
		chosen.engine = engine
	}
	state := newState(child, e.session.config, chosen)
	state.subagent = a
	k := e.session.desk.keep
	if k == nil {
		return state, nil
	}
	lease, err := k.store.Create(ctx, store.Session{
		ID: child.ID(), CWD: child.CWD(), Roots: child.Roots()[1:], Parent: k.lease.ID(), Title: title,
	})
	if err != nil {
		return nil, fmt.Errorf("the subagent can't be kept: %w", err)
	}
	state.desk.keep = newKeeper(k.store, lease)
	return state, state.keepSettings()
}

// sameChild makes the session of a subagent that goes on, which has to be one of the session's.
func (e *env) sameChild(ctx context.Context, child *agent.Session, a *subagent) (*session, error) {
	unknown := fmt.Errorf("there is no subagent with the session_id %q: leave it out to start one", child.ID())
	parent := e.turn.Session()
	if k := e.session.desk.keep; k != nil {
		loaded, err := k.store.Load(ctx, child.ID())
		switch {
		case errors.Is(err, store.ErrUnknown), err == nil && loaded.Parent != parent.ID():
			return nil, unknown
		case err != nil:
			return nil, err
		}
		state, _, err := e.coder.takeUp(ctx, k.store, child)
		if err != nil {
			return nil, errors.New(plain(err))
		}
		state.subagent = a
		return state, nil
	}
	kept, err := e.coder.recent.get(child.ID())
	if err != nil || kept.parent != parent.ID() {
		return nil, unknown
	}
	if isOpen(kept.from) {
		return nil, fmt.Errorf("the session of the subagent %s is open in a client", child.ID())
	}
	state, err := e.coder.successor(child, kept.state, false)
	if err != nil {
		return nil, errors.New(plain(err))
	}
	state.subagent = a
	return state, child.Restore(kept.from.History())
}
