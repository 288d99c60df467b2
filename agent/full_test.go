package agent_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// full is an agent that does everything there is.
type full struct {
	agent.PromptFunc
	onNew  func(context.Context, *agent.Session) (*acp.NewSessionResponse, error)
	onLoad func(context.Context, *agent.Session) error

	onClose   error                       // of CloseSession
	extension func(context.Context) error // of HandleExtension, if set
	closing   func(context.Context, *agent.Session) error

	mu  sync.Mutex
	log []string
}

func (f *full) note(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, what)
}

func (f *full) notes() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.log...)
}

func (f *full) NewSession(ctx context.Context, s *agent.Session) (*acp.NewSessionResponse, error) {
	if f.onNew != nil {
		return f.onNew(ctx, s)
	}
	return nil, nil
}

func (f *full) Prompt(ctx context.Context, t *agent.Turn) (acp.StopReason, error) {
	if f.PromptFunc != nil {
		return f.PromptFunc(ctx, t)
	}
	return "", nil
}

func (f *full) LoadSession(ctx context.Context, s *agent.Session) (*acp.LoadSessionResponse, error) {
	if s.ID() == "unknown" {
		return nil, acp.ErrSessionNotFound(s.ID())
	}
	if f.onLoad != nil {
		return nil, f.onLoad(ctx, s)
	}
	return nil, s.Text(ctx, "replayed")
}

func (f *full) ResumeSession(ctx context.Context, s *agent.Session) (*acp.ResumeSessionResponse, error) {
	return nil, s.Text(ctx, "resumed")
}

func (f *full) ForkSession(ctx context.Context, from acp.SessionID, s *agent.Session) (*acp.ForkSessionResponse, error) {
	return nil, s.Text(ctx, "forked from "+string(from))
}

func (f *full) CloseSession(ctx context.Context, s *agent.Session) error {
	f.note("close " + string(s.ID()))
	if f.closing != nil {
		return f.closing(ctx, s)
	}
	return f.onClose
}

func (f *full) ListSessions(context.Context, *acp.ListSessionsRequest) (*acp.ListSessionsResponse, error) {
	return nil, nil
}

func (f *full) DeleteSession(_ context.Context, id acp.SessionID) error {
	f.note("delete " + string(id))
	return nil
}

func (f *full) ArchiveSession(_ context.Context, id acp.SessionID) error {
	f.note("archive " + string(id))
	return nil
}

func (f *full) UnarchiveSession(_ context.Context, id acp.SessionID) error {
	f.note("unarchive " + string(id))
	return nil
}

func (f *full) SessionStatus(context.Context, acp.SessionID) (acp.SessionStatus, error) {
	return acp.SessionStatusSaved, nil
}

func (f *full) SetTitle(_ context.Context, _ acp.SessionID, title string) (string, error) {
	return title, nil
}

func (f *full) SetMode(_ context.Context, _ *agent.Session, mode acp.SessionModeID) error {
	if mode != "code" {
		return acp.ErrInvalidParams("there is no mode %q", mode)
	}
	return nil
}

func (f *full) SetConfigOption(_ context.Context, _ *agent.Session, req *acp.SetSessionConfigOptionRequest) ([]acp.SessionConfigOption, error) {
	on := &acp.SessionConfigBoolean{}
	if b, ok := req.Value.(*acp.SetConfigBoolean); ok {
		on.CurrentValue = b.Value
	}
	return []acp.SessionConfigOption{{ID: req.ConfigID, Name: "Brave", Value: on}}, nil
}

func (f *full) Authenticate(_ context.Context, req *acp.AuthenticateRequest) error {
	f.note("authenticate " + string(req.MethodID))
	return nil
}

func (f *full) Logout(context.Context) error {
	f.note("logout")
	return nil
}

func (f *full) AuthStatus(context.Context) (*acp.AuthStatusResponse, error) { return nil, nil }

func (f *full) ListProviders(context.Context) ([]acp.ProviderInfo, error) { return nil, nil }

func (f *full) SetProvider(_ context.Context, req *acp.SetProviderRequest) error {
	f.note(fmt.Sprintf("set %s %s %s", req.ProviderID, req.APIType, req.BaseURL))
	return nil
}

func (f *full) DisableProvider(_ context.Context, id acp.ProviderID) error {
	f.note("disable " + string(id))
	return nil
}

func (f *full) HandleMCPMessage(_ context.Context, n *acp.MessageMCPNotification) {
	f.note("mcp " + n.Method)
}

func (f *full) HandleExtension(ctx context.Context, method string, params acp.Raw) (any, error) {
	if f.extension != nil {
		return nil, f.extension(ctx)
	}
	f.note("extension " + method)
	if method != "_echo" {
		return nil, acp.ErrMethodNotFound(method)
	}
	return params, nil
}
