package acp

// An AuthState says whether an agent can start sessions without the user signing in first. Treat a value that is not
// Known as AuthStateUnknown.
//
// Unstable: not part of the specification yet.
type AuthState string

// The states of authentication.
const (
	AuthStateAuthenticated   AuthState = "authenticated"   // there are credentials; they may still turn out to be invalid
	AuthStateUnauthenticated AuthState = "unauthenticated" // credentials are missing, expired or known to be invalid
	AuthStateNotRequired     AuthState = "not_required"    // there is nothing to sign in to
	AuthStateUnknown         AuthState = "unknown"         // the agent can't tell at the moment
)

var authStates = enum(AuthStateAuthenticated, AuthStateUnauthenticated, AuthStateNotRequired, AuthStateUnknown)

// Known reports whether the protocol defines the state.
func (s AuthState) Known() bool { return authStates.has(s) }

// An AuthStatusRequest asks how things stand with authentication, and changes nothing. An agent never answers it with
// CodeAuthRequired. It needs AgentAuthCapabilities.Status.
//
// Unstable: not part of the specification yet.
type AuthStatusRequest struct {
	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An AuthStatusResponse says how things stand with authentication.
//
// Unstable: not part of the specification yet.
type AuthStatusResponse struct {
	// State is the only member that a program may act on.
	State AuthState `json:"state"`

	// Accounts are for show.
	Accounts []AuthAccount `json:"accounts,omitzero" acp:"lenient,skip"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An AuthStatusUpdateNotification says that the state of authentication has changed. An agent that advertises
// AgentAuthCapabilities.Status may send it at any time after initialize, when it differs from what it last said.
//
// Unstable: not part of the specification yet.
type AuthStatusUpdateNotification struct {
	// State is the only member that a program may act on.
	State AuthState `json:"state"`

	// Accounts are for show.
	Accounts []AuthAccount `json:"accounts,omitzero" acp:"lenient,skip"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An AuthAccount is an account, key or other credential that an agent has. All of it is for show: nothing in it
// identifies an account for good, and it does not belong in logs or telemetry.
//
// Unstable: not part of the specification yet.
type AuthAccount struct {
	// Label names the account and can stand alone, such as "Anthropic API key".
	Label string `json:"label"`

	// Active says whether the agent uses the account by default. Several may be active, say one a provider; nil means
	// that the agent does not say.
	Active *bool `json:"active,omitzero" acp:"lenient"`

	// Name is the user's name.
	Name string `json:"name,omitzero" acp:"lenient"`

	// Email is the user's mail address.
	Email string `json:"email,omitzero" acp:"lenient"`

	// Organization is the organization, team or workspace that the account belongs to.
	Organization string `json:"organization,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}
