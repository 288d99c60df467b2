package client

import (
	"context"

	"github.com/patchbay-dev/patchbay/acp"
)

// ListSessions returns a page of the sessions that the agent has saved. It is an *acp.UnsupportedError unless the agent
// advertised it, like everything here that needs a capability (W11).
//
// Spec: session-list.
func (c *Client) ListSessions(ctx context.Context, req acp.ListSessionsRequest) (*acp.ListSessionsResponse, error) {
	if req.Archived != "" && c.init.AgentCapabilities.SessionCapabilities.Archive == nil {
		return nil, &acp.UnsupportedError{Method: acp.MethodSessionList, Capability: "agentCapabilities.sessionCapabilities.archive"}
	}
	return request[acp.ListSessionsResponse](ctx, c, acp.MethodSessionList, &req)
}

// DeleteSession removes a saved session from the agent's list.
//
// Spec: session-delete.
func (c *Client) DeleteSession(ctx context.Context, id acp.SessionID) error {
	_, err := requestFor[acp.DeleteSessionResponse](ctx, c, id, acp.MethodSessionDelete, &acp.DeleteSessionRequest{SessionID: id})
	return err
}

// ArchiveSession hides a session from the agent's default list.
//
// Unstable: not part of the specification yet.
func (c *Client) ArchiveSession(ctx context.Context, id acp.SessionID) error {
	_, err := requestFor[acp.ArchiveSessionResponse](ctx, c, id, acp.MethodSessionArchive, &acp.ArchiveSessionRequest{SessionID: id})
	return err
}

// UnarchiveSession brings a session back to the agent's default list.
//
// Unstable: not part of the specification yet.
func (c *Client) UnarchiveSession(ctx context.Context, id acp.SessionID) error {
	_, err := requestFor[acp.UnarchiveSessionResponse](ctx, c, id, acp.MethodSessionUnarchive, &acp.UnarchiveSessionRequest{SessionID: id})
	return err
}

// SessionStatus asks whether the agent has a session in memory.
//
// Unstable: not part of the specification yet.
func (c *Client) SessionStatus(ctx context.Context, id acp.SessionID) (acp.SessionStatus, error) {
	resp, err := requestFor[acp.SessionStatusResponse](ctx, c, id, acp.MethodSessionStatus, &acp.SessionStatusRequest{SessionID: id})
	if err != nil {
		return "", err
	}
	return resp.Status, nil
}

// SetSessionTitle gives a session a title, whether it is open or not, and returns the one that the agent stored.
//
// Unstable: not part of the specification yet.
func (c *Client) SetSessionTitle(ctx context.Context, id acp.SessionID, title string) (string, error) {
	resp, err := requestFor[acp.SetSessionTitleResponse](ctx, c, id, acp.MethodSessionSetTitle,
		&acp.SetSessionTitleRequest{SessionID: id, Title: title})
	if err != nil {
		return "", err
	}
	return resp.Title, nil
}

// Logout asks the agent to forget the user's credentials.
//
// Spec: authentication#logging-out.
func (c *Client) Logout(ctx context.Context) error {
	_, err := request[acp.LogoutResponse](ctx, c, acp.MethodLogout, &acp.LogoutRequest{})
	return err
}

// AuthStatus asks whether the user is signed in.
//
// Unstable: not part of the specification yet.
func (c *Client) AuthStatus(ctx context.Context) (*acp.AuthStatusResponse, error) {
	return request[acp.AuthStatusResponse](ctx, c, acp.MethodAuthStatus, &acp.AuthStatusRequest{})
}

// ListProviders returns the model providers that the agent can be told to use.
//
// Unstable: not part of the specification yet.
func (c *Client) ListProviders(ctx context.Context) (*acp.ListProvidersResponse, error) {
	return request[acp.ListProvidersResponse](ctx, c, acp.MethodProvidersList, &acp.ListProvidersRequest{})
}

// SetProvider tells the agent how to reach a model provider.
//
// Unstable: not part of the specification yet.
func (c *Client) SetProvider(ctx context.Context, req acp.SetProviderRequest) error {
	_, err := request[acp.SetProviderResponse](ctx, c, acp.MethodProvidersSet, &req)
	return err
}

// DisableProvider tells the agent not to use a model provider.
//
// Unstable: not part of the specification yet.
func (c *Client) DisableProvider(ctx context.Context, req acp.DisableProviderRequest) error {
	_, err := request[acp.DisableProviderResponse](ctx, c, acp.MethodProvidersDisable, &req)
	return err
}

// NotifyMCP carries a notification of an MCP server that the client keeps to the agent.
//
// Unstable: not part of the specification yet.
func (c *Client) NotifyMCP(ctx context.Context, n acp.MessageMCPNotification) error {
	if err := c.gate(acp.NotificationMethod(acp.ToAgent, acp.MethodMCPMessage)); err != nil {
		return err
	}
	return c.conn.Notify(ctx, acp.MethodMCPMessage, &n)
}
