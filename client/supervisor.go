package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// Defaults of the SupervisorOptions.
const (
	DefaultReopenTimeout = 60 * time.Second
	DefaultHealthy       = time.Minute
)

// ErrGaveUp is in the errors of a Supervisor that starts its agent no more. They say why the last start failed, or how the
// agent ended.
var ErrGaveUp = errors.New("the agent is not started any more")

// A Launch starts an agent and shakes hands with it. LaunchCommand and LaunchStream make one.
type Launch func(ctx context.Context, h Handler, o Options) (*Client, error)

// LaunchCommand returns what starts a command as Spawn does. What is done to cmd afterwards changes nothing (F90).
func LaunchCommand(cmd transport.Command) Launch {
	cmd.Args, cmd.Env = slices.Clone(cmd.Args), slices.Clone(cmd.Env)
	return func(ctx context.Context, h Handler, o Options) (*Client, error) { return Spawn(ctx, cmd, h, o) }
}

// LaunchStream returns what dials an agent and goes on as Connect does. Dialling has the time of Options.InitTimeout.
func LaunchStream(dial func(ctx context.Context) (jsonrpc.Stream, error)) Launch {
	return func(ctx context.Context, h Handler, o Options) (*Client, error) {
		o = o.withDefaults()
		dialling := ctx
		if o.InitTimeout > 0 {
			var cancel context.CancelFunc
			dialling, cancel = context.WithTimeoutCause(ctx, o.InitTimeout, errInitTimeout)
			defer cancel()
		}
		stream, err := dial(dialling)
		if err != nil {
			return nil, fmt.Errorf("reach the agent: %w", err)
		}
		return Connect(ctx, stream, h, o)
	}
}

// SupervisorOptions adjust a Supervisor. The zero value is sensible.
type SupervisorOptions struct {
	// Client is the options of each connection. Its InitTimeout is the time that each start has, which nothing else
	// shares (F94).
	Client Options

	// Restart says how often the agent is started in a row, the start that failed first included, and after what pauses:
	// by default five times, 1, 2, 4 and 8 s apart. An agent that has lived for Healthy begins a new row. Recovery tells what
	// the errors of this peer mean, by default what Client.Codes say. Repair and Waiting are not used.
	Restart Retry

	// Healthy is how long an agent has to live for its end not to count as one more failure. Default 1 min.
	Healthy time.Duration

	// ReopenTimeout is how long the agent may take to open a session again, the user's signing in included. Default 60 s.
	ReopenTimeout time.Duration

	// NewSessions lets a new session take the place of one that the agent does not have any more, or refuses to open again
	// for a reason that does not pass. The agent remembers nothing then, so that the user has to be told: SessionReplaced says
	// so. Default: such a session is lost, and SessionLost says so (F72, F73).
	NewSessions bool

	// Event, if set, gets what happens, one after the other, and the first AgentStarted before Supervise returns. It must not
	// wait for the Supervisor or its sessions.
	Event func(SupervisorEvent)
}

// A SupervisorEvent is something that happens to an agent or its sessions: *AgentStarted, *AgentCrashed, *AgentRestarting,
// *SessionResumed, *SessionReplaced, *SessionLost or *SupervisorGaveUp.
type SupervisorEvent interface{ supervisorEvent() }

// AgentStarted says that the agent has been started, and the handshake is done.
type AgentStarted struct{ Client *Client }

// AgentCrashed says that the agent has ended though nobody had closed it. All that was under way has failed or is about
// to, with the same error.
type AgentCrashed struct {
	// Err is a *jsonrpc.ClosedError, and of an agent's process wraps a *transport.ExitError: the exit status and the last
	// words.
	Err error
}

// AgentRestarting says that the agent will be started again.
type AgentRestarting struct {
	Failures int           // in a row
	Pause    time.Duration // until the start
	Err      error         // the last one
}

// SessionResumed says that a session is open again. Its Session is another one now. If the agent could resume it, its State
// is the one that it was; if it had to be loaded the State is new and has what the agent sent as history, which the Handler
// is not shown again.
type SessionResumed struct {
	Session *SupervisedSession
	Method  string // acp.MethodSessionResume or acp.MethodSessionLoad

	// Unrestored says that the session could not be put back into the mode, or to the model or the options, that it had.
	Unrestored error
}

// SessionReplaced says that a new session is in the place of one that is lost. The agent remembers nothing of that.
type SessionReplaced struct {
	Session *SupervisedSession
	Old     acp.SessionID
	Err     error // why the old one could not be opened again, nil if it was replaced by the caller's wish

	// Unrestored is as in SessionResumed.
	Unrestored error
}

// SessionLost says that a session could not be opened again. SupervisedSession.Replace begins a new one in its place; the
// next start tries the old one once more.
type SessionLost struct {
	Session *SupervisedSession
	Err     error
}

// SupervisorGaveUp says that the agent is not started any more. It is the last event.
type SupervisorGaveUp struct{ Err error }

func (*AgentStarted) supervisorEvent()     {}
func (*AgentCrashed) supervisorEvent()     {}
func (*AgentRestarting) supervisorEvent()  {}
func (*SessionResumed) supervisorEvent()   {}
func (*SessionReplaced) supervisorEvent()  {}
func (*SessionLost) supervisorEvent()      {}
func (*SupervisorGaveUp) supervisorEvent() {}

// A Supervisor keeps an agent running: when it ends it is started again, and its sessions are opened again. It belongs to
// one Launch for good, so that no session ever comes to speak to another agent (F90). All methods are safe for concurrent
// use.
//
// What was under way when the agent ended fails at once (W8), and is not done again by the Supervisor: only the caller knows
// whether it can be done twice.
type Supervisor struct {
	launch  Launch
	handler Handler
	opts    SupervisorOptions
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	done    chan struct{} // closed by run, last of all

	work sync.WaitGroup // sessions that are opened again beside run; it grows, under mu, only while err is nil

	telling sync.Mutex // held while Event runs

	mu       sync.Mutex
	client   *Client // nil while there is none
	err      error   // why there will be none
	changed  chan struct{}
	sessions []*SupervisedSession
}

// Supervise starts an agent and keeps it running until Close. The first start is tried once, within ctx, which bounds
// nothing else; if it fails nothing is left.
func Supervise(ctx context.Context, launch Launch, h Handler, o SupervisorOptions) (*Supervisor, error) {
	if o.Restart.Recovery == nil {
		o.Restart.Recovery = o.Client.Codes.RecoveryOf
	}
	o.Restart = o.Restart.withDefaults()
	o.Healthy = cmp.Or(o.Healthy, DefaultHealthy)
	o.ReopenTimeout = cmp.Or(o.ReopenTimeout, DefaultReopenTimeout)
	c, err := launch(ctx, h, o.Client)
	if err != nil {
		return nil, err
	}
	v := &Supervisor{launch: launch, handler: h, opts: o, client: c, done: make(chan struct{}), changed: make(chan struct{})}
	v.ctx, v.cancel = context.WithCancel(context.WithoutCancel(ctx))
	v.tell(&AgentStarted{c})
	go v.run(c)
	return v, nil
}

// Close ends the agent and everything that waits for it, as Client.Close, and may be called anywhere. Wait waits until
// nothing is left. It always returns nil.
func (v *Supervisor) Close() error {
	v.cancel()
	v.end(&jsonrpc.ClosedError{})
	v.mu.Lock()
	c := v.client
	v.mu.Unlock()
	if c != nil {
		_ = c.Close()
	}
	return nil
}

// Wait waits until the agent is gone for good, and nothing of the Supervisor is left. It returns nil after Close, and an
// error that wraps ErrGaveUp if the agent is not started any more. It must not be called in a method of the Handler or in
// Event.
func (v *Supervisor) Wait() error {
	<-v.done
	if errors.Is(v.err, ErrGaveUp) { // it is never changed again
		return v.err
	}
	return nil
}

// Done is closed when the agent is gone for good.
func (v *Supervisor) Done() <-chan struct{} { return v.done }

// Client returns the connection to the agent, and waits for it while the agent is being started. It changes with each
// start. Closing it is an end of the agent like any other.
func (v *Supervisor) Client(ctx context.Context) (*Client, error) {
	return await(ctx, v, func() (*Client, error) {
		if c := v.client; c != nil && c.Err() == nil {
			return c, nil
		}
		return nil, nil
	})
}

// Sessions returns the sessions that are kept open, in the order in which they were opened.
func (v *Supervisor) Sessions() []*SupervisedSession {
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.Clone(v.sessions)
}

// Session returns the session that has an id at present, nil if there is none.
func (v *Supervisor) Session(id acp.SessionID) *SupervisedSession {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, s := range v.sessions {
		if s.request.SessionID == id {
			return s
		}
	}
	return nil
}

// await waits until look, which is called with v.mu held, returns something or an error.
func await[T any](ctx context.Context, v *Supervisor, look func() (*T, error)) (*T, error) {
	for {
		v.mu.Lock()
		found, err := look()
		if err == nil && found == nil {
			err = v.err
		}
		changed := v.changed
		v.mu.Unlock()
		if err != nil || found != nil {
			return found, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, fmt.Errorf("wait for the agent to be started again: %w", context.Cause(ctx))
		}
	}
}

// changeLocked wakes those who await something.
func (v *Supervisor) changeLocked() {
	close(v.changed)
	v.changed = make(chan struct{})
}

func (v *Supervisor) tell(e SupervisorEvent) {
	if v.opts.Event == nil {
		return
	}
	v.telling.Lock()
	defer v.telling.Unlock()
	v.opts.Event(e)
}
