package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// A bare is an agent that is spoken to in bytes, without a client that knows what is right.
type bare struct{ *process }

// An answered is an answer of the agent's, with what the tests look at.
type answered struct {
	ID     any    `json:"id"`
	Method string `json:"method"`
	Result struct {
		SessionID  string `json:"sessionId"`
		StopReason string `json:"stopReason"`
	} `json:"result"`
	Error *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func startBare(t *testing.T) *bare {
	t.Helper()
	return &bare{startProcess(t, nil, "--model", "offline", "--log-level", "error")}
}

// next reads the next answer, and passes over what is none.
func (b *bare) next() (a answered) {
	b.Helper()
	for {
		line := b.line()
		a = answered{}
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			b.Fatalf("%v: %s", err, line)
		}
		if a.Method == "" {
			return a
		}
	}
}

// open says hello, and makes a session.
func (b *bare) open() (session string) {
	b.Helper()
	b.write(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":1}}`)
	b.next()
	return b.session()
}

func (b *bare) session() string {
	b.Helper()
	b.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":"new","method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`, b.cmd.Dir))
	a := b.next()
	if a.Result.SessionID == "" {
		b.Fatalf("no session: %+v", a)
	}
	return a.Result.SessionID
}

func promptOf(id int, session, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}}`, id, session, text)
}

// W3, W10: each line that makes no sense is answered with an error that says so, and the next one is read as ever. It all
// goes to one agent, one line after the other.
func TestW3_AgentBearsWhateverComes(t *testing.T) {
	b := startBare(t)
	b.open()
	for name, c := range map[string]struct {
		line string
		want string // ids and codes
	}{
		"noise":                   {"Hello?", "null -32700"},
		"bytes":                   {"\x00\xff\xfe\x80", "null -32700"},
		"HTTP":                    {"GET / HTTP/1.1\r", "null -32700"},
		"nothing":                 {"  \t\r", ""},
		"a number":                {"42", "null -32600"},
		"an empty batch":          {"[]", "null -32600"},
		"a batch of noise":        {"[1,null]", "null -32600, null -32600"},
		"as deep as it gets":      {strings.Repeat("[", 100_000), "null -32700"},
		"half a message":          {`{"jsonrpc":"2.0","id":1,"met`, "null -32700"},
		"a method that is none":   {`{"jsonrpc":"2.0","id":1,"method":5}`, "1 -32600"},
		"an unknown method":       {`{"jsonrpc":"2.0","id":"x","method":"session/guess"}`, "x -32601"},
		"an unknown notification": {`{"jsonrpc":"2.0","method":"session/guess"}`, ""},
		"an answer to nothing":    {`{"jsonrpc":"2.0","id":99,"result":{}}`, ""},
		"no params":               {`{"jsonrpc":"2.0","id":1,"method":"session/prompt"}`, "1 -32602"},
		"params of nothing":       {`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":null}`, "1 -32602"},
		"an unknown session":      {promptOf(1, "nobody", "x"), "1 -32002"},
		"a cancel of nothing":     {`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"nobody"}}`, ""},
		"a second hello":          {`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`, "1 -32600"},
		"a folder that is none":   {`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"here","mcpServers":[]}}`, "1 -32602"},
	} {
		wanted := 0
		if c.want != "" {
			wanted = 1 + strings.Count(c.want, ",")
		}
		// Answers come in the order in which they are ready, not in that of the questions.
		b.write(c.line, `{"jsonrpc":"2.0","id":"mark","method":"session/list"}`)
		var got []string
		for marked := false; !marked || len(got) < wanted; {
			switch a := b.next(); {
			case a.ID == "mark":
				marked = true
			case a.Error == nil:
				t.Fatalf("%s: answered with %+v", name, a)
			case a.ID == nil:
				got = append(got, fmt.Sprint("null ", a.Error.Code))
			default:
				got = append(got, fmt.Sprint(a.ID, " ", a.Error.Code))
			}
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: answered with %q, want %q", name, text, c.want)
		}
	}
	b.end()
}

// T3: a cancel that comes in the same write as the prompt is not lost, and not kept for the next one.
func TestT3_AgentTakesCancelInTheWriteOfItsPrompt(t *testing.T) {
	b := startBare(t)
	session := b.open()
	cancel := fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, session)
	for i := range 50 {
		b.write(promptOf(i, session, "/demo hang"), cancel, cancel)
		if a := b.next(); a.Result.StopReason != "cancelled" {
			t.Fatalf("prompt %d: got %+v", i, a)
		}
		b.write(cancel, promptOf(i, session, "list"))
		if a := b.next(); a.Result.StopReason != "end_turn" {
			t.Fatalf("the prompt after it: got %+v", a)
		}
	}
	b.end()
}

// Sessions by the hundred are served at the same time, and a second prompt of one is refused.
func TestAgentServesManySessions(t *testing.T) {
	b := startBare(t)
	const many = 100
	sessions := []string{b.open()}
	for len(sessions) < many {
		sessions = append(sessions, b.session())
	}
	var prompts []string
	for i, s := range sessions {
		prompts = append(prompts, promptOf(i, s, "/demo hang"), promptOf(many+i, s, "list"))
	}
	b.write(prompts...)
	for range many {
		if a := b.next(); a.Error == nil || a.Error.Code != -32600 || !strings.Contains(a.Error.Message, "busy") {
			t.Fatalf("a second prompt of a session: %+v", a)
		}
	}
	for _, s := range sessions {
		b.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, s))
	}
	for range many {
		if a := b.next(); a.Result.StopReason != "cancelled" {
			t.Fatalf("got %+v", a)
		}
	}
	b.end()
}

// F80: an agent whose client reads nothing any more ends all the same when that closes its end.
func TestF80_AgentEndsThoughNobodyReads(t *testing.T) {
	b := startBare(t)
	b.write(promptOf(1, b.open(), "/demo stream 1000000 0"))
	b.line()
	b.end()
}
