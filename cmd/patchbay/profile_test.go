package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
)

// S002.6: under the profile "basic" the agent says exactly what the seed's table has, and does it; under its own it says more.
func TestS002_6_TheProfileSaysExactlyItsTable(t *testing.T) {
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`
	p := startProcess(t, nil, "--model", "offline", "--no-sessions", "--profile", "basic")
	p.write(hello)
	var answer struct {
		Result acp.InitializeResponse `json:"result"`
	}
	if err := json.Unmarshal([]byte(p.line()), &answer); err != nil {
		t.Fatal(err)
	}
	want := acp.AgentCapabilities{ // what is left out is false, or {}
		LoadSession: true, PromptCapabilities: acp.PromptCapabilities{Audio: true, Image: true, EmbeddedContext: true},
	}
	r := answer.Result
	if diff := cmp.Diff(want, r.AgentCapabilities); diff != "" || r.ProtocolVersion != 1 || len(r.AuthMethods) != 0 {
		t.Errorf("got %+v; capabilities (-want +got):\n%s", r, diff)
	}
	for id, request := range []string{
		`"session/new","params":{"cwd":"DIR","mcpServers":[]}`,
		`"session/new","params":{"cwd":"DIR","mcpServers":[{"type":"http","name":"h","url":"http://127.0.0.1:1","headers":[]}]}`,
		`"session/list","params":{}`,
		`"authenticate","params":{"methodId":"any"}`,
	} {
		p.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%s}`, 2+id, strings.ReplaceAll(request, "DIR", filepath.ToSlash(p.cmd.Dir))))
		var a answered
		for a.ID == nil || a.Method != "" {
			a = answered{}
			if err := json.Unmarshal([]byte(p.line()), &a); err != nil {
				t.Fatal(err)
			}
		}
		code := 0
		if a.Error != nil {
			code = a.Error.Code
		}
		if want := []int{0, -32602, -32601, 0}[id]; code != want {
			t.Errorf("%s: got %+v, want the code %d", request, a, want)
		}
	}
	p.end()
}
