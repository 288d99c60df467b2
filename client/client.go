package client

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/rawjson"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// A Client is a connection to an agent. Spawn and Connect make one. All methods are safe for concurrent use; inside a
// method of the Handler, calls must use the context that the method was given.
//
// When the connection ends, everything that waits for the agent fails with an error that says why: a
// *jsonrpc.ClosedError, which for an agent's process wraps a *transport.ExitError with its exit status and last words
// (W8). What the agent itself answers is an *acp.Error and never means that the connection is broken (F89).
type Client struct {
	conn    *jsonrpc.Conn
	process *transport.Process // nil unless spawned
	command *transport.Command // likewise
	handler Handler
	whole   NotificationHandler // the handler, if it is one
	opts    Options
	caps    acp.ClientCapabilities
	routes  map[string]route
	init    acp.InitializeResponse // fixed once Connect has returned
	noise   noise
	auth    signIn
	enders  []SessionEnder

	retained atomic.Int64  // bytes of updates that wait in streams
	asked    atomic.Int64  // requests of the agent that are being served
	active   atomic.Int64  // when a frame last crossed the wire, in Unix nanoseconds; kept only if IdleTimeout is set
	closing  chan struct{} // closed by Close and when the connection has ended
	finished chan struct{} // closed by supervise, last of all

	// work counts turns and the goroutines that ask the Handler something. It grows only while over is false.
	work sync.WaitGroup

	mu       sync.RWMutex
	over     bool // the connection has ended and its handlers have returned
	shut     bool // closing is closed
	sessions map[acp.SessionID]*Session
	children []*Session                 // those of sessions that are subagents', in the order in which they came
	named    map[acp.SessionID]*Session // the parents of child sessions that tool calls have named
	hold     hold
}

// AgentInfo names the agent's program, nil if it did not say.
func (c *Client) AgentInfo() *acp.Implementation { return c.init.AgentInfo }

// Capabilities returns what the agent advertised. It must not be changed.
func (c *Client) Capabilities() *acp.AgentCapabilities { return &c.init.AgentCapabilities }

// AuthMethods returns the ways to sign in that the agent offers, in its order.
func (c *Client) AuthMethods() []acp.AuthMethod { return c.init.AuthMethods }

// ProtocolVersion returns the version that both sides speak.
func (c *Client) ProtocolVersion() acp.ProtocolVersion { return c.init.ProtocolVersion }

// Initialized returns the whole of the agent's answer to initialize. It must not be changed.
func (c *Client) Initialized() *acp.InitializeResponse { return &c.init }

// Advertised returns what the agent was told that this client can do.
func (c *Client) Advertised() acp.ClientCapabilities { return c.caps }

// Process returns the agent's process, nil unless Spawn started it.
func (c *Client) Process() *transport.Process { return c.process }

// Session returns an open session, nil if there is none of that id.
func (c *Client) Session(id acp.SessionID) *Session {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.sessions[id]
}

// Sessions returns all open sessions, in no order, those of subagents included.
func (c *Client) Sessions() []*Session {
	c.mu.RLock()
	defer c.mu.RUnlock()
	list := make([]*Session, 0, len(c.sessions))
	for _, s := range c.sessions {
		list = append(list, s)
	}
	return list
}

// Close ends the connection at once and may be called anywhere. An agent's process is led out in the background: its
// input ends, and what does not end with it is terminated and then killed (transport.Command has the times), with all
// that it started. Wait waits for that. It always returns nil.
func (c *Client) Close() error {
	c.shutDown()
	return c.conn.Close()
}

// Wait waits until the connection has ended, all methods of the Handler have returned and the agent's process, if Spawn
// started one, is gone with all its descendants. It returns Err and must not be called inside a method of the Handler.
func (c *Client) Wait() error {
	<-c.finished
	return c.conn.Err()
}

// Done is closed when the connection has ended. Err then says why.
func (c *Client) Done() <-chan struct{} { return c.conn.Done() }

// Err returns nil while the connection lives, and then a *jsonrpc.ClosedError.
func (c *Client) Err() error { return c.conn.Err() }

// Call calls an extension method of the agent, whose name begins with an underscore. Params and result are as for
// jsonrpc.Conn.Call. Methods of the protocol have functions of their own; here they are refused unless the agent
// advertised them (W11).
func (c *Client) Call(ctx context.Context, method string, params, result any) error {
	if m := acp.RequestMethod(acp.ToAgent, method); m != nil {
		if err := c.gate(m); err != nil {
			return err
		}
	}
	s := c.sessionOf(method, params)
	if s == nil {
		return c.conn.Call(ctx, method, params, result)
	}
	ctx, leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return c.conn.Call(ctx, method, params, result)
}

// sessionOf returns the open session that a call belongs to, nil if there is none.
func (c *Client) sessionOf(method string, params any) *Session {
	text, err := json.Marshal(params, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return nil // the call will say so
	}
	return c.Session(acp.SessionID(acp.SessionKey(method, text, rawjson.Get(text, acp.SessionKeyMember))))
}

// Notify sends an extension notification to the agent, as Call.
func (c *Client) Notify(ctx context.Context, method string, params any) error {
	if m := acp.NotificationMethod(acp.ToAgent, method); m != nil {
		if err := c.gate(m); err != nil {
			return err
		}
	}
	return c.conn.Notify(ctx, method, params)
}

// gate refuses a method that the agent did not advertise (W11).
func (c *Client) gate(m *acp.Method) error { return m.Check(&c.init.AgentCapabilities, &c.caps) }

// request makes a call of the protocol.
func request[R any](ctx context.Context, c *Client, method string, params any) (*R, error) {
	if err := c.gate(acp.RequestMethod(acp.ToAgent, method)); err != nil {
		return nil, err
	}
	result := new(R)
	if err := c.conn.Call(ctx, method, params, result); err != nil {
		return nil, err
	}
	return result, nil
}

// begin counts a goroutine that supervise waits for. It returns false if it is too late for that.
func (c *Client) begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return false
	}
	c.work.Add(1)
	return true
}

// shutDown lets go of those who wait for a loop to take an update.
func (c *Client) shutDown() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.shut {
		c.shut = true
		close(c.closing)
	}
}

// supervise ends what belongs to the connection, after it.
func (c *Client) supervise() {
	_ = c.conn.Wait()
	c.shutDown()
	c.mu.Lock()
	c.over = true // first, so that no session is opened that nobody ends
	c.mu.Unlock()
	for _, s := range c.Sessions() {
		s.end()
	}
	c.work.Wait()
	if c.process != nil {
		_ = c.process.Wait(context.Background())
	}
	close(c.finished)
}

// kill ends the connection to an agent that does not react. What a process had written is still handled.
func (c *Client) kill() {
	if c.process != nil {
		c.process.Kill()
		return
	}
	_ = c.Close()
}

// codeOf returns the code of an agent's error, 0 if the error is not an agent's.
func codeOf(err error) int {
	var e *acp.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}
