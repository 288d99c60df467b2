package acp

// A proxy stands between a client and an agent. A conductor starts the proxies and the agent and passes messages along
// the chain: each proxy gets proxy/initialize instead of initialize, and sends to its successor, and hears from it, by
// proxy/successor.

// An InitializeProxyRequest tells a component that it is a proxy. It is an InitializeRequest, which the proxy passes on
// to its successor before it answers.
//
// Unstable: not part of the specification yet.
type InitializeProxyRequest = InitializeRequest

// An InitializeProxyResponse says what the chain can do from the proxy on. It has the version that the successor
// answered.
//
// Unstable: not part of the specification yet.
type InitializeProxyResponse = InitializeResponse

// A ProxySuccessorRequest carries a request to a proxy's successor, or from it.
//
// Unstable: not part of the specification yet.
type ProxySuccessorRequest struct {
	// Method is the method of the request inside.
	Method string `json:"method"`

	// Params are the params of the request inside, an object or an array, passed on unchanged; nil if it has none.
	Params Raw `json:"params,omitzero"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A ProxySuccessorResponse is the result of the request inside, unchanged: any JSON. Its error is the message's error.
//
// Unstable: not part of the specification yet.
type ProxySuccessorResponse = Raw

// A ProxySuccessorNotification carries a notification to a proxy's successor, or from it.
//
// Unstable: not part of the specification yet.
type ProxySuccessorNotification struct {
	// Method is the method of the notification inside.
	Method string `json:"method"`

	// Params are the params of the notification inside, an object or an array, passed on unchanged; nil if it has none.
	Params Raw `json:"params,omitzero"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}
