package client

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// A Session is a conversation with the agent, opened by one of the Client's methods. Its State has everything that its
// updates have said so far.
//
// It ends with Close or with the connection. Sessions of subagents (Parent) begin when the agent first names them in an update
// of its own or, if it only names them in a tool call, with their first update; and end with their parent, or when there are
// more than a thousand and they have done their work: those that came first go first. Two thousand that have not are as many
// as there can be. What a child session's updates say without a Session goes to a ConnectionHandler.
type Session struct {
	id     acp.SessionID
	client *Client
	parent *Session
	roots  []string // the working directory first
	state  *State
	said   *opened // the answer that opened it; nil for a subagent's, and while it is being opened

	released atomic.Bool   // ready is closed
	ready    chan struct{} // closed when what was held for the session has been handled (W12)
	ended    chan struct{} // closed by end
	streams  streams
	calls    calls
	tools    tools

	// wire is held, by sending to it, while a prompt or a cancel is handed to the writer, so that each cancel stands on
	// the wire where it belongs (T3).
	wire chan struct{}
	live atomic.Pointer[Turn] // that updates may belong to

	// replay is the request that loads the session anew, whose updates the Handler has seen before; nil if there is none.
	replay atomic.Pointer[jsonrpc.Pending]

	// Guarded by Client.mu.
	over bool
	idle bool  // a subagent's that is not at work, as the agent has said last
	turn *Turn // that runs
	asks map[*ask]struct{}

	allowances []*acp.RequestPermissionRequest // of the turn
}

func newSession(c *Client, id acp.SessionID, cwd string, more []string) *Session {
	return &Session{
		id:     id,
		client: c,
		roots:  append([]string{cwd}, more...),
		state:  new(State),
		ready:  make(chan struct{}),
		ended:  make(chan struct{}),
		wire:   make(chan struct{}, 1),
		asks:   map[*ask]struct{}{},
	}
}

// ID returns the session's id.
func (s *Session) ID() acp.SessionID { return s.id }

// Client returns the connection that the session belongs to.
func (s *Session) Client() *Client { return s.client }

// CWD returns the session's working directory.
func (s *Session) CWD() string { return s.roots[0] }

// Roots returns the directories that the session works in, the working directory first.
func (s *Session) Roots() []string { return append([]string(nil), s.roots...) }

// State returns what the session's updates have said so far.
func (s *Session) State() *State { return s.state }

// Parent returns the session that this one is a subagent of, nil for an ordinary session.
func (s *Session) Parent() *Session { return s.parent }

// Done is closed when the session has ended.
func (s *Session) Done() <-chan struct{} { return s.ended }

// Turn returns the turn that runs, nil if none does.
func (s *Session) Turn() *Turn {
	s.client.mu.RLock()
	defer s.client.mu.RUnlock()
	return s.turn
}

// handle takes an update in the session's worker.
func (s *Session) handle(ctx context.Context, req *jsonrpc.Request, n *acp.SessionNotification) {
	if !s.released.Load() {
		select {
		case <-s.ready:
		case <-ctx.Done():
		}
	}
	s.deliver(ctx, req, n, len(req.Params))
}

// deliver shows an update to everyone. Loops come before the Handler, which may panic. The request, in which it came, is
// nil for an update that was held.
func (s *Session) deliver(ctx context.Context, req *jsonrpc.Request, n *acp.SessionNotification, size int) {
	child, isChild := n.Update.(*acp.SubagentUpdate)
	if isChild {
		s.client.adopt(s, child)
	}
	if s.client.opts.IdleTimeout > 0 {
		s.root().tools.see(s.id, n.Update)
	}
	turn := s.turnOf(req)
	turn.listen(n.Update)
	if s.parent != nil && speaks(n.Update) {
		s.acts() // for its parent's turn
	}
	unpin(n.Update, size)
	s.state.Apply(n.Update)
	if isChild {
		s.client.heardOfChild(child)
	}
	for _, q := range s.streams.all() {
		if q.turn == nil || q.turn == turn {
			q.push(n.Update, size)
		}
	}
	if s.replays(req) {
		return
	}
	if s.client.whole != nil {
		s.client.whole.SessionNotification(ctx, s, n)
		return
	}
	s.client.handler.Update(ctx, s, n.Update)
}

// turnOf returns the turn that an update belongs to, nil if there is none: the one whose prompt had been handed to the
// writer, and whose answer had not been read, when the update was read. When it is handled does not matter.
func (s *Session) turnOf(req *jsonrpc.Request) *Turn {
	t := s.live.Load()
	if t == nil || req == nil || !t.covers(req) {
		return nil
	}
	t.enter()
	return t
}

// release lets the session's worker go on. A session whose id was known beforehand is released twice.
func (s *Session) release() {
	if !s.released.Swap(true) {
		close(s.ready)
	}
}

func (s *Session) root() *Session {
	for s.parent != nil {
		s = s.parent
	}
	return s
}

// lockWire waits for its turn to hand a prompt or a cancel to the writer.
func (s *Session) lockWire(ctx context.Context) error {
	select {
	case s.wire <- struct{}{}:
		return nil
	case <-s.client.conn.Done():
		return s.client.conn.Err()
	case <-ctx.Done():
		return fmt.Errorf("wait to send to session %s: %w", s.id, context.Cause(ctx))
	}
}

func (s *Session) unlockWire() { <-s.wire }

// end ends the session on this side, once, and its subagents' with it.
func (s *Session) end() {
	c := s.client
	c.mu.Lock()
	if s.over {
		c.mu.Unlock()
		return
	}
	s.over = true
	if c.sessions[s.id] == s {
		delete(c.sessions, s.id)
	}
	if s.parent != nil {
		c.children = slices.DeleteFunc(c.children, func(child *Session) bool { return child == s })
	}
	maps.DeleteFunc(c.named, func(_ acp.SessionID, parent *Session) bool { return parent == s })
	var children []*Session
	for _, other := range c.children {
		if other.parent == s {
			children = append(children, other)
		}
	}
	c.cancelAsksLocked(s)
	c.mu.Unlock()
	close(s.ended)
	for _, child := range children {
		child.end()
	}
	for _, q := range s.streams.all() {
		s.streams.remove(q)
	}
	for _, e := range c.enders {
		e.SessionEnded(s)
	}
}

// Close ends the session: what it is doing is cancelled, the agent is told if it can be (session/close), and the
// session is forgotten on this side in any case. It waits for the cancelled turn, at most Options.CancelGrace.
func (s *Session) Close(ctx context.Context) error {
	defer s.end()
	if t := s.Turn(); t != nil {
		if err := t.Cancel(ctx); err != nil {
			return err
		}
		select {
		case <-t.Done():
		case <-ctx.Done():
			return fmt.Errorf("close session %s: %w", s.id, context.Cause(ctx))
		}
	}
	if s.parent != nil || s.client.Capabilities().SessionCapabilities.Close == nil {
		return nil
	}
	_, err := sessionRequest[acp.CloseSessionResponse](ctx, s, acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: s.id})
	return err
}

// SetMode puts the session into another mode.
func (s *Session) SetMode(ctx context.Context, id acp.SessionModeID) error {
	_, err := sessionRequest[acp.SetSessionModeResponse](ctx, s, acp.MethodSessionSetMode,
		&acp.SetSessionModeRequest{SessionID: s.id, ModeID: id})
	if err != nil {
		return err
	}
	s.state.Apply(&acp.CurrentModeUpdate{CurrentModeID: id}) // agents need not send it in answer to the client's own wish
	return nil
}

// SetModel lets the session use another of State.Models: those of an agent that names its models in the answer that opened
// the session, and takes session/set_model. The protocol has configuration options of the category model instead, for
// which there is SetConfigOption.
func (s *Session) SetModel(ctx context.Context, id string) error {
	known := func(m Model) bool { return m.ID == id }
	if models := s.state.Models().Available; !slices.ContainsFunc(models, known) {
		return fmt.Errorf("session/set_model: the agent has named %d models, and none of them is %q", len(models), id)
	}
	ctx, leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	params := map[string]string{"sessionId": string(s.id), "modelId": id}
	if err := s.client.conn.Call(ctx, "session/set_model", params, nil); err != nil {
		return err
	}
	s.state.SetModel(id)
	return nil
}

// SetConfigOption gives a configuration option another value, &acp.SetConfigValueID or &acp.SetConfigBoolean. The State
// has all options afterwards, since one may change others.
func (s *Session) SetConfigOption(ctx context.Context, id acp.SessionConfigID, value acp.SetConfigValue) error {
	resp, err := sessionRequest[acp.SetSessionConfigOptionResponse](ctx, s, acp.MethodSessionSetConfigOption,
		&acp.SetSessionConfigOptionRequest{SessionID: s.id, ConfigID: id, Value: value})
	if err != nil {
		return err
	}
	s.state.Apply(&acp.ConfigOptionUpdate{ConfigOptions: resp.ConfigOptions})
	return nil
}

// SetTitle gives the session a title and returns the one that the agent stored.
//
// Unstable: not part of the specification yet.
func (s *Session) SetTitle(ctx context.Context, title string) (string, error) {
	return s.client.SetSessionTitle(ctx, s.id, title)
}

// sessionRequest makes a call of the protocol for an open session.
func sessionRequest[R any](ctx context.Context, s *Session, method string, params any) (*R, error) {
	ctx, leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	return request[R](ctx, s.client, method, params)
}

// requestFor makes a call of the protocol for a session that may be open.
func requestFor[R any](ctx context.Context, c *Client, id acp.SessionID, method string, params any) (*R, error) {
	if s := c.Session(id); s != nil {
		return sessionRequest[R](ctx, s, method, params)
	}
	return request[R](ctx, c, method, params)
}

// calls are the calls for a session that are under way. One made within a loop over the session's updates would never
// be answered if the loop held up the updates before the answer; so while there are calls, loops hold up nothing, and
// at overload times the budget the calls fail (W6).
type calls struct {
	mu   sync.Mutex
	open map[*context.CancelCauseFunc]struct{}
}

// enter notes a call. Its context is what the call must use.
func (s *Session) enter(ctx context.Context) (context.Context, func(), error) {
	select {
	case <-s.ended:
		if err := s.client.conn.Err(); err != nil {
			return nil, nil, err
		}
		return nil, nil, fmt.Errorf("session %s: %w", s.id, ErrSessionClosed)
	default:
	}
	ctx, cancel := context.WithCancelCause(ctx)
	s.calls.mu.Lock()
	if s.calls.open == nil {
		s.calls.open = map[*context.CancelCauseFunc]struct{}{}
	}
	s.calls.open[&cancel] = struct{}{}
	s.calls.mu.Unlock()
	for _, q := range s.streams.all() {
		signal(q.room)
	}
	return ctx, func() {
		s.calls.mu.Lock()
		delete(s.calls.open, &cancel)
		s.calls.mu.Unlock()
		cancel(nil)
	}, nil
}

// admits reports whether streams may come to hold so many bytes.
func (s *Session) admits(bytes int64) bool {
	budget := int64(s.client.opts.Budget)
	if bytes <= budget {
		return true
	}
	s.calls.mu.Lock()
	defer s.calls.mu.Unlock()
	if len(s.calls.open) > 0 && bytes > overload*budget {
		for cancel := range s.calls.open {
			(*cancel)(jsonrpc.ErrOverloaded)
		}
		clear(s.calls.open)
	}
	return len(s.calls.open) > 0
}

// checkPaths refuses directories that are not absolute, be it here or on a system of another kind, where the agent may
// run.
func checkPaths(method, cwd string, more []string) error {
	if !isAbs(cwd) {
		return fmt.Errorf("%s: the working directory must be an absolute path, not %q", method, cwd)
	}
	for _, dir := range more {
		if !isAbs(dir) {
			return fmt.Errorf("%s: additional directories must be absolute paths, not %q", method, dir)
		}
	}
	return nil
}

func isAbs(path string) bool {
	if filepath.IsAbs(path) || strings.HasPrefix(path, "/") || strings.HasPrefix(path, `\\`) {
		return true
	}
	return len(path) >= 3 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
}
