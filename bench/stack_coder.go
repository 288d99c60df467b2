package main

import (
	"context"
	"io"
	"log/slog"
	"os"

	acp "github.com/coder/acp-go-sdk"
)

// coderStack is github.com/coder/acp-go-sdk, used as its examples do.
type coderStack struct{}

func (coderStack) arrives(text string) string { return text }

// window is below the 1,024 notifications that a connection queues before it closes itself: the reader is faster than
// the handler, so a longer burst ends in "notification queue overflow".
func (coderStack) window() int { return 1000 }

func (coderStack) spawn(argv []string, onUpdate updateFunc) (client, error) {
	p, err := start(argv)
	if err != nil {
		return nil, err
	}
	return newCoderClient(p.in, p.out, onUpdate, p.stop), nil
}

func (coderStack) serve(a *agent) error {
	<-newCoderAgent(os.Stdout, os.Stdin, a).Done()
	return nil
}

func (coderStack) pair(a *agent, onUpdate updateFunc, osPipes bool) (client, error) {
	here, there, err := ducts(osPipes)
	if err != nil {
		return nil, err
	}
	newCoderAgent(there.out, there.in, a)
	return newCoderClient(here.out, here.in, onUpdate, func() { here.close(); there.close() }), nil
}

var coderLogger = slog.New(slog.DiscardHandler)

// coderClient implements the SDK's Client, of which only SessionUpdate is ever called.
type coderClient struct {
	acp.Client
	conn     *acp.ClientSideConnection
	onUpdate updateFunc
	stop     func()
}

func newCoderClient(w io.Writer, r io.Reader, onUpdate updateFunc, stop func()) *coderClient {
	c := &coderClient{onUpdate: onUpdate, stop: stop}
	c.conn = acp.NewClientSideConnection(c, w, r)
	c.conn.SetLogger(coderLogger)
	return c
}

func (c *coderClient) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	if chunk := n.Update.AgentMessageChunk; chunk != nil && chunk.Content.Text != nil {
		c.onUpdate(string(n.SessionId), chunk.Content.Text.Text)
	}
	return nil
}

func (c *coderClient) setMode(ctx context.Context, session string) error {
	_, err := c.conn.SetSessionMode(ctx, acp.SetSessionModeRequest{SessionId: acp.SessionId(session), ModeId: "code"})
	return err
}

func (c *coderClient) prompt(ctx context.Context, session, text string) (string, error) {
	answer, err := c.conn.Prompt(ctx, acp.PromptRequest{
		SessionId: acp.SessionId(session),
		Prompt:    []acp.ContentBlock{acp.TextBlock(text)},
	})
	return string(answer.StopReason), err
}

func (c *coderClient) close() { c.stop() }

// coderAgent implements the SDK's Agent, of which only these methods are ever called.
type coderAgent struct {
	acp.Agent
	conn  *acp.AgentSideConnection
	ready chan struct{} // closed when conn is set
	agent *agent
}

func newCoderAgent(w io.Writer, r io.Reader, a *agent) *acp.AgentSideConnection {
	ca := &coderAgent{agent: a, ready: make(chan struct{})}
	ca.conn = acp.NewAgentSideConnection(ca, w, r)
	ca.conn.SetLogger(coderLogger)
	close(ca.ready)
	return ca.conn
}

func (ca *coderAgent) Initialize(context.Context, acp.InitializeRequest) (acp.InitializeResponse, error) {
	return acp.InitializeResponse{ProtocolVersion: acp.ProtocolVersionNumber}, nil
}

func (ca *coderAgent) SetSessionMode(context.Context, acp.SetSessionModeRequest) (acp.SetSessionModeResponse, error) {
	return acp.SetSessionModeResponse{}, nil
}

func (ca *coderAgent) Prompt(ctx context.Context, p acp.PromptRequest) (acp.PromptResponse, error) {
	<-ca.ready
	stop, err := ca.agent.prompt(ctx, p.Prompt[0].Text.Text, func(text string) error {
		return ca.conn.SessionUpdate(ctx, acp.SessionNotification{
			SessionId: p.SessionId,
			Update:    acp.UpdateAgentMessageText(text),
		})
	})
	return acp.PromptResponse{StopReason: acp.StopReason(stop)}, err
}

// Cancel has nothing to do: the connection cancels the context of the session's prompt.
func (ca *coderAgent) Cancel(context.Context, acp.CancelNotification) error { return nil }
