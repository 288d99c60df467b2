package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Session is a conversation with its client. It lives until it is closed or its connection ends.
//
// Its updates may be sent at any time. What belongs to a turn is better sent through the Turn, which sees to it that it
// leaves before the turn's answer.
type Session struct {
	conn    *Conn
	cwd     string
	roots   []string
	servers []acp.MCPServer
	system  *acp.SystemPrompt
	meta    acp.Meta
	child   *childhood // nil for a session that the client has opened

	unique string // makes ids different from those of this session in another process
	count  atomic.Uint64

	holding  atomic.Bool   // updates wait for the answer that names the session (W12)
	released chan struct{} // closed when they don't any more; nil if they never did

	fallback  fallback
	history   history
	recording atomic.Pointer[recording] // nil if nothing is recorded

	mu        sync.Mutex // guards everything below; never held while sending
	id        acp.SessionID
	value     any
	turn      *Turn // the turn that was accepted and has not ended
	answering *Turn // the last one that has ended and whose answer has not been handed to the writer
	closing   bool
	closed    bool
	asking    context.Context         // ends what the session asks of its client, outside of turns, when the session is closed
	endAsking context.CancelCauseFunc // of asking
	held      []acp.SessionUpdate
	heldBytes int
	terminals map[*Terminal]struct{} // those that have not been released
}

// newSession returns a session for a request that opens it. An empty id is chosen.
func newSession(c *Conn, id acp.SessionID, o *opening) *Session {
	s := &Session{
		conn: c, id: id, cwd: o.cwd, servers: o.servers, system: o.system, meta: o.meta,
		roots:  append([]string{o.cwd}, o.directories...),
		unique: strings.ToLower(rand.Text()[:8]),
	}
	if id == "" {
		s.id = acp.SessionID("sess_" + strings.ToLower(rand.Text()))
	}
	s.asking, s.endAsking = context.WithCancelCause(context.Background())
	s.history.limit = c.opts.HistoryBytes
	s.history.keep.Store(c.opts.KeepHistory)
	return s
}

// next returns an id that is new in this session.
func (s *Session) next(prefix string) string {
	return prefix + "_" + s.unique + "_" + strconv.FormatUint(s.count.Add(1), 10)
}

// ID names the session.
func (s *Session) ID() acp.SessionID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// Conn returns the connection to the session's client.
func (s *Session) Conn() *Conn { return s.conn }

// CWD returns the working directory, an absolute path.
func (s *Session) CWD() string { return s.cwd }

// Roots returns the absolute paths of the directories that the session works in, the working directory first.
func (s *Session) Roots() []string { return append([]string(nil), s.roots...) }

// MCPServers returns the MCP servers of the session, all of them of kinds that the agent advertises.
func (s *Session) MCPServers() []acp.MCPServer { return append([]acp.MCPServer(nil), s.servers...) }

// SystemPrompt returns the client's instructions for the session; nil if there are none.
//
// Unstable: not part of the specification yet.
func (s *Session) SystemPrompt() *acp.SystemPrompt { return s.system }

// Meta returns the _meta of the request that opened the session.
func (s *Session) Meta() acp.Meta { return s.meta }

// SetValue keeps anything of the author's with the session.
func (s *Session) SetValue(v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.value = v
}

// Value returns what SetValue has kept, nil if nothing.
func (s *Session) Value() any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.value
}

// Turn returns the turn that is running, or nil.
func (s *Session) Turn() *Turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turn
}

// resolve makes a path absolute: relative ones are meant from the working directory.
func (s *Session) resolve(path string) string { return absolute(s.cwd, path) }

// cancelTurn cancels the turn that is running, if any, and returns it. One that has ended and whose answer has not left is
// told so too: the cancel still wins (T1).
func (s *Session) cancelTurn(cause error, reason string) *Turn {
	s.mu.Lock()
	t := s.turn
	if t == nil || t.cancelled != nil {
		answering := s.answering
		s.mu.Unlock()
		if t == nil && answering != nil && answering.req != nil {
			answering.req.CancelledByPeer()
		}
		return t
	}
	t.cancelled, t.reason = cause, reason
	s.mu.Unlock()
	t.stop(cause)
	return t
}

// turnGrace is how long closing a session waits for a turn that does not end when it is cancelled.
const turnGrace = 10 * time.Second

// quiesce keeps new turns out, ends what the session asks of its client, cancels the turn that runs, and waits until its
// answer has been handed over. It waits no longer than ctx and turnGrace, since a handler may be deaf. Reopen undoes the
// first part.
func (s *Session) quiesce(ctx context.Context, reason string) error {
	s.mu.Lock()
	if s.closing {
		id := s.id
		s.mu.Unlock()
		return acp.ErrInvalidRequest("session %s is being closed already", id)
	}
	s.closing = true
	s.endAsking(ErrSessionClosed)
	s.asking, s.endAsking = context.WithCancelCause(context.Background()) // CloseSession may ask, and may fail
	s.mu.Unlock()
	t := s.cancelTurn(cancelledFor(reason), reason)
	if t != nil {
		grace := time.NewTimer(turnGrace)
		defer grace.Stop()
		select {
		case <-t.settled:
		case <-grace.C:
			s.conn.opts.Logger.Warn("a turn goes on although it was cancelled", "session", s.ID(), "after", turnGrace)
		case <-ctx.Done():
			s.reopen()
			return fmt.Errorf("wait for the turn to end: %w", context.Cause(ctx))
		}
	}
	s.releaseTerminals(context.WithoutCancel(ctx), nil)
	return nil
}

// End closes the session as if its client had: the turn is cancelled and waited for, with a reason for people, and CloseSession
// of a Closer is called. The client is not told, other than by the end of its turn and by the refusal of what it asks for next.
// It is for what one connection does to a session of another; no handler of the session itself may call it.
func (s *Session) End(ctx context.Context, reason string) error {
	free := func(context.Context, *Session) error { return nil }
	if closer, ok := s.conn.agent.(Closer); ok {
		free = closer.CloseSession
	}
	return s.conn.end(ctx, s, reason, free)
}

func (s *Session) reopen() {
	s.mu.Lock()
	s.closing = false
	s.mu.Unlock()
}

// close makes all further sending fail.
func (s *Session) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.closing = true, true
	s.endAsking(ErrSessionClosed)
	s.held = nil
	s.endHoldLocked()
}

// usable reports why requests about the session can't be made.
func (s *Session) usable() error {
	_, err := s.whileOpen()
	return err
}

// whileOpen returns a context that ends when the session is closed, or why requests about it can't be made.
func (s *Session) whileOpen() (context.Context, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, ErrSessionClosed
	case s.holding.Load():
		return nil, ErrNotOpen
	}
	return s.asking, nil
}

// call makes a request to the client about the session. It ends when the session is closed, and with it whatever the
// user is asked.
func (s *Session) call(ctx context.Context, method string, params, result any) error {
	ctx, stop, err := s.join(ctx)
	if err != nil {
		return err
	}
	defer stop()
	return asClosed(ctx, s.conn.Call(ctx, method, params, result))
}

// join returns a context for a request to the client: it ends with ctx and when the session is closed.
func (s *Session) join(ctx context.Context) (context.Context, context.CancelFunc, error) {
	open, err := s.whileOpen()
	if err != nil {
		return nil, nil, err
	}
	joined, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(open, func() { cancel(context.Cause(open)) })
	return joined, func() {
		stop()
		cancel(nil)
	}, nil
}

// asClosed puts ErrSessionClosed in the place of the error of something that ended because the session was closed.
func asClosed(ctx context.Context, err error) error {
	if errors.Is(err, context.Canceled) && errors.Is(context.Cause(ctx), ErrSessionClosed) {
		return ErrSessionClosed
	}
	return err
}
