package main

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// A typist sends what somebody types, and reads lines.
type typist struct{ *process }

// answer types something and waits for the answer with an id. The updates before it are looked at by see.
func (p *typist) answer(id int, typed string, see func(line string)) map[string]any {
	p.Helper()
	if _, err := io.WriteString(p.in, typed); err != nil {
		p.Fatal(err)
	}
	for {
		line := p.line()
		var m struct {
			ID     *int
			Method string
			Result map[string]any
			Error  any
		}
		if err := json.Unmarshal([]byte(line), &m, json.MatchCaseInsensitiveNames(true)); err != nil {
			p.Fatalf("%q: %v", line, err)
		}
		switch {
		case m.Method == "session/update" && see != nil:
			see(line)
		case m.ID != nil && *m.ID == id && m.Error != nil:
			p.Fatalf("%s: %v", typed, m.Error)
		case m.ID != nil && *m.ID == id:
			return m.Result
		}
	}
}

// S002.15: the examples of its section 12, typed by hand: lines, and a message of several lines behind a header. Its /abs/path
// stands for a folder, which has to be there.
func testTypedByHand(t *testing.T, _ string) {
	p := &typist{startProcess(t, nil)}
	hello := p.answer(1, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`+"\n", nil)
	if hello["protocolVersion"] != 1.0 {
		t.Errorf("initialize: %v", hello)
	}
	open := fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`+"\n", t.TempDir())
	session, _ := p.answer(2, open, nil)["sessionId"].(string)
	if session == "" {
		t.Fatal("session/new names no session")
	}
	prompt := fmt.Sprintf(`{
  "jsonrpc":"2.0",
  "id":3,
  "method":"session/prompt",
  "params":{
    "sessionId":%q,
    "prompt":[{"type":"text","text":"Hello ACP"}]
  }
}`, session)
	said := false
	headed := fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(prompt), prompt)
	turn := p.answer(3, headed, func(line string) { said = said || strings.Contains(line, "Hello ACP") })
	if turn["stopReason"] != "end_turn" || !said {
		t.Errorf("session/prompt: %v, and the prompt was understood: %t", turn, said)
	}
	cancel := fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":%q}}`, session) + "\n"
	again := strings.NewReplacer("\n", "", `"id":3`, `"id":4`, "Hello ACP", "/demo hang").Replace(prompt) + "\n"
	if turn := p.answer(4, again+cancel, nil); turn["stopReason"] != "cancelled" {
		t.Errorf("a prompt and its cancel: %v", turn)
	}
	p.end()
}
