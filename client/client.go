package client

import (
	"context"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// A Client is a connection to an agent.
type Client struct{}

// Spawn starts an agent as a subprocess and shakes hands with it.
func Spawn(ctx context.Context, cmd transport.Command, h Handler, o Options) (*Client, error) {
	return nil, nil
}

// Connect shakes hands with an agent over a stream, which the client owns from now on.
func Connect(ctx context.Context, stream jsonrpc.Stream, h Handler, o Options) (*Client, error) {
	return nil, nil
}

func (c *Client) AgentInfo() *acp.Implementation       { return nil }
func (c *Client) Capabilities() *acp.AgentCapabilities { return nil }
func (c *Client) AuthMethods() []acp.AuthMethod        { return nil }
func (c *Client) ProtocolVersion() acp.ProtocolVersion { return 0 }
func (c *Client) Initialized() *acp.InitializeResponse { return nil }
func (c *Client) Process() *transport.Process          { return nil }
func (c *Client) Session(id acp.SessionID) *Session    { return nil }
func (c *Client) Sessions() []*Session                 { return nil }
func (c *Client) Close() error                         { return nil }
func (c *Client) Wait() error                          { return nil }
func (c *Client) Done() <-chan struct{}                { return nil }
func (c *Client) Err() error                           { return nil }

func (c *Client) NewSession(ctx context.Context, req acp.NewSessionRequest) (*Session, error) {
	return nil, nil
}
func (c *Client) LoadSession(ctx context.Context, req acp.LoadSessionRequest) (*Session, error) {
	return nil, nil
}
func (c *Client) ResumeSession(ctx context.Context, req acp.ResumeSessionRequest) (*Session, error) {
	return nil, nil
}
func (c *Client) ForkSession(ctx context.Context, req acp.ForkSessionRequest) (*Session, error) {
	return nil, nil
}
func (c *Client) ListSessions(ctx context.Context, req acp.ListSessionsRequest) (*acp.ListSessionsResponse, error) {
	return nil, nil
}
func (c *Client) DeleteSession(ctx context.Context, id acp.SessionID) error           { return nil }
func (c *Client) Authenticate(ctx context.Context, id acp.AuthMethodID) error         { return nil }
func (c *Client) AuthenticateTerminal(ctx context.Context, id acp.AuthMethodID) error { return nil }
func (c *Client) Logout(ctx context.Context) error                                    { return nil }

// Call calls an extension method of the agent.
func (c *Client) Call(ctx context.Context, method string, params, result any) error { return nil }

// Notify sends an extension notification to the agent.
func (c *Client) Notify(ctx context.Context, method string, params any) error { return nil }
