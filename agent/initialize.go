package agent

import (
	"context"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// seeInitialize lets what comes after initialize in.
func (c *Conn) seeInitialize(req *jsonrpc.Request) bool {
	var params acp.InitializeRequest
	if req.Decode(&params) == nil && c.client.CompareAndSwap(nil, &params) {
		c.initialRequest.Store(req)
		c.initializing.Store(true)
		req.OnCancelled(func(result any, err error) (any, error) { return result, err })
		req.AfterAnswer(func() { close(c.greeted) })
	}
	return false
}

// awaitGreeting lets a client that has sent more behind initialize read the answer to that first: what comes after it makes
// sense only to one that knows what the agent can do.
func (c *Conn) awaitGreeting(ctx context.Context, req *jsonrpc.Request) {
	if req.IsNotification() || !c.initializing.Load() || c.initialRequest.Load() == req {
		return
	}
	select {
	case <-c.greeted:
	case <-ctx.Done():
	}
}

// initialize settles the version, which is always 1, and says what the agent can do.
func (c *Conn) initialize(ctx context.Context, params *acp.InitializeRequest) (*acp.InitializeResponse, error) {
	if !c.first(requestOf(ctx)) {
		return nil, acp.ErrInvalidRequest("the connection is initialized already")
	}
	info := c.opts.Info
	return &acp.InitializeResponse{
		ProtocolVersion:   acp.Version1,
		AgentInfo:         &info,
		AgentCapabilities: c.capabilities,
		AuthMethods:       c.authMethods(params.ClientCapabilities),
	}, nil
}

// authMethods are those that the client can use.
func (c *Conn) authMethods(can acp.ClientCapabilities) []acp.AuthMethod {
	var methods []acp.AuthMethod
	for _, method := range c.opts.AuthMethods {
		if _, terminal := method.(*acp.AuthMethodTerminal); terminal && !hasTerminal(&can) {
			continue
		}
		methods = append(methods, method)
	}
	return methods
}

// hasTerminal reports whether the client can run a method of signing in on a terminal. Before there was a capability for
// it, clients said so in _meta (S004.1).
func hasTerminal(can *acp.ClientCapabilities) bool {
	return can.Auth.Terminal || string(can.Meta["terminal-auth"]) == "true"
}

// authenticate signs the user in. Without methods there is nothing to do, so that clients which call it anyhow work.
func (c *Conn) authenticate(ctx context.Context, params *acp.AuthenticateRequest) (*acp.AuthenticateResponse, error) {
	if len(c.opts.AuthMethods) == 0 {
		return &acp.AuthenticateResponse{}, nil
	}
	for _, method := range c.opts.AuthMethods {
		if id, _ := labelOf(method); id != params.MethodID {
			continue
		}
		if _, terminal := method.(*acp.AuthMethodTerminal); terminal {
			return nil, acp.ErrInvalidParams("method %q is carried out by the client in a terminal, and not passed to authenticate", params.MethodID)
		}
		if err := c.agent.(Authenticator).Authenticate(ctx, params); err != nil { // Options.check has seen to it
			return nil, err
		}
		return &acp.AuthenticateResponse{}, nil
	}
	return nil, acp.ErrInvalidParams("there is no authentication method %q", params.MethodID)
}

func (c *Conn) logout(ctx context.Context, a LogoutHandler, _ *acp.LogoutRequest) (*acp.LogoutResponse, error) {
	if err := a.Logout(ctx); err != nil {
		return nil, err
	}
	return &acp.LogoutResponse{}, nil
}

func (c *Conn) authStatus(ctx context.Context, a AuthStatusReporter, _ *acp.AuthStatusRequest) (*acp.AuthStatusResponse, error) {
	response, err := a.AuthStatus(ctx)
	if err != nil {
		return nil, err
	}
	answer := valueOf(response)
	if answer.State == "" {
		answer.State = acp.AuthStateUnknown
	}
	return &answer, nil
}

func (c *Conn) listProviders(ctx context.Context, a ProviderManager, _ *acp.ListProvidersRequest) (*acp.ListProvidersResponse, error) {
	list, err := a.ListProviders(ctx)
	if err != nil {
		return nil, err
	}
	return &acp.ListProvidersResponse{Providers: some(list)}, nil
}

func (c *Conn) setProvider(ctx context.Context, a ProviderManager, params *acp.SetProviderRequest) (*acp.SetProviderResponse, error) {
	if err := a.SetProvider(ctx, params); err != nil {
		return nil, err
	}
	return &acp.SetProviderResponse{}, nil
}

func (c *Conn) disableProvider(ctx context.Context, a ProviderManager, params *acp.DisableProviderRequest) (*acp.DisableProviderResponse, error) {
	if err := a.DisableProvider(ctx, params.ProviderID); err != nil {
		return nil, err
	}
	return &acp.DisableProviderResponse{}, nil
}

func (c *Conn) mcpMessage(ctx context.Context, a MCPMessageHandler, params *acp.MessageMCPNotification) (any, error) {
	if c.capabilities.MCPCapabilities.ACP {
		a.HandleMCPMessage(ctx, params)
	}
	return nil, nil
}

// first reports whether a request is the initialize that was accepted.
func (c *Conn) first(req *jsonrpc.Request) bool { return c.initialRequest.CompareAndSwap(req, nil) }
