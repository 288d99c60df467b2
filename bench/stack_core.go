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

// patchbayStack is this repository: packages acp, jsonrpc and transport.
type patchbayStack struct{}

func (patchbayStack) arrives(text string) string { return text }

func (patchbayStack) window() int { return 0 }

func (patchbayStack) spawn(argv []string, onUpdate updateFunc) (client, error) {
	p, err := transport.Start(context.Background(), transport.Command{
		Path:     argv[0],
		Args:     argv[1:],
		OnStderr: func(line string) { fmt.Fprintln(os.Stderr, line) },
	})
	if err != nil {
		return nil, err
	}
	return newPatchbayClient(p, onUpdate, func() { _ = p.Wait(context.Background()) }), nil
}

func (patchbayStack) serve(a *agent) error {
	stream, err := transport.Stdio()
	if err != nil {
		return err
	}
	if err := newPatchbayAgent(stream, a).Wait(); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

func (patchbayStack) pair(a *agent, onUpdate updateFunc, osPipes bool) (client, error) {
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
	peer := newPatchbayAgent(there, a)
	return newPatchbayClient(here, onUpdate, func() { peer.Close() }), nil
}

type patchbayClient struct {
	conn     *jsonrpc.Conn
	onUpdate updateFunc
	stop     func()
}

func newPatchbayClient(stream jsonrpc.Stream, onUpdate updateFunc, stop func()) *patchbayClient {
	c := &patchbayClient{onUpdate: onUpdate, stop: stop}
	c.conn = jsonrpc.NewConn(stream, c, jsonrpc.Options{Key: acp.SessionKey})
	return c
}

// Handle is the client's side of the protocol.
func (c *patchbayClient) Handle(_ context.Context, req *jsonrpc.Request) (any, error) {
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

func (c *patchbayClient) setMode(ctx context.Context, session string) error {
	var answer acp.SetSessionModeResponse
	return c.conn.Call(ctx, acp.MethodSessionSetMode, &acp.SetSessionModeRequest{
		SessionID: acp.SessionID(session),
		ModeID:    "code",
	}, &answer)
}

func (c *patchbayClient) prompt(ctx context.Context, session, text string) (string, error) {
	var answer acp.PromptResponse
	err := c.conn.Call(ctx, acp.MethodSessionPrompt, &acp.PromptRequest{
		SessionID: acp.SessionID(session),
		Prompt:    []acp.ContentBlock{acp.Text(text)},
	}, &answer)
	return string(answer.StopReason), err
}

func (c *patchbayClient) close() {
	c.conn.Close()
	c.stop()
}

// A patchbayAgent knows which request is the turn of a session, so that a cancel finds it.
type patchbayAgent struct {
	agent *agent

	mu    sync.Mutex
	turns map[string]*jsonrpc.Request // by session
}

func newPatchbayAgent(stream jsonrpc.Stream, a *agent) *jsonrpc.Conn {
	pa := &patchbayAgent{agent: a, turns: make(map[string]*jsonrpc.Request)}
	return jsonrpc.NewConn(stream, pa, jsonrpc.Options{
		Key:         acp.SessionKey,
		AnswerNoise: true,
		Preempt:     pa.preempt,
	})
}

var errTurnCancelled = errors.New("the client cancelled the turn")

// preempt sees prompts and their cancels in the order of the wire.
func (pa *patchbayAgent) preempt(req *jsonrpc.Request) (done bool) {
	switch req.Method {
	case acp.MethodSessionPrompt:
		session := string(acp.SessionKey(req.Method, req.Params))
		pa.mu.Lock()
		pa.turns[session] = req
		pa.mu.Unlock()
	case acp.MethodSessionCancel:
		pa.mu.Lock()
		turn := pa.turns[string(acp.SessionKey(req.Method, req.Params))]
		pa.mu.Unlock()
		if turn != nil {
			turn.Cancel(errTurnCancelled)
		}
		return true
	}
	return false
}

// Handle is the agent's side of the protocol.
func (pa *patchbayAgent) Handle(ctx context.Context, req *jsonrpc.Request) (any, error) {
	switch req.Method {
	case acp.MethodSessionSetMode:
		var params acp.SetSessionModeRequest
		if err := req.Decode(&params); err != nil {
			return nil, err
		}
		return &acp.SetSessionModeResponse{}, nil
	case acp.MethodSessionPrompt:
		return pa.prompt(ctx, req)
	}
	return nil, jsonrpc.ErrMethodNotFound
}

func (pa *patchbayAgent) prompt(ctx context.Context, req *jsonrpc.Request) (any, error) {
	var params acp.PromptRequest
	if err := req.Decode(&params); err != nil {
		return nil, err
	}
	defer pa.ended(string(params.SessionID), req)
	text, ok := params.Prompt[0].(*acp.TextContent)
	if !ok {
		return nil, jsonrpc.NewError(jsonrpc.CodeInvalidParams, "the prompt is no text")
	}
	stop, err := pa.agent.prompt(ctx, text.Text, func(text string) error {
		return req.Conn().Notify(ctx, acp.MethodSessionUpdate, &acp.SessionNotification{
			SessionID: params.SessionID,
			Update:    &acp.AgentMessageChunk{Content: acp.Text(text)},
		})
	})
	return &acp.PromptResponse{StopReason: acp.StopReason(stop)}, err
}

// ended forgets a turn, unless the session has another one by now.
func (pa *patchbayAgent) ended(session string, turn *jsonrpc.Request) {
	pa.mu.Lock()
	defer pa.mu.Unlock()
	if pa.turns[session] == turn {
		delete(pa.turns, session)
	}
}
