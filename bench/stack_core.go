package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// coreStack is the wire of this repository alone: packages acp, jsonrpc and transport.
type coreStack struct{}

func (coreStack) arrives(text string) string { return text }

func (coreStack) window() int { return 0 }

func (coreStack) spawn(argv []string, onUpdate updateFunc) (client, error) {
	p, err := transport.Start(context.Background(), transport.Command{
		Path:     argv[0],
		Args:     argv[1:],
		OnStderr: func(line string) { fmt.Fprintln(os.Stderr, line) },
	})
	if err != nil {
		return nil, err
	}
	return newCoreClient(p, onUpdate, func() { _ = p.Wait(context.Background()) }), nil
}

func (coreStack) serve(a *agent) error {
	stream, err := transport.Stdio()
	if err != nil {
		return err
	}
	if err := newCoreAgent(stream, a).Wait(); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

func (coreStack) pair(a *agent, onUpdate updateFunc, osPipes bool) (client, error) {
	var here, there jsonrpc.Stream
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
	peer := newCoreAgent(there, a)
	return newCoreClient(here, onUpdate, func() { peer.Close() }), nil
}

type coreClient struct {
	conn     *jsonrpc.Conn
	onUpdate updateFunc
	stop     func()
}

func newCoreClient(stream jsonrpc.Stream, onUpdate updateFunc, stop func()) *coreClient {
	c := &coreClient{onUpdate: onUpdate, stop: stop}
	c.conn = jsonrpc.NewConn(stream, c, jsonrpc.Options{KeyMember: acp.SessionKeyMember, Key: acp.SessionKey})
	return c
}

// Handle is the client's side of the protocol.
func (c *coreClient) Handle(_ context.Context, req *jsonrpc.Request) (any, error) {
	if req.Method != acp.MethodSessionUpdate {
		return nil, jsonrpc.ErrMethodNotFound
	}
	var n acp.SessionNotification
	if err := req.Decode(&n); err != nil {
		return nil, err
	}
	if chunk, ok := n.Update.(*acp.AgentMessageChunk); ok {
		if text, ok := chunk.Content.(*acp.TextContent); ok {
			c.onUpdate(string(n.SessionID), text.Text)
		}
	}
	return nil, nil
}

func (c *coreClient) setMode(ctx context.Context, session string) error {
	var answer acp.SetSessionModeResponse
	return c.conn.Call(ctx, acp.MethodSessionSetMode, &acp.SetSessionModeRequest{
		SessionID: acp.SessionID(session),
		ModeID:    "code",
	}, &answer)
}

func (c *coreClient) prompt(ctx context.Context, session, text string) (string, error) {
	var answer acp.PromptResponse
	err := c.conn.Call(ctx, acp.MethodSessionPrompt, &acp.PromptRequest{
		SessionID: acp.SessionID(session),
		Prompt:    []acp.ContentBlock{acp.Text(text)},
	}, &answer)
	return string(answer.StopReason), err
}

func (c *coreClient) close() {
	c.conn.Close()
	c.stop()
}

// A coreAgent knows which request is the turn of a session, so that a cancel finds it.
type coreAgent struct {
	agent *agent

	mu    sync.Mutex
	turns map[string]*jsonrpc.Request // by session
}

func newCoreAgent(stream jsonrpc.Stream, a *agent) *jsonrpc.Conn {
	ca := &coreAgent{agent: a, turns: make(map[string]*jsonrpc.Request)}
	return jsonrpc.NewConn(stream, ca, jsonrpc.Options{
		KeyMember:   acp.SessionKeyMember,
		Key:         acp.SessionKey,
		AnswerNoise: true,
		Preempt:     ca.preempt,
	})
}

var errTurnCancelled = errors.New("the client cancelled the turn")

// preempt sees prompts and their cancels in the order of the wire.
func (ca *coreAgent) preempt(req *jsonrpc.Request) (done bool) {
	switch req.Method {
	case acp.MethodSessionPrompt:
		session := string(req.Key())
		ca.mu.Lock()
		ca.turns[session] = req
		ca.mu.Unlock()
	case acp.MethodSessionCancel:
		ca.mu.Lock()
		turn := ca.turns[string(req.Key())]
		ca.mu.Unlock()
		if turn != nil {
			turn.Cancel(errTurnCancelled)
		}
		return true
	}
	return false
}

// Handle is the agent's side of the protocol.
func (ca *coreAgent) Handle(ctx context.Context, req *jsonrpc.Request) (any, error) {
	switch req.Method {
	case acp.MethodSessionSetMode:
		var params acp.SetSessionModeRequest
		if err := req.Decode(&params); err != nil {
			return nil, err
		}
		return &acp.SetSessionModeResponse{}, nil
	case acp.MethodSessionPrompt:
		return ca.prompt(ctx, req)
	}
	return nil, jsonrpc.ErrMethodNotFound
}

func (ca *coreAgent) prompt(ctx context.Context, req *jsonrpc.Request) (any, error) {
	var params acp.PromptRequest
	if err := req.Decode(&params); err != nil {
		return nil, err
	}
	defer ca.ended(string(params.SessionID), req)
	text, ok := params.Prompt[0].(*acp.TextContent)
	if !ok {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "the prompt is no text")
	}
	stop, err := ca.agent.prompt(ctx, text.Text, func(text string) error {
		return req.Conn().Notify(ctx, acp.MethodSessionUpdate, &acp.SessionNotification{
			SessionID: params.SessionID,
			Update:    &acp.AgentMessageChunk{Content: acp.Text(text)},
		})
	})
	return &acp.PromptResponse{StopReason: acp.StopReason(stop)}, err
}

// ended forgets a turn, unless the session has another one by now.
func (ca *coreAgent) ended(session string, turn *jsonrpc.Request) {
	ca.mu.Lock()
	defer ca.mu.Unlock()
	if ca.turns[session] == turn {
		delete(ca.turns, session)
	}
}
