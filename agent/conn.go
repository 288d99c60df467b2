package agent

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// Serve is an agent on standard input and output. It returns nil when the client has gone away and ctx's error when ctx
// ends; any other error is one about the start, or about the connection.
//
// Serve takes standard input and output away from everyone else, see transport.Stdio: what the program prints goes to
// standard error from then on. It can be called once. When the client goes away, turns are cancelled, and handlers have
// Options.Grace to return (F80).
func Serve(ctx context.Context, a Agent, o Options) error {
	if err := o.check(a); err != nil {
		return err
	}
	stream, err := transport.Stdio()
	if err != nil {
		return err
	}
	defer func() { _ = stream.Close() }()
	c, err := Connect(stream, a, o)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	if err := c.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// Connect is an agent on any stream, which it owns from now on. The error is about a or o; the stream is untouched then.
func Connect(stream jsonrpc.Stream, a Agent, o Options) (*Conn, error) {
	if err := o.check(a); err != nil {
		return nil, err
	}
	o.setDefaults()
	c := &Conn{
		agent: a, opts: o,
		services: bind(a),
		sessions: map[acp.SessionID]*Session{},
		started:  make(chan struct{}),
		finished: make(chan struct{}),
		greeted:  make(chan struct{}),
	}
	c.capabilities = c.services.capabilities(&c.opts)
	c.rpc = jsonrpc.NewConn(stream, c, jsonrpc.Options{
		KeyMember:       acp.SessionKeyMember,
		Key:             acp.SessionKey,
		MaxMessageBytes: o.MaxMessageBytes,
		Budget:          o.Budget,
		AnswerNoise:     true,
		Preempt:         c.preempt,
		Observe:         o.Observe,
		Diagnose:        c.diagnose,
		HandlerGrace:    o.Grace,
	})
	if o.OnStart != nil {
		o.OnStart(c)
	}
	close(c.started)
	go c.supervise()
	return c, nil
}

// A Conn is an agent's connection to one client.
type Conn struct {
	agent        Agent
	opts         Options
	services     services
	capabilities acp.AgentCapabilities
	rpc          *jsonrpc.Conn

	started  chan struct{} // closed by Connect once rpc is set
	finished chan struct{} // closed by supervise when handlers have returned, or their grace is over

	client         atomic.Pointer[acp.InitializeRequest] // nil before initialize
	initialRequest atomic.Pointer[jsonrpc.Request]       // the initialize that was accepted, until it is answered
	initializing   atomic.Bool                           // that was read
	greeted        chan struct{}                         // closed when its answer has been handed to the writer
	noPermissions  atomic.Bool                           // the client has no session/request_permission

	mu       sync.Mutex // guards what follows
	sessions map[acp.SessionID]*Session
	children map[acp.SessionID]*Session // that are at work; nil if none ever was
}

type connKey struct{}

// ConnOf returns the connection whose client called a method of the Agent, given the context of that call; otherwise nil.
func ConnOf(ctx context.Context) *Conn {
	c, _ := ctx.Value(connKey{}).(*Conn)
	return c
}

// Wait waits until the connection has ended and handlers have returned, or Options.Grace is over. It returns nil if the
// client has gone away or Close was called. It must not be called inside a handler.
func (c *Conn) Wait() error {
	<-c.finished
	var ended *jsonrpc.ClosedError
	err := c.rpc.Err()
	if errors.As(err, &ended) && (ended.Cause == nil || errors.Is(ended.Cause, io.EOF)) {
		return nil
	}
	return err
}

// Close ends the connection at once, also inside a handler. It waits for nothing and returns nil.
func (c *Conn) Close() error { return c.rpc.Close() }

// Done is closed when the connection has ended. Handlers may still be running; Wait waits for them.
func (c *Conn) Done() <-chan struct{} { return c.rpc.Done() }

// supervise ends what is going on when the client has gone, since nobody will see it (F80). It is the connection's own
// goroutine, and ends with it.
func (c *Conn) supervise() {
	defer close(c.finished)
	<-c.rpc.Done()
	for _, s := range c.Sessions() {
		s.cancelTurn(errConnectionEnded, "")
	}
	returned := make(chan struct{})
	go func() { // ends when the last handler returns
		_ = c.rpc.Wait()
		close(returned)
	}()
	grace := time.NewTimer(c.opts.Grace)
	defer grace.Stop()
	select {
	case <-returned:
	case <-grace.C:
		c.opts.Logger.Warn("handlers go on although the client has gone", "after", c.opts.Grace)
	}
}

// ClientInfo names the client's program. It is nil before initialize, and if the client does not say.
func (c *Conn) ClientInfo() *acp.Implementation {
	if req := c.client.Load(); req != nil {
		return req.ClientInfo
	}
	return nil
}

// ClientCapabilities are what the client can do. Before initialize that is nothing.
func (c *Conn) ClientCapabilities() acp.ClientCapabilities { return *c.clientCapabilities() }

func (c *Conn) clientCapabilities() *acp.ClientCapabilities {
	if req := c.client.Load(); req != nil {
		return &req.ClientCapabilities
	}
	return &acp.ClientCapabilities{}
}

// Capabilities are what this agent advertises.
func (c *Conn) Capabilities() acp.AgentCapabilities { return c.capabilities }

// Sessions returns the open sessions, ordered by id.
func (c *Conn) Sessions() []*Session {
	c.mu.Lock()
	open := make([]*Session, 0, len(c.sessions))
	for _, s := range c.sessions {
		open = append(open, s)
	}
	c.mu.Unlock()
	slices.SortFunc(open, func(a, b *Session) int { return strings.Compare(string(a.ID()), string(b.ID())) })
	return open
}

// Session returns an open session, or nil.
func (c *Conn) Session(id acp.SessionID) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[id]
}

// add opens a session in the place of one with its id.
func (c *Conn) add(s *Session) (before *Session) {
	id := s.ID()
	c.mu.Lock()
	defer c.mu.Unlock()
	before = c.sessions[id]
	c.sessions[id] = s
	return before
}

func (c *Conn) remove(s *Session) {
	id := s.ID()
	c.mu.Lock()
	if c.sessions[id] == s {
		delete(c.sessions, id)
	}
	c.mu.Unlock()
	s.close()
}

// Call calls a method of the client's, an extension as a rule. A method of the protocol that the client did not
// advertise is refused with an *acp.UnsupportedError before a byte is written (W11). An error that the client answers
// with is a *CallError.
func (c *Conn) Call(ctx context.Context, method string, params, result any) error {
	if m := acp.RequestMethod(acp.ToClient, method); m != nil {
		if err := m.Check(&c.capabilities, c.clientCapabilities()); err != nil {
			return err
		}
	}
	return asCallError(method, c.rpc.Call(ctx, method, params, result))
}

// Notify sends the client a notification, an extension as a rule. What the client did not advertise is refused as by
// Call. Updates of a session are better sent through the Session, which knows the fallbacks.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	if m := acp.NotificationMethod(acp.ToClient, method); m != nil {
		if err := m.Check(&c.capabilities, c.clientCapabilities()); err != nil {
			return err
		}
	}
	return c.rpc.Notify(ctx, method, params)
}

// AuthStatusChanged tells the client that the state of authentication has changed. It needs an AuthStatusReporter.
//
// Unstable: not part of the specification yet.
func (c *Conn) AuthStatusChanged(ctx context.Context, status acp.AuthStatusUpdateNotification) error {
	return c.Notify(ctx, acp.MethodAuthStatusUpdate, &status)
}

// CallMCP sends a request to an MCP server that the client keeps. It needs Options.MCP.ACP.
//
// Unstable: not part of the specification yet.
func (c *Conn) CallMCP(ctx context.Context, req acp.MessageMCPRequest) (*acp.MessageMCPResponse, error) {
	var answer acp.MessageMCPResponse
	if err := c.Call(ctx, acp.MethodMCPMessage, &req, &answer); err != nil {
		return nil, err
	}
	return &answer, nil
}

func (c *Conn) diagnose(d jsonrpc.Diagnostic) {
	c.opts.Logger.Warn("ACP connection", "kind", d.Kind.String(), "method", d.Method, "error", d.Err, "text", d.Text)
}
