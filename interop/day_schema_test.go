package interop_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/patchbay-dev/patchbay/trace"
)

// A message is one that crossed the wire.
type message struct {
	line   int // of the trace
	dir    trace.Direction
	raw    []byte
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
}

// wireOf reads a trace in which nothing is missing and everything is a message.
func wireOf(t *testing.T, path string) []message {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var list []message
	for r, err := range trace.Read(file) {
		switch {
		case err != nil:
			t.Fatal(err)
		case r.Lost > 0 || r.TooLarge != nil || r.Text != nil:
			t.Fatalf("line %d of the trace is no message: %+v", r.Line, r)
		case !r.IsFrame():
			continue
		}
		m := message{line: r.Line, dir: r.Dir, raw: r.Msg}
		if err := json.Unmarshal(r.Msg, &m); err != nil {
			t.Fatalf("line %d: %v", r.Line, err)
		}
		list = append(list, m)
	}
	return list
}

// officialSchema is the one that ships with the SDK, unstable parts included, as a schema of objects whose members are named
// after its definitions: {"PromptRequest": {…}}. methods says by which definitions the params and the result of a method go.
var officialSchema = sync.OnceValues(func() (s struct {
	resolved *jsonschema.Resolved
	methods  map[string]map[string]string // "params" and "result", by method
}, err error) {
	text, err := os.ReadFile("node_modules/@agentclientprotocol/sdk/schema/v1/schema.unstable.json")
	if err != nil {
		return s, err
	}
	var file struct {
		Defs map[string]*jsonschema.Schema `json:"$defs"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		return s, err
	}
	root := &jsonschema.Schema{
		Schema: "https://json-schema.org/draft/2020-12/schema", Type: "object", Defs: file.Defs, Properties: map[string]*jsonschema.Schema{},
	}
	s.methods = map[string]map[string]string{}
	for name, definition := range file.Defs {
		root.Properties[name] = &jsonschema.Schema{Ref: "#/$defs/" + name}
		method, _ := definition.Extra["x-method"].(string)
		if method == "" {
			continue
		}
		if s.methods[method] == nil {
			s.methods[method] = map[string]string{}
		}
		part := "params"
		if strings.HasSuffix(name, "Response") {
			part = "result"
		}
		s.methods[method][part] = name
	}
	s.resolved, err = root.Resolve(nil)
	return s, err
})

// fits checks a value against a definition of the official schema.
func fits(definition string, value []byte) error {
	schema, err := officialSchema()
	if err != nil {
		return err
	}
	if value == nil {
		value = []byte("null")
	}
	var instance any
	if err := json.Unmarshal(fmt.Appendf(nil, "{%q:%s}", definition, value), &instance); err != nil {
		return err
	}
	return schema.resolved.Validate(instance)
}

// invalid lists what is wrong with a conversation: each message has to be JSON-RPC, of a method that the official schema has,
// with the params or the result that it has for that method.
func invalid(messages []message) []error {
	var list []error
	asked := map[string]string{} // methods of requests, by who asked and the id
	for _, m := range messages {
		if err := m.check(asked); err != nil {
			list = append(list, fmt.Errorf("line %d, %s: %w in\n%s", m.line, m.dir, err, m.raw))
		}
	}
	return list
}

func (m *message) check(asked map[string]string) error {
	schema, err := officialSchema()
	if err != nil {
		return err
	}
	var envelope struct{ JSONRPC string }
	if err := json.Unmarshal(m.raw, &envelope); err != nil || envelope.JSONRPC != "2.0" {
		return fmt.Errorf("it is not JSON-RPC 2.0: %w", err)
	}
	if m.ID != nil {
		if err := fits("RequestId", m.ID); err != nil {
			return err
		}
	}
	if m.Method != "" {
		definition := schema.methods[m.Method]["params"]
		if definition == "" {
			return fmt.Errorf("there is no method %s", m.Method)
		}
		if m.ID != nil {
			asked[string(m.dir)+string(m.ID)] = m.Method
		}
		if request := schema.methods[m.Method]["result"] != ""; request != (m.ID != nil) {
			return errors.New("a request has an id, and a notification none")
		}
		return fits(definition, m.Params)
	}
	other := map[trace.Direction]trace.Direction{trace.ToAgent: trace.ToClient, trace.ToClient: trace.ToAgent}[m.dir]
	method, ok := asked[string(other)+string(m.ID)]
	switch {
	case !ok:
		return errors.New("it answers nothing")
	case m.Error != nil && m.Result != nil:
		return errors.New("it has a result and an error")
	case m.Error != nil:
		return fits("Error", m.Error)
	}
	delete(asked, string(other)+string(m.ID))
	return fits(schema.methods[method]["result"], m.Result)
}

// The check finds what doesn't fit.
func TestOfficialSchemaRefuses(t *testing.T) {
	requirePeers(t)
	request := `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"hello"}]}}`
	for name, c := range map[string]struct {
		lines []string // what the client sends, then what the agent does
		want  string   // in what is wrong; "" if nothing is
	}{
		"a turn":                  {[]string{request, `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}`}, ""},
		"an error":                {[]string{request, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}`}, ""},
		"no version":              {[]string{`{"id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`}, "JSON-RPC"},
		"no session":              {[]string{`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"prompt":[]}}`}, "sessionId"},
		"an unknown method":       {[]string{`{"jsonrpc":"2.0","id":1,"method":"session/guess","params":{}}`}, "session/guess"},
		"a request without an id": {[]string{`{"jsonrpc":"2.0","method":"session/prompt","params":{"sessionId":"s","prompt":[]}}`}, "an id"},
		"an unknown stop reason":  {[]string{request, `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"enough"}}`}, "stopReason"},
		"an answer to nothing":    {[]string{request, `{"jsonrpc":"2.0","id":"1","result":{"stopReason":"end_turn"}}`}, "nothing"},
		"an error without a code": {[]string{request, `{"jsonrpc":"2.0","id":1,"error":{"message":"no"}}`}, "code"},
		"an unknown status": {[]string{`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` +
			`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"done"}}}`}, "SessionUpdate"},
		"an update without content": {[]string{`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` +
			`{"sessionUpdate":"agent_message_chunk"}}}`}, "SessionUpdate"},
	} {
		t.Run(name, func(t *testing.T) {
			var messages []message
			for i, line := range c.lines {
				m := message{line: i + 1, dir: []trace.Direction{trace.ToAgent, trace.ToClient}[i], raw: []byte(line)}
				if err := json.Unmarshal(m.raw, &m); err != nil {
					t.Fatal(err)
				}
				messages = append(messages, m)
			}
			found := errors.Join(invalid(messages)...)
			if (c.want == "") != (found == nil) || found != nil && !strings.Contains(found.Error(), c.want) {
				t.Errorf("got %v, want %q in it", found, c.want)
			}
		})
	}
}

// canonical writes a JSON value with its members in order.
func canonical(t *testing.T, value any) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}
