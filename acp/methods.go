package acp

import "reflect"

// The names of all methods.
const (
	MethodCancelRequest = "$/cancel_request"

	MethodInitialize       = "initialize"
	MethodAuthenticate     = "authenticate"
	MethodLogout           = "logout"
	MethodAuthStatus       = "auth/status"
	MethodAuthStatusUpdate = "auth/status_update"
	MethodProvidersList    = "providers/list"
	MethodProvidersSet     = "providers/set"
	MethodProvidersDisable = "providers/disable"

	MethodSessionNew             = "session/new"
	MethodSessionLoad            = "session/load"
	MethodSessionResume          = "session/resume"
	MethodSessionFork            = "session/fork"
	MethodSessionClose           = "session/close"
	MethodSessionList            = "session/list"
	MethodSessionDelete          = "session/delete"
	MethodSessionArchive         = "session/archive"
	MethodSessionUnarchive       = "session/unarchive"
	MethodSessionStatus          = "session/status"
	MethodSessionSetTitle        = "session/set_title"
	MethodSessionSetMode         = "session/set_mode"
	MethodSessionSetConfigOption = "session/set_config_option"
	MethodSessionPrompt          = "session/prompt"
	MethodSessionCancel          = "session/cancel"

	MethodSessionUpdate            = "session/update"
	MethodSessionRequestPermission = "session/request_permission"
	MethodFSReadTextFile           = "fs/read_text_file"
	MethodFSWriteTextFile          = "fs/write_text_file"
	MethodTerminalCreate           = "terminal/create"
	MethodTerminalOutput           = "terminal/output"
	MethodTerminalWaitForExit      = "terminal/wait_for_exit"
	MethodTerminalKill             = "terminal/kill"
	MethodTerminalRelease          = "terminal/release"
	MethodElicitationCreate        = "elicitation/create"
	MethodElicitationComplete      = "elicitation/complete"

	MethodMCPMessage      = "mcp/message"
	MethodProxyInitialize = "proxy/initialize"
	MethodProxySuccessor  = "proxy/successor"
)

// Methods lists all methods of the protocol. It must not be changed. Dispatch, capability checks, routing, traces and
// docs all read it, so that nobody has to know the methods a second time.
var Methods = []*Method{
	notification[CancelRequestNotification](ToEither, MethodCancelRequest),

	request[InitializeRequest, InitializeResponse](ToAgent, MethodInitialize),
	request[AuthenticateRequest, AuthenticateResponse](ToAgent, MethodAuthenticate),
	request[LogoutRequest, LogoutResponse](ToAgent, MethodLogout).needs(logout),
	request[AuthStatusRequest, AuthStatusResponse](ToAgent, MethodAuthStatus).needs(authStatus).unstable(),
	notification[AuthStatusUpdateNotification](ToClient, MethodAuthStatusUpdate).needs(authStatus).unstable(),
	request[ListProvidersRequest, ListProvidersResponse](ToAgent, MethodProvidersList).needs(providers).unstable(),
	request[SetProviderRequest, SetProviderResponse](ToAgent, MethodProvidersSet).needs(providers).unstable(),
	request[DisableProviderRequest, DisableProviderResponse](ToAgent, MethodProvidersDisable).needs(providers).unstable(),

	request[NewSessionRequest, NewSessionResponse](ToAgent, MethodSessionNew),
	request[LoadSessionRequest, LoadSessionResponse](ToAgent, MethodSessionLoad).session().needs(loadSession),
	request[ResumeSessionRequest, ResumeSessionResponse](ToAgent, MethodSessionResume).session().needs(resumeSession),
	request[ForkSessionRequest, ForkSessionResponse](ToAgent, MethodSessionFork).session().needs(forkSession).unstable(),
	request[CloseSessionRequest, CloseSessionResponse](ToAgent, MethodSessionClose).session().needs(closeSession),
	request[ListSessionsRequest, ListSessionsResponse](ToAgent, MethodSessionList).needs(listSessions),
	request[DeleteSessionRequest, DeleteSessionResponse](ToAgent, MethodSessionDelete).session().needs(deleteSession),
	request[ArchiveSessionRequest, ArchiveSessionResponse](ToAgent, MethodSessionArchive).session().needs(archiveSession).unstable(),
	request[UnarchiveSessionRequest, UnarchiveSessionResponse](ToAgent, MethodSessionUnarchive).session().needs(archiveSession).unstable(),
	request[SessionStatusRequest, SessionStatusResponse](ToAgent, MethodSessionStatus).session().needs(sessionStatus).unstable(),
	request[SetSessionTitleRequest, SetSessionTitleResponse](ToAgent, MethodSessionSetTitle).session().needs(sessionTitle).unstable(),
	request[SetSessionModeRequest, SetSessionModeResponse](ToAgent, MethodSessionSetMode).session(),
	request[SetSessionConfigOptionRequest, SetSessionConfigOptionResponse](ToAgent, MethodSessionSetConfigOption).session(),
	request[PromptRequest, PromptResponse](ToAgent, MethodSessionPrompt).session(),
	notification[CancelNotification](ToAgent, MethodSessionCancel).session(),

	notification[SessionNotification](ToClient, MethodSessionUpdate).session(),
	request[RequestPermissionRequest, RequestPermissionResponse](ToClient, MethodSessionRequestPermission).session(),
	request[ReadTextFileRequest, ReadTextFileResponse](ToClient, MethodFSReadTextFile).session().needs(readTextFile),
	request[WriteTextFileRequest, WriteTextFileResponse](ToClient, MethodFSWriteTextFile).session().needs(writeTextFile),
	request[CreateTerminalRequest, CreateTerminalResponse](ToClient, MethodTerminalCreate).session().needs(terminals),
	request[TerminalOutputRequest, TerminalOutputResponse](ToClient, MethodTerminalOutput).session().needs(terminals),
	request[WaitForTerminalExitRequest, WaitForTerminalExitResponse](ToClient, MethodTerminalWaitForExit).session().needs(terminals),
	request[KillTerminalRequest, KillTerminalResponse](ToClient, MethodTerminalKill).session().needs(terminals),
	request[ReleaseTerminalRequest, ReleaseTerminalResponse](ToClient, MethodTerminalRelease).session().needs(terminals),
	request[CreateElicitationRequest, CreateElicitationResponse](ToClient, MethodElicitationCreate).session().needs(elicitation),
	notification[CompleteElicitationNotification](ToClient, MethodElicitationComplete).needs(elicitationURL),

	request[MessageMCPRequest, MessageMCPResponse](ToClient, MethodMCPMessage).needs(mcpOverACP).unstable(),
	notification[MessageMCPNotification](ToAgent, MethodMCPMessage).needs(mcpOverACP).unstable(),
	request[InitializeProxyRequest, InitializeProxyResponse](ToProxy, MethodProxyInitialize).unstable(),
	request[ProxySuccessorRequest, ProxySuccessorResponse](ToProxy, MethodProxySuccessor).unstable(),
	notification[ProxySuccessorNotification](ToProxy, MethodProxySuccessor).unstable(),
}

// The capabilities that methods need.
var (
	logout         = ofAgent("auth.logout", func(c *AgentCapabilities) bool { return c.Auth.Logout != nil })
	authStatus     = ofAgent("auth.status", func(c *AgentCapabilities) bool { return c.Auth.Status != nil })
	providers      = ofAgent("providers", func(c *AgentCapabilities) bool { return c.Providers != nil })
	mcpOverACP     = ofAgent("mcpCapabilities.acp", func(c *AgentCapabilities) bool { return c.MCPCapabilities.ACP })
	loadSession    = ofAgent("loadSession", func(c *AgentCapabilities) bool { return c.LoadSession })
	resumeSession  = ofSessions("resume", func(c *SessionCapabilities) bool { return c.Resume != nil })
	forkSession    = ofSessions("fork", func(c *SessionCapabilities) bool { return c.Fork != nil })
	closeSession   = ofSessions("close", func(c *SessionCapabilities) bool { return c.Close != nil })
	listSessions   = ofSessions("list", func(c *SessionCapabilities) bool { return c.List != nil })
	deleteSession  = ofSessions("delete", func(c *SessionCapabilities) bool { return c.Delete != nil })
	archiveSession = ofSessions("archive", func(c *SessionCapabilities) bool { return c.Archive != nil })
	sessionStatus  = ofSessions("status", func(c *SessionCapabilities) bool { return c.Status != nil })
	sessionTitle   = ofSessions("title", func(c *SessionCapabilities) bool { return c.Title != nil })

	readTextFile  = ofClient("fs.readTextFile", func(c *ClientCapabilities) bool { return c.FS.ReadTextFile })
	writeTextFile = ofClient("fs.writeTextFile", func(c *ClientCapabilities) bool { return c.FS.WriteTextFile })
	terminals     = ofClient("terminal", func(c *ClientCapabilities) bool { return c.Terminal })
	elicitation   = ofClient("elicitation", func(c *ClientCapabilities) bool {
		return c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL != nil)
	})
	elicitationURL = ofClient("elicitation.url", func(c *ClientCapabilities) bool {
		return c.Elicitation != nil && c.Elicitation.URL != nil
	})
)

func ofAgent(path string, advertised func(*AgentCapabilities) bool) Gate {
	return Gate{Path: "agentCapabilities." + path, agent: advertised}
}

func ofSessions(path string, advertised func(*SessionCapabilities) bool) Gate {
	return ofAgent("sessionCapabilities."+path, func(c *AgentCapabilities) bool { return advertised(&c.SessionCapabilities) })
}

func ofClient(path string, advertised func(*ClientCapabilities) bool) Gate {
	return Gate{Path: "clientCapabilities." + path, client: advertised}
}

func request[P, R any](to Direction, name string) *Method {
	return &Method{
		Name: name, Direction: to,
		Params: reflect.TypeFor[P](), newParams: func() any { return new(P) },
		Result: reflect.TypeFor[R](), newResult: func() any { return new(R) },
	}
}

func notification[P any](to Direction, name string) *Method {
	return &Method{
		Name: name, Direction: to, Notification: true,
		Params: reflect.TypeFor[P](), newParams: func() any { return new(P) },
	}
}

func (m *Method) session() *Method {
	m.Session = true
	return m
}

func (m *Method) unstable() *Method {
	m.Unstable = true
	return m
}

func (m *Method) needs(gate Gate) *Method {
	m.Gate = gate
	return m
}
