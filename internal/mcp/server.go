package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
)

// A State is what has become of a server.
type State string

// The states of a server.
const (
	StateStarting   State = "starting"
	StateReady      State = "ready"
	StateRestarting State = "restarting" // it died, and gets a second chance
	StateFailed     State = "failed"     // for good
)

// A Status is the state of a server, without secrets.
type Status struct {
	Server string // its name
	State  State

	// Reason says why it failed, or why it had to be restarted. The last lines of its standard error are part of that.
	Reason string

	// Tools and Prompts are how many there are.
	Tools, Prompts int

	// Warnings are what was odd about it: tools that can't be offered, output that is no message. At most 20 are kept.
	Warnings []string
}

const (
	// steady is how long a server has to be up until its next death counts as the first: one that dies each day is not
	// broken.
	steady = 10 * time.Minute

	// pause is the least time between two lists, whatever a server says about changes.
	pause = 250 * time.Millisecond

	maxWarnings = 20
)

// A server is one of a set's, from its start to the set's end, through several lives perhaps.
type server struct {
	set     *Set
	config  acp.MCPServer
	name    string // for people, without secrets
	prefix  string // of its tools' names
	settled chan struct{}

	mu       sync.Mutex
	state    State
	reason   string
	live     *live         // while it is ready
	turned   chan struct{} // closed when state changes, and replaced then
	listed   inventory
	warnings []string
	calls    map[string]*call // in flight, by progress token
	asking   int              // questions to the user that are open
}

// An inventory is what a server has.
type inventory struct {
	tools   []*Tool
	prompts []*Prompt
}

func newServer(set *Set, config acp.MCPServer, name, prefix string) *server {
	return &server{
		set: set, config: config, name: name, prefix: prefix, state: StateStarting,
		settled: make(chan struct{}), turned: make(chan struct{}), calls: make(map[string]*call),
	}
}

// nameOfServer returns the name in a server's configuration.
func nameOfServer(config acp.MCPServer) string {
	switch c := config.(type) {
	case *acp.MCPServerStdio:
		return c.Name
	case *acp.MCPServerHTTP:
		return c.Name
	case *acp.MCPServerSSE:
		return c.Name
	case *acp.MCPServerACP:
		return c.Name
	case *acp.UnknownMCPServer:
		var named struct {
			Name string `json:"name"`
		}
		_ = json.Unmarshal(c.Raw, &named)
		return named.Name
	}
	return ""
}

// run is a server's life: a start, and once a second one (F115). It ends with the set.
func (s *server) run() {
	ctx := s.set.over
	settle := sync.OnceFunc(func() { close(s.settled) })
	defer settle()
	s.turn(StateStarting, "", nil)
	for restarted := false; ; {
		l, err := s.start(ctx)
		if err != nil {
			s.fail(ctx, err)
			return
		}
		born := time.Now()
		s.turn(StateReady, "", l)
		settle()
		reason := s.serve(ctx, l)
		l.close()
		if ctx.Err() != nil {
			s.fail(ctx, ErrClosed)
			return
		}
		if restarted && time.Since(born) < steady {
			s.fail(ctx, fmt.Errorf("it died again: %w", reason))
			return
		}
		restarted = true
		s.turn(StateRestarting, s.set.redactor.reason(reason.Error()), nil)
	}
}

// start brings a server up and finds out what it has, within the time for that.
func (s *server) start(ctx context.Context) (*live, error) {
	limit := s.set.options.StartTimeout
	tooLate := fmt.Errorf("it was not ready within %v", limit)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, tooLate)
	defer cancel()
	l, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.list(ctx, l); err != nil {
		err = l.explain(ctx, err)
		l.close()
		return nil, err
	}
	return l, nil
}

// serve looks after a server that is ready, until it dies or ctx ends, and says why it died.
func (s *server) serve(ctx context.Context, l *live) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.dead:
			return l.why()
		case <-l.stale:
		}
		refresh, cancel := context.WithTimeout(ctx, s.set.options.StartTimeout)
		err := s.list(refresh, l)
		cancel()
		if err != nil && !l.isDead() && ctx.Err() == nil {
			s.warn(fmt.Sprintf("its new list can't be had: %v", err))
		}
		rest := time.NewTimer(pause)
		select {
		case <-rest.C:
		case <-ctx.Done():
			rest.Stop()
		}
	}
}

// fail is a server's end.
func (s *server) fail(ctx context.Context, err error) {
	if ctx.Err() != nil {
		err = ErrClosed
	}
	s.turn(StateFailed, s.set.redactor.reason(err.Error()), nil)
}

// turn changes the state and tells the session, and whoever waits for it.
func (s *server) turn(state State, reason string, l *live) {
	s.mu.Lock()
	s.state, s.reason, s.live = state, reason, l
	close(s.turned)
	s.turned = make(chan struct{})
	s.mu.Unlock()
	s.set.options.Logger.Debug("MCP server", "server", s.name, "state", string(state), "reason", reason)
	s.set.news.status(s.status())
}

// await waits until a server is ready. One that has failed is an error.
func (s *server) await(ctx context.Context) (*live, error) {
	for {
		s.mu.Lock()
		state, reason, l, turned := s.state, s.reason, s.live, s.turned
		s.mu.Unlock()
		switch {
		case s.set.over.Err() != nil:
			return nil, ErrClosed
		case state == StateFailed:
			return nil, &Error{Server: s.name, text: "is not running: " + reason}
		case state == StateReady && !l.isDead():
			return l, nil
		}
		select {
		case <-turned:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (s *server) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Status{
		Server: s.name, State: s.state, Reason: s.reason, Tools: len(s.listed.tools), Prompts: len(s.listed.prompts),
		Warnings: append([]string(nil), s.warnings...),
	}
}

func (s *server) has() inventory {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.listed
}

// warn keeps something odd for the status, once.
func (s *server) warn(text string) {
	text = s.set.redactor.reason(text)
	s.mu.Lock()
	known := len(s.warnings) >= maxWarnings
	for _, w := range s.warnings {
		known = known || w == text
	}
	if !known {
		s.warnings = append(s.warnings, text)
	}
	s.mu.Unlock()
	if !known {
		s.set.options.Logger.Warn("MCP server", "server", s.name, "warning", text)
	}
}

// An Error says what is wrong with a server or a call, without secrets.
type Error struct {
	Server string // the server's name

	text string
	is   error // what errors.Is finds; nil if nothing
}

func (e *Error) Error() string { return fmt.Sprintf("the MCP server %q %s", e.Server, e.text) }

// Unwrap returns context.DeadlineExceeded where the time was over, and ErrClosed where the set was closed.
func (e *Error) Unwrap() error { return e.is }
