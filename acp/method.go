package acp

import (
	"reflect"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// A Direction says who is asked or told by a message.
type Direction uint8

// The directions. A method may have several.
const (
	ToAgent  Direction = 1 << iota // the client sends it
	ToClient                       // the agent sends it
	ToProxy                        // between a proxy and the conductor that placed it, either way

	// ToEither is the direction of what belongs to the connection rather than to one side of it.
	ToEither = ToAgent | ToClient | ToProxy
)

// String returns the direction in words.
func (d Direction) String() string {
	switch d {
	case ToAgent:
		return "to agent"
	case ToClient:
		return "to client"
	case ToProxy:
		return "to proxy"
	case ToEither:
		return "to either"
	}
	return "no direction"
}

// A Method is a kind of message: what Methods lists. Requests and notifications are kinds of their own, even where they
// share a name.
type Method struct {
	// Name is the method's name on the wire, such as "session/prompt".
	Name string

	// Direction says who may send the message to whom.
	Direction Direction

	// Notification says that there is no answer.
	Notification bool

	// Params is the type of the message's params.
	Params reflect.Type

	// Result is the type of the answer's result; nil for a notification.
	Result reflect.Type

	// Gate is the capability without which the message may not be sent. The zero Gate stands open.
	Gate Gate

	// Session says that the message belongs to a session, which params.sessionId names. elicitation/create does so only
	// if its scope is a session.
	Session bool

	// Unstable says that the method is not part of the specification yet.
	Unstable bool

	newParams, newResult func() any
}

// NewParams returns a pointer to new params.
func (m *Method) NewParams() any { return m.newParams() }

// NewResult returns a pointer to a new result, or nil for a notification.
func (m *Method) NewResult() any {
	if m.newResult == nil {
		return nil
	}
	return m.newResult()
}

// Advertised reports whether the message may be sent (W11): whether its gate stands open. Nil capabilities advertise
// nothing.
func (m *Method) Advertised(agent *AgentCapabilities, client *ClientCapabilities) bool {
	return m.Gate.Open(agent, client)
}

// A Gate is a capability that one side advertises and that a method needs.
type Gate struct {
	// Path is where the capability stands in the initialize messages, such as
	// "agentCapabilities.sessionCapabilities.fork"; empty if nothing is needed.
	Path string

	agent  func(*AgentCapabilities) bool
	client func(*ClientCapabilities) bool
}

// Open reports whether the capability is advertised, or none is needed. Nil capabilities advertise nothing.
func (g Gate) Open(agent *AgentCapabilities, client *ClientCapabilities) bool {
	switch {
	case g.agent != nil:
		return agent != nil && g.agent(agent)
	case g.client != nil:
		return client != nil && g.client(client)
	}
	return true
}

// OfAgent reports whether it is the agent that advertises the capability.
func (g Gate) OfAgent() bool { return g.agent != nil }

// OfClient reports whether it is the client that advertises the capability.
func (g Gate) OfClient() bool { return g.client != nil }

// RequestMethod returns the method of a request in one direction, nil if the protocol has none of that name.
func RequestMethod(to Direction, name string) *Method { return lookup(to, name, false) }

// NotificationMethod returns the method of a notification in one direction, nil if the protocol has none of that name.
func NotificationMethod(to Direction, name string) *Method { return lookup(to, name, true) }

// MethodsNamed returns the methods of a name, whatever their direction and whether or not they have an answer. There
// are none for an extension, one as a rule, and two for mcp/message and proxy/successor.
func MethodsNamed(name string) []*Method { return byName[name] }

var byName = func() map[string][]*Method {
	index := make(map[string][]*Method, len(Methods))
	for _, m := range Methods {
		index[m.Name] = append(index[m.Name], m)
	}
	return index
}()

func lookup(to Direction, name string, notification bool) *Method {
	for _, m := range byName[name] {
		if m.Direction&to != 0 && m.Notification == notification {
			return m
		}
	}
	return nil
}

// SessionKey returns the id of the session that a message belongs to, and nil if it belongs to none. A message of a
// method that the protocol does not define belongs to a session if its params have a string sessionId, and what
// proxy/successor carries belongs where it would without. Params must be valid JSON, or empty; sessionID is the text of
// their member SessionKeyMember, nil if they have none. Its type is that of jsonrpc.Options.Key.
//
// The result is part of params unless the id is written with escapes.
func SessionKey(method string, params, sessionID []byte) []byte {
	known := byName[method]
	if len(known) > 0 && !known[0].Session {
		if method != MethodProxySuccessor {
			return nil
		}
		return successorKey(params)
	}
	return jsonrpc.StringText(sessionID)
}

// SessionKeyMember is the member of params that names the session that a message belongs to.
const SessionKeyMember = "sessionId"

// successorKey returns the session of the message inside a proxy/successor, which does not hold another one.
func successorKey(params []byte) []byte {
	var method, inside []byte
	for c := rawjson.WalkValid(params); c.Next(); {
		switch m := c.Member(); {
		case m.Is("method"):
			method = jsonrpc.StringText(m.Value)
		case m.Is("params"):
			inside = m.Value
		}
	}
	if known := byName[string(method)]; len(known) > 0 && !known[0].Session {
		return nil
	}
	return jsonrpc.StringText(rawjson.Get(inside, SessionKeyMember))
}
