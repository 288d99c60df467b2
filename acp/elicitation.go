package acp

// An ElicitationID names a request for input that the user answers on a page.
type ElicitationID string

// A CreateElicitationRequest asks the user for input: by a form that the client shows, or on a page that it opens. It
// needs ElicitationCapabilities.
//
// Spec: elicitation.
type CreateElicitationRequest struct {
	// Message says what is asked for, for people.
	Message string `json:"message"`

	// Mode is the way to ask.
	Mode ElicitationMode `json:"-" acp:"inline"`

	// Scope is what the input is for: a session, or a request outside of all sessions.
	Scope ElicitationScope `json:"-" acp:"inline"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An ElicitationMode is a way to ask for input: *ElicitationFormMode, *ElicitationURLMode, or *UnknownElicitationMode
// for one that this package does not know, which must not be shown as another.
type ElicitationMode interface{ elicitationMode() }

func (*ElicitationFormMode) elicitationMode()    {}
func (*ElicitationURLMode) elicitationMode()     {}
func (*UnknownElicitationMode) elicitationMode() {}

var _ = union[ElicitationMode]("mode").
	variant("form", &ElicitationFormMode{}).
	variant("url", &ElicitationURLMode{}).
	unknown(&UnknownElicitationMode{})

// An ElicitationFormMode asks by a form. It needs ElicitationCapabilities.Form.
type ElicitationFormMode struct {
	// RequestedSchema describes the fields of the form.
	RequestedSchema ElicitationSchema `json:"requestedSchema"`

	Unknown Unknown `json:"-"`
}

// An ElicitationURLMode asks on a page. The client opens it only if the user agrees, and what the user enters there
// never passes through the protocol. It needs ElicitationCapabilities.URL.
type ElicitationURLMode struct {
	// ElicitationID will be in the notification that the user is done.
	ElicitationID ElicitationID `json:"elicitationId"`

	// URL is the page.
	URL string `json:"url"`

	Unknown Unknown `json:"-"`
}

// An UnknownElicitationMode is a way to ask that this package does not know. Its members are in the request's Unknown.
type UnknownElicitationMode struct {
	Mode string
}

// An ElicitationScope is what input is for: *ElicitationSessionScope or *ElicitationRequestScope.
type ElicitationScope interface{ elicitationScope() }

func (*ElicitationSessionScope) elicitationScope() {}
func (*ElicitationRequestScope) elicitationScope() {}

var _ = union[ElicitationScope]("").
	shape("sessionId", &ElicitationSessionScope{}).
	shape("requestId", &ElicitationRequestScope{})

// An ElicitationSessionScope asks for input on behalf of a session.
type ElicitationSessionScope struct {
	SessionID SessionID `json:"sessionId"`

	// ToolCallID is the tool call that needs the input, say because an MCP server asked for it. Empty means none in
	// particular.
	ToolCallID ToolCallID `json:"toolCallId,omitzero" acp:"lenient"`

	Unknown Unknown `json:"-"`
}

// An ElicitationRequestScope asks for input on behalf of a request of the client's that belongs to no session, such as
// authenticate.
type ElicitationRequestScope struct {
	RequestID RequestID `json:"requestId"`

	Unknown Unknown `json:"-"`
}

// A CreateElicitationResponse is what the user did.
type CreateElicitationResponse struct {
	Action ElicitationAction `json:"-" acp:"inline"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An ElicitationAction is what the user did: *ElicitationAcceptAction, *ElicitationDeclineAction,
// *ElicitationCancelAction, or *UnknownElicitationAction for something that this package does not know, which must not
// be taken for another.
type ElicitationAction interface{ elicitationAction() }

func (*ElicitationAcceptAction) elicitationAction()  {}
func (*ElicitationDeclineAction) elicitationAction() {}
func (*ElicitationCancelAction) elicitationAction()  {}
func (*UnknownElicitationAction) elicitationAction() {}

var _ = union[ElicitationAction]("action").
	variant("accept", &ElicitationAcceptAction{}).
	variant("decline", &ElicitationDeclineAction{}).
	variant("cancel", &ElicitationCancelAction{}).
	unknown(&UnknownElicitationAction{})

// An ElicitationAcceptAction says that the user filled in the form, or agreed to open the page.
type ElicitationAcceptAction struct {
	// Content is the form's values by the names of its fields; nil for a page.
	Content map[string]ElicitationContentValue `json:"content,omitzero"`

	Unknown Unknown `json:"-"`
}

// An ElicitationDeclineAction says that the user refused.
type ElicitationDeclineAction struct {
	Unknown Unknown `json:"-"`
}

// An ElicitationCancelAction says that the user closed the form without an answer.
type ElicitationCancelAction struct {
	Unknown Unknown `json:"-"`
}

// An UnknownElicitationAction is something that this package does not know. Its members are in the response's Unknown.
type UnknownElicitationAction struct {
	Action string
}

// A CompleteElicitationNotification says that the user is done with a page. It needs ElicitationCapabilities.URL.
type CompleteElicitationNotification struct {
	ElicitationID ElicitationID `json:"elicitationId"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}
