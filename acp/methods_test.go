package acp

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

func TestMethodsAreCompleteAndUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Methods {
		kind := "request"
		if m.Notification {
			kind = "notification"
		}
		for _, to := range []Direction{ToAgent, ToClient, ToProxy} {
			if m.Direction&to == 0 {
				continue
			}
			key := fmt.Sprintf("%s %s %s", kind, m.Name, to)
			if seen[key] {
				t.Errorf("%s is listed twice", key)
			}
			seen[key] = true
			if got := lookup(to, m.Name, m.Notification); got != m {
				t.Errorf("%s: looking it up finds %v", key, got)
			}
			if got := lookup(to, m.Name, !m.Notification); got == m {
				t.Errorf("%s: looking up the other kind finds it", key)
			}
		}
		if m.Direction == 0 {
			t.Errorf("%s has no direction", m.Name)
		}
		if m.Params == nil || m.Params.Kind() != reflect.Struct || reflect.TypeOf(m.NewParams()) != reflect.PointerTo(m.Params) {
			t.Errorf("%s: params are a %v, new ones a %T", m.Name, m.Params, m.NewParams())
		}
		switch {
		case m.Notification && (m.Result != nil || m.NewResult() != nil):
			t.Errorf("%s is a notification with a result", m.Name)
		case !m.Notification && (m.Result == nil || reflect.TypeOf(m.NewResult()) != reflect.PointerTo(m.Result)):
			t.Errorf("%s: the result is a %v, new ones a %T", m.Name, m.Result, m.NewResult())
		}
	}
	if m := RequestMethod(ToAgent, "_example.com/extension"); m != nil {
		t.Errorf("an extension is found as %v", m)
	}
	if got := len(MethodsNamed(MethodMCPMessage)); got != 2 {
		t.Errorf("%d methods named %s", got, MethodMCPMessage)
	}
}

// TestMessagesSpareChecks looks for the methods that package jsonrpc prefers, on every message.
func TestMessagesSpareChecks(t *testing.T) {
	for _, m := range Methods {
		for _, message := range []any{m.NewParams(), m.NewResult()} {
			switch message.(type) {
			case nil, *Raw:
				continue
			}
			if _, ok := message.(jsonAppender); !ok {
				t.Errorf("%s: %T has no AppendJSON", m.Name, message)
			}
			if _, ok := message.(interface{ ParseJSON([]byte) error }); !ok {
				t.Errorf("%s: %T has no ParseJSON", m.Name, message)
			}
		}
	}
}

// TestGatesOpenAtTheirPath advertises what each path says, by reflection, and nothing else.
func TestGatesOpenAtTheirPath(t *testing.T) {
	for _, m := range Methods {
		none := m.Gate.Path == ""
		if m.Gate.OfAgent() == m.Gate.OfClient() && !none {
			t.Errorf("%s: %s is a capability of both sides or of none", m.Name, m.Gate.Path)
		}
		if m.Advertised(nil, nil) != none || m.Advertised(&AgentCapabilities{}, &ClientCapabilities{}) != none {
			t.Errorf("%s: advertised without any capability: %v, want %v", m.Name, !none, none)
		}
		if none {
			continue
		}
		agent, client := &AgentCapabilities{}, &ClientCapabilities{}
		side, path, _ := strings.Cut(m.Gate.Path, ".")
		switch side {
		case "agentCapabilities":
			advertise(t, reflect.ValueOf(agent).Elem(), path)
		case "clientCapabilities":
			if path == "elicitation" { // stands for either of its two ways
				path = "elicitation.form"
			}
			advertise(t, reflect.ValueOf(client).Elem(), path)
		default:
			t.Errorf("%s: no such place: %s", m.Name, m.Gate.Path)
		}
		if !m.Advertised(agent, client) {
			t.Errorf("%s: not advertised by %s", m.Name, m.Gate.Path)
		}
	}
}

// advertise sets the member at a path to true, or to an empty object.
func advertise(t *testing.T, v reflect.Value, path string) {
	t.Helper()
	name, rest, more := strings.Cut(path, ".")
	for i := range v.NumField() {
		if member, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ","); member != name {
			continue
		}
		f := v.Field(i)
		if f.Kind() == reflect.Pointer {
			f.Set(reflect.New(f.Type().Elem()))
			f = f.Elem()
		}
		switch {
		case more:
			advertise(t, f, rest)
		case f.Kind() == reflect.Bool:
			f.SetBool(true)
		}
		return
	}
	t.Errorf("%s has no member %s", v.Type(), name)
}

// TestSessionKeyAgreesWithTheTable compares the column Session with the params' types and with SessionKey.
func TestSessionKeyAgreesWithTheTable(t *testing.T) {
	for _, m := range Methods {
		_, has := m.Params.FieldByName("SessionID")
		if has != m.Session && m.Name != MethodElicitationCreate {
			t.Errorf("%s: Session is %v, but params with a session id: %v", m.Name, m.Session, has)
		}
		for _, same := range MethodsNamed(m.Name) {
			if same.Session != m.Session {
				t.Errorf("%s: the methods of that name differ in Session", m.Name)
			}
		}
		want := ""
		if m.Session {
			want = "s-1"
		}
		if got := string(sessionKey(m.Name, `{"sessionId":"s-1"}`)); got != want {
			t.Errorf("%s: session %q, want %q", m.Name, got, want)
		}
	}
}

func sessionKey(method, params string) []byte {
	return SessionKey(method, []byte(params), rawjson.Get([]byte(params), SessionKeyMember))
}

func TestSessionKey(t *testing.T) {
	for _, c := range []struct{ method, params, want string }{
		{"session/update", `{"update":{"sessionId":"inner"},"sessionId":"s-1"}`, "s-1"},
		{"session/update", ` { "sessionId" : "s-1" } `, "s-1"},
		{"session/update", `{"sessionId":"a","sessionId":"b"}`, "b"},
		{"session/update", `{"\u0073essionId":"caf\u00e9"}`, "café"},
		{"session/update", `{"sessionId":7}`, ""},
		{"session/update", `{"sessionId":null}`, ""},
		{"session/update", `["s-1"]`, ""},
		{"session/update", ``, ""},
		{"elicitation/create", `{"sessionId":"s-1","mode":"form"}`, "s-1"},
		{"elicitation/create", `{"requestId":1,"mode":"form"}`, ""},
		{"_example.com/progress", `{"sessionId":"s-1"}`, "s-1"},
		{"_example.com/progress", `{"session":"s-1"}`, ""},
		{"initialize", `{"sessionId":"s-1"}`, ""},
		{"proxy/successor", `{"sessionId":"no","method":"session/update","params":{"sessionId":"s-1"}}`, "s-1"},
		{"proxy/successor", `{"method":"initialize","params":{"sessionId":"s-1"}}`, ""},
		{"proxy/successor", `{"method":"_example.com/progress","params":{"sessionId":"s-1"}}`, "s-1"},
		{"proxy/successor", `{"method":"proxy/successor","params":{"method":"session/update","params":{"sessionId":"s-1"}}}`, ""},
	} {
		if got := string(sessionKey(c.method, c.params)); got != c.want {
			t.Errorf("SessionKey(%q, %s) = %q, want %q", c.method, c.params, got, c.want)
		}
	}
}

func TestSessionKeyAllocatesNothing(t *testing.T) {
	for method, params := range map[string]string{
		"session/update":        `{"sessionId":"s-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hi"}}}`,
		"_example.com/progress": `{"sessionId":"s-1"}`,
		"proxy/successor":       `{"method":"session/update","params":{"sessionId":"s-1"}}`,
		"initialize":            `{"protocolVersion":1}`,
	} {
		text := []byte(params)
		if n := testing.AllocsPerRun(100, func() { SessionKey(method, text, rawjson.Get(text, SessionKeyMember)) }); n != 0 {
			t.Errorf("SessionKey(%q, ...) allocates %v times", method, n)
		}
	}
}
