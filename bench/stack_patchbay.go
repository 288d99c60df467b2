package main

import (
	"context"
	"fmt"
	"os"
	"sync"

	acpagent "github.com/patchbay-dev/patchbay/agent"

	"github.com/patchbay-dev/patchbay/acp"
	acpclient "github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// patchbayStack is this repository as its users have it: package agent on one end and package client on the other.
type patchbayStack struct{}

func (patchbayStack) arrives(text string) string { return text }

func (patchbayStack) window() int { return 0 }

var info = acp.Implementation{Name: "bench", Version: "1"}

func (patchbayStack) spawn(argv []string, onUpdate updateFunc) (client, error) {
	c := newPatchbayClient(onUpdate)
	conn, err := acpclient.Spawn(context.Background(), transport.Command{
		Path:     argv[0],
		Args:     argv[1:],
		OnStderr: func(line string) { fmt.Fprintln(os.Stderr, line) },
	}, c, acpclient.Options{Info: info})
	c.conn = conn
	return c, err
}

func (patchbayStack) serve(a *agent) error {
	return acpagent.Serve(context.Background(), patchbayAgent{a}, acpagent.Options{Info: info})
}

func (patchbayStack) pair(a *agent, onUpdate updateFunc, osPipes bool) (client, error) {
	here, there := jsonrpc.Stream(nil), jsonrpc.Stream(nil)
	if osPipes {
		one, other, err := ducts(true)
		if err != nil {
			return nil, err
		}
		here = transport.New(one.in, one.out, transport.Options{})
		there = transport.New(other.in, other.out, transport.Options{})
	} else {
		here, there = transport.Pipe()
	}
	peer, err := acpagent.Connect(there, patchbayAgent{a}, acpagent.Options{Info: info})
	if err != nil {
		return nil, err
	}
	c := newPatchbayClient(onUpdate)
	c.stop = func() { _ = peer.Close() }
	c.conn, err = acpclient.Connect(context.Background(), here, c, acpclient.Options{Info: info})
	return c, err
}

// A patchbayClient opens a session the first time that it is named.
type patchbayClient struct {
	conn     *acpclient.Client
	onUpdate updateFunc
	stop     func()

	mu       sync.Mutex
	sessions map[string]*acpclient.Session
}

func newPatchbayClient(onUpdate updateFunc) *patchbayClient {
	return &patchbayClient{onUpdate: onUpdate, stop: func() {}, sessions: map[string]*acpclient.Session{}}
}

func (c *patchbayClient) Update(_ context.Context, s *acpclient.Session, u acp.SessionUpdate) {
	if chunk, ok := u.(*acp.AgentMessageChunk); ok {
		if text, ok := chunk.Content.(*acp.TextContent); ok {
			c.onUpdate(string(s.ID()), text.Text)
		}
	}
}

func (c *patchbayClient) RequestPermission(context.Context, *acpclient.Session, *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	return acp.PermissionCancelled(), nil
}

// nameKey is where session/new says which id the session is to have: all stacks use the same ones.
const nameKey = "bench/session"

func (c *patchbayClient) session(ctx context.Context, name string) (*acpclient.Session, error) {
	c.mu.Lock()
	s := c.sessions[name]
	c.mu.Unlock()
	if s != nil {
		return s, nil
	}
	s, err := c.conn.NewSession(ctx, acp.NewSessionRequest{
		CWD:  os.TempDir(),
		Meta: acp.Meta{nameKey: acp.Raw(fmt.Sprintf("%q", name))},
	})
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sessions[name] = s
	return s, nil
}

// open makes the sessions that a scenario does not want to see made.
func (c *patchbayClient) open(names []string) error {
	for _, name := range names {
		if _, err := c.session(context.Background(), name); err != nil {
			return err
		}
	}
	return nil
}

func (c *patchbayClient) setMode(ctx context.Context, session string) error {
	s, err := c.session(ctx, session)
	if err != nil {
		return err
	}
	return s.SetMode(ctx, "code")
}

func (c *patchbayClient) prompt(ctx context.Context, session, text string) (string, error) {
	s, err := c.session(ctx, session)
	if err != nil {
		return "", err
	}
	result, err := s.Run(ctx, acp.Text(text))
	if err != nil {
		return "", err
	}
	return string(result.StopReason), nil
}

func (c *patchbayClient) close() {
	_ = c.conn.Close()
	_ = c.conn.Wait()
	c.stop()
}

type patchbayAgent struct{ agent *agent }

func (a patchbayAgent) NewSession(_ context.Context, s *acpagent.Session) (*acp.NewSessionResponse, error) {
	var answer acp.NewSessionResponse
	if name := s.Meta()[nameKey]; len(name) > 2 {
		answer.SessionID = acp.SessionID(name[1 : len(name)-1])
	}
	return &answer, nil
}

func (a patchbayAgent) Prompt(ctx context.Context, t *acpagent.Turn) (acp.StopReason, error) {
	text, ok := t.Prompt()[0].(*acp.TextContent)
	if !ok {
		return "", acp.ErrInvalidParams("the prompt is no text")
	}
	stop, err := a.agent.prompt(ctx, text.Text, t.Text)
	return acp.StopReason(stop), err
}

func (a patchbayAgent) SetMode(context.Context, *acpagent.Session, acp.SessionModeID) error {
	return nil
}
