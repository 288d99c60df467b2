package coder

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/mcp"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// joinTime is how long after the opening of a session a prompt waits for MCP servers that are starting. Opening it doesn't
// wait: clients give up soon. What is later joins when it is there.
const joinTime = 5 * time.Second

// servers are the MCP servers of a session, from one opening of it to the next or to its end.
type servers struct {
	set  *mcp.Set
	over context.Context // ends before the set is closed, so that nothing that it tells the client holds that up
	end  context.CancelFunc
	join time.Time // prompts wait for them until then
	once sync.Once

	mu    sync.Mutex             // guards what follows
	left  map[string]bool        // tools of which the user knows that they are left out; nil at first
	turns map[string]*agent.Turn // in which calls are under way, by the calls' ids
}

// close ends them, and waits for that, also if it is under way.
func (m *servers) close() {
	m.once.Do(func() {
		m.end()
		m.set.Close()
	})
}

// startServers starts the MCP servers that a session's client has sent, in the place of those that an earlier opening of it
// has left. It waits for none.
func (c *Coder) startServers(s *agent.Session, state *session) {
	given := s.MCPServers()
	var m *servers
	if len(given) > 0 {
		m = c.newServers(s, state, given)
	}
	before := state.desk.mcp.replace(m)
	if m != nil {
		c.background.endWith(s.Conn(), state)
	}
	if before != nil && !c.background.begin(before.close) {
		before.close()
	}
}

func (c *Coder) newServers(s *agent.Session, state *session, given []acp.MCPServer) *servers {
	m := &servers{join: time.Now().Add(c.joinTime)}
	m.over, m.end = context.WithCancel(context.Background())
	state.mu.Lock() // what is told at once finds them there
	defer state.mu.Unlock()
	state.servers = m
	m.set = mcp.Start(m.over, given, mcp.Options{
		Client: acp.Implementation{Name: "patchbay", Title: "Patchbay", Version: c.version},
		Dir:    s.CWD(), Roots: s.Roots(),
		OnStatus: func(status mcp.Status) { m.tell(s, state, status) },
		OnChange: func() {
			if m.over.Err() == nil {
				_ = c.refreshCommands(m.over, s, state, false) // fails only when the session is over
			}
		},
		Elicit: func(ctx context.Context, e mcp.Elicitation) (acp.ElicitationAction, error) {
			return m.elicit(ctx, s, e)
		},
		ElicitURL: true,
	})
	return m
}

// tell tells the user what is wrong with a server (F110, F113). That one is ready is what everybody expects.
func (m *servers) tell(s *agent.Session, state *session, status mcp.Status) {
	if notice, ok := noticeOf(status); ok && m.over.Err() == nil {
		_ = state.inform(m.over, s, notice) // fails only when the session is over
	}
}

// mcpServers returns the MCP servers of the session, or of the one that it works for; nil if there are none.
func (s *session) mcpServers() *mcp.Set {
	if m := s.theServers(); m != nil {
		return m.set
	}
	return nil
}

func (s *session) theServers() *servers {
	s = s.user()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.servers
}

// awaitServers waits for MCP servers that are starting, if the session has only just been opened: its first prompt may well
// be about them.
func (s *session) awaitServers(ctx context.Context) {
	s.mu.Lock()
	m := s.servers
	s.mu.Unlock()
	if m == nil {
		return
	}
	ctx, stop := context.WithDeadline(ctx, m.join)
	defer stop()
	_ = m.set.Wait(ctx) // what isn't there by then joins later
}

// offered are the tools that the model can call now, in the mode of this request: MCP servers may have others than at the
// last one.
func (x *exchange) offered() []model.Tool {
	now := x.modeAsked()
	all := slices.DeleteFunc(slices.Clone(x.coder.offered), func(t model.Tool) bool { return !now.has(t.Name) })
	set := x.session.mcpServers()
	if set == nil || !now.servers {
		return all
	}
	for _, t := range set.Tools() {
		all = append(all, model.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	return all
}

// serving has the servers of a session while it may have others.
type serving struct {
	mu     sync.Mutex
	now    *servers
	closed bool
}

// replace puts servers in the place of others, which it returns to be closed. Once all is closed, those are what came.
func (v *serving) replace(m *servers) (before *servers) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.closed {
		return m
	}
	before, v.now = v.now, m
	return before
}

// close ends the servers, and those that come later.
func (v *serving) close() {
	v.mu.Lock()
	m := v.now
	v.closed = true
	v.mu.Unlock()
	if m != nil {
		m.close()
	}
}
