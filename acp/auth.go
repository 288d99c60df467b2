package acp

// An AuthMethodID names one of the ways to sign in that an agent offers.
type AuthMethodID string

// An AuthMethod is a way to sign in: *AuthMethodAgent, *AuthMethodTerminal, or *UnknownAuthMethod for one that this
// package does not know.
//
// Spec: authentication.
type AuthMethod interface{ authMethod() }

func (*AuthMethodAgent) authMethod()    {}
func (*AuthMethodTerminal) authMethod() {}
func (*UnknownAuthMethod) authMethod()  {}

var _ = union[AuthMethod]("type").
	untagged(&AuthMethodAgent{}).
	alias("agent", &AuthMethodAgent{}).
	variant("terminal", &AuthMethodTerminal{}).
	unknown(&UnknownAuthMethod{})

// An AuthMethodAgent is carried out by the agent itself when the client calls authenticate. It is what a method
// without a type is.
type AuthMethodAgent struct {
	ID AuthMethodID `json:"id"`

	// Name is the label to show.
	Name string `json:"name"`

	// Description says more about the method, for people.
	Description string `json:"description,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An AuthMethodTerminal is carried out by the client: it runs the agent's program once more, with more arguments, in a
// terminal where the user signs in. Exit status zero means that the user did. The method is never passed to
// authenticate, and an agent offers it only to a client with AuthCapabilities.Terminal.
type AuthMethodTerminal struct {
	ID AuthMethodID `json:"id"`

	// Name is the label to show.
	Name string `json:"name"`

	// Description says more about the method, for people.
	Description string `json:"description,omitzero" acp:"lenient"`

	// Args are appended to the command line with which the client starts the agent.
	Args []string `json:"args,omitzero" acp:"nullable"`

	// Env is added to the agent's environment and wins over what the client would set.
	Env map[string]string `json:"env,omitzero" acp:"nullable"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An UnknownAuthMethod is a way to sign in of a type that this package does not know. A client can't use it.
type UnknownAuthMethod struct {
	Type string
	Raw  Raw
}

// An AuthenticateRequest asks the agent to sign the user in with one of its methods.
//
// Spec: authentication.
type AuthenticateRequest struct {
	// MethodID is the id of an AuthMethodAgent of the agent's InitializeResponse.
	MethodID AuthMethodID `json:"methodId"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An AuthenticateResponse says that the user is signed in.
type AuthenticateResponse struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A LogoutRequest asks the agent to forget the user's credentials. It needs AgentAuthCapabilities.Logout.
//
// Spec: authentication#logging-out.
type LogoutRequest struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A LogoutResponse says that the user is signed out.
type LogoutResponse struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}
