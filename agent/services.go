package agent

import (
	"context"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// A serveFunc answers a request, or takes a notification.
type serveFunc func(ctx context.Context, c *Conn, req *jsonrpc.Request) (any, error)

// A service pairs a method with what implements it. This table is the only place that knows methods by name; everything
// else about them is in acp.Methods.
type service struct {
	method       string
	notification bool

	// bind returns how an agent serves the method, or nil if it does not: because it does not implement the interface.
	bind func(a Agent) serveFunc

	// advertise sets the capability, if there is one, of an agent that serves the method (W11).
	advertise func(can *acp.AgentCapabilities)

	// preempt, if set, sees the message in the order of the wire, and ends a notification by returning true.
	preempt func(c *Conn, req *jsonrpc.Request) bool

	// early is set for what may come before initialize.
	early bool
}

var table = []service{
	{method: acp.MethodInitialize, bind: always((*Conn).initialize), preempt: (*Conn).seeInitialize, early: true},
	{method: acp.MethodAuthenticate, bind: always((*Conn).authenticate)},
	{method: acp.MethodSessionNew, bind: always((*Conn).newSession)},
	{method: acp.MethodSessionPrompt, bind: func(Agent) serveFunc { return servePrompt }, preempt: (*Conn).seePrompt},
	{method: acp.MethodSessionCancel, notification: true, bind: always(ignore), preempt: (*Conn).seeCancel},

	{
		method: acp.MethodSessionLoad, bind: needs((*Conn).loadSession),
		advertise: func(can *acp.AgentCapabilities) { can.LoadSession = true },
	},
	{
		method: acp.MethodSessionResume, bind: needs((*Conn).resumeSession),
		advertise: inSession(func(can *acp.SessionCapabilities) { can.Resume = &acp.SessionResumeCapabilities{} }),
	},
	{
		method: acp.MethodSessionFork, bind: needs((*Conn).forkSession),
		advertise: inSession(func(can *acp.SessionCapabilities) { can.Fork = &acp.SessionForkCapabilities{} }),
	},
	{
		method: acp.MethodSessionClose, bind: needs((*Conn).closeSession),
		advertise: inSession(func(can *acp.SessionCapabilities) { can.Close = &acp.SessionCloseCapabilities{} }),
	},
	{
		method: acp.MethodSessionList, bind: needs((*Conn).listSessions),
		advertise: inSession(func(can *acp.SessionCapabilities) { can.List = &acp.SessionListCapabilities{} }),
	},
	{
		method: acp.MethodSessionDelete, bind: needs((*Conn).deleteSession),
		advertise: inSession(func(can *acp.SessionCapabilities) { can.Delete = &acp.SessionDeleteCapabilities{} }),
	},
	{
		method: acp.MethodSessionArchive, bind: needs((*Conn).archiveSession),
		advertise: inSession(func(can *acp.SessionCapabilities) { can.Archive = &acp.SessionArchiveCapabilities{} }),
	},
	{
		method: acp.MethodSessionUnarchive, bind: needs((*Conn).unarchiveSession),
		advertise: inSession(func(can *acp.SessionCapabilities) { can.Archive = &acp.SessionArchiveCapabilities{} }),
	},
	{
		method: acp.MethodSessionStatus, bind: needs((*Conn).sessionStatus),
		advertise: inSession(func(can *acp.SessionCapabilities) { can.Status = &acp.SessionStatusCapabilities{} }),
	},
	{
		method: acp.MethodSessionSetTitle, bind: needs((*Conn).setTitle),
		advertise: inSession(func(can *acp.SessionCapabilities) { can.Title = &acp.SessionTitleCapabilities{} }),
	},
	{method: acp.MethodSessionSetMode, bind: needs((*Conn).setMode)},
	{method: acp.MethodSessionSetConfigOption, bind: needs((*Conn).setConfigOption)},
	{
		method: acp.MethodLogout, bind: needs((*Conn).logout),
		advertise: func(can *acp.AgentCapabilities) { can.Auth.Logout = &acp.LogoutCapabilities{} },
	},
	{
		method: acp.MethodAuthStatus, bind: needs((*Conn).authStatus),
		advertise: func(can *acp.AgentCapabilities) { can.Auth.Status = &acp.AuthStatusCapabilities{} },
	},
	{method: acp.MethodProvidersList, bind: needs((*Conn).listProviders), advertise: providers},
	{method: acp.MethodProvidersSet, bind: needs((*Conn).setProvider), advertise: providers},
	{method: acp.MethodProvidersDisable, bind: needs((*Conn).disableProvider), advertise: providers},
	{method: acp.MethodMCPMessage, notification: true, bind: needs((*Conn).mcpMessage)},
}

func providers(can *acp.AgentCapabilities) { can.Providers = &acp.ProvidersCapabilities{} }

func inSession(set func(*acp.SessionCapabilities)) func(*acp.AgentCapabilities) {
	return func(can *acp.AgentCapabilities) { set(&can.SessionCapabilities) }
}

// always binds a method that every agent serves.
func always[P, R any](f func(*Conn, context.Context, *P) (R, error)) func(Agent) serveFunc {
	return func(Agent) serveFunc {
		return func(ctx context.Context, c *Conn, req *jsonrpc.Request) (any, error) {
			return decoded(req, func(params *P) (any, error) { return f(c, withRequest(ctx, req), params) })
		}
	}
}

// needs binds a method that an agent serves if it is an I.
func needs[I, P, R any](f func(*Conn, context.Context, I, *P) (R, error)) func(Agent) serveFunc {
	return func(a Agent) serveFunc {
		i, ok := a.(I)
		if !ok {
			return nil
		}
		return func(ctx context.Context, c *Conn, req *jsonrpc.Request) (any, error) {
			return decoded(req, func(params *P) (any, error) { return f(c, withRequest(ctx, req), i, params) })
		}
	}
}

func decoded[P any](req *jsonrpc.Request, f func(*P) (any, error)) (any, error) {
	params := new(P)
	if err := req.Decode(params); err != nil {
		return nil, err
	}
	return f(params)
}

func ignore(*Conn, context.Context, *acp.CancelNotification) (any, error) { return nil, nil }

// services are what an agent serves, by method: requests and notifications.
type services struct {
	requests, notifications map[string]*served
}

type served struct {
	service
	serve serveFunc
}

// bind looks at what an agent implements.
func bind(a Agent) services {
	s := services{requests: map[string]*served{}, notifications: map[string]*served{}}
	for _, entry := range table {
		serve := entry.bind(a)
		if serve == nil {
			continue
		}
		if entry.notification {
			s.notifications[entry.method] = &served{entry, serve}
		} else {
			s.requests[entry.method] = &served{entry, serve}
		}
	}
	return s
}

func (s services) of(req *jsonrpc.Request) *served {
	if req.IsNotification() {
		return s.notifications[req.Method]
	}
	return s.requests[req.Method]
}

// capabilities derives what is advertised: what the agent implements, and the options about what can't be seen (W11).
func (s services) capabilities(o *Options) acp.AgentCapabilities {
	can := acp.AgentCapabilities{PromptCapabilities: o.Prompt, MCPCapabilities: o.MCP, Meta: o.Meta}
	can.SessionCapabilities.SystemPrompt = o.SystemPrompt
	if o.AdditionalDirectories {
		can.SessionCapabilities.AdditionalDirectories = &acp.SessionAdditionalDirectoriesCapabilities{}
	}
	for _, one := range s.requests {
		if one.advertise != nil {
			one.advertise(&can)
		}
	}
	return can
}
