package interop_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// S001.21, F110: the SDK's client gives servers from npm to `patchbay agent`. Their tools are asked for, their image reaches
// the model, their question reaches the client's user, their prompt is a command, and one that fails is named.
func TestSDKClientGivesMCPServersToPatchbayAgent(t *testing.T) {
	requirePeers(t)
	calls := func(name, input string) modeltest.Answer {
		return modeltest.Answer{Calls: []modeltest.Called{{Name: name, Input: input}}}
	}
	done := modeltest.Answer{Text: "done"}
	cwd, home := folder(t), folder(t)
	write(t, cwd, "notes.txt", "what the notes say")
	path := filepath.ToSlash(filepath.Join(cwd, "notes.txt"))
	server := modeltest.New(t, modeltest.Script(
		calls("mcp__files__read_text_file", `{"path":"`+path+`"}`), done,
		calls("mcp__everything__get-tiny-image", `{}`), done,
		calls("mcp__everything__trigger-elicitation-request", `{}`), done,
		done,
	))
	f := formats[0]
	put(t, home, "config/patchbay/patchbay.toml", f.alike())
	c := driveWith(t, f.environment(home, server), patchbay(t), "agent")
	c.must(initialize)
	script := func(name string) string {
		path, err := filepath.Abs(filepath.Join("node_modules", "@modelcontextprotocol", name, "dist", "index.js"))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	r := c.must(step{Request: "session/new", Params: object{"cwd": cwd, "mcpServers": []object{
		{"name": "everything", "command": "node", "args": []string{script("server-everything")}, "env": []any{}},
		{"name": "files", "command": "node", "args": []string{script("server-filesystem"), cwd}, "env": []any{}},
		{"type": "http", "name": "nobody", "url": "http://127.0.0.1:9/mcp", "headers": []any{}},
	}}})
	session := r.Result["sessionId"].(string)
	told := updatesOf(t, r)
	for _, text := range []string{"mcp__everything__args-prompt", `\"nobody\" can't be used`} {
		if !strings.Contains(told, text) {
			told += updatesOf(t, c.must(step{Until: text}))
		}
	}

	r = c.must(prompt(session, "read the notes"))
	same(t, "methods", r.methods(), []string{"session/request_permission"})
	heard := func(n int) modeltest.Returned {
		t.Helper()
		m := server.Heard()[n].Messages
		if last := m[len(m)-1]; len(last.Results) == 1 {
			return last.Results[0]
		}
		t.Fatalf("the model was told %+v", m)
		return modeltest.Returned{}
	}
	same(t, "the file", heard(1).Text, "what the notes say")
	if !slices.Contains(server.Heard()[0].Tools, "mcp__everything__echo") {
		t.Errorf("the model is offered %v", server.Heard()[0].Tools)
	}
	s := prompt(session, "show the image")
	s.Answer = "allow_always"
	c.must(s)
	same(t, "images", heard(3).Images, 1)
	s = prompt(session, "ask the user")
	s.Content = object{"name": "Ada", "check": true}
	r = c.must(s)
	same(t, "methods", r.methods(), []string{"session/request_permission", "elicitation/create"})
	if text := heard(5).Text; !strings.Contains(text, "Ada") {
		t.Errorf("the server was told %q", text)
	}
	c.must(prompt(session, "/mcp__everything__args-prompt Paris Texas"))
	m := server.Heard()[6].Messages
	if text := m[len(m)-1].Text; !strings.Contains(text, "Paris") || !strings.Contains(text, "Texas") {
		t.Errorf("the model was told %q", text)
	}
}

// updatesOf are the reply's updates in JSON.
func updatesOf(t *testing.T, r reply) string {
	t.Helper()
	text, err := json.Marshal(r.Updates)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
