package mcp_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/mcp"
)

// S001.21, F174: a server that knows its credentials says them wherever it can.
func TestS001_21_CredentialsAppearNowhere(t *testing.T) {
	secrets := []string{
		"env-secret-1", `quoted"secret\2`, "flag-secret-3", "set-secret-4", "header-secret-5", "basic-secret-6", "query secret/7", "user-secret-8",
		"line-secret-9", "database-secret-10", "argument-secret-11", "variable-secret-12",
	}
	logger, logged := log()
	config := ours(t, "s", "full", "--api-key", "flag-secret-3", "--token=set-secret-4", "x-env-secret-1-x",
		"--header", "X-API-Key: argument-secret-11", "--header", "Authorization:${HEADER}")
	config.Env = []acp.EnvVariable{
		{Name: "PLAIN", Value: "env-secret-1"},
		{Name: "QUOTED", Value: `quoted"secret\2`},
		{Name: "PEM", Value: "-----BEGIN KEY-----\nline-secret-9\n-----END KEY-----"},
		{Name: "DATABASE", Value: "postgres://me:database-secret-10@db.example.com/x"},
		{Name: "HEADER", Value: "Bearer variable-secret-12"},
		{Name: "SHORT", Value: "true"},
		{Name: "FOLDER", Value: t.TempDir()},
	}
	basic := base64.StdEncoding.EncodeToString([]byte("me:basic-secret-6"))
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, r.Header.Get("Authorization")+r.Header.Get("X-Other")+r.URL.RawQuery, http.StatusTeapot)
	}))
	defer web.Close()
	remote := &acp.MCPServerHTTP{
		Name: "web", URL: strings.Replace(web.URL, "http://", "http://user-secret-8@", 1) + "/mcp?key=query+secret%2F7",
		Headers: []acp.HTTPHeader{{Name: "Authorization", Value: "Bearer header-secret-5"}, {Name: "X-Other", Value: "Basic " + basic}},
	}
	refused := &acp.MCPServerSSE{Name: "refused env-secret-1", URL: "http://127.0.0.1:1/sse?key=query+secret%2F7", Headers: remote.Headers}
	s, h := start(t, mcp.Options{Logger: logger}, config, remote, refused)
	if err := s.Wait(deadline(t)); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "%+v\n%s\n", s.Status(), logged())
	for _, tool := range s.Tools() {
		fmt.Fprintln(&out, tool.Name, tool.Title, tool.Description, string(tool.Schema))
	}
	for _, name := range []string{"PLAIN", "QUOTED", "PEM", "DATABASE"} {
		r := call(t, s, "mcp__s__env", `{"text":"`+name+`"}`)
		fmt.Fprintf(&out, "%s %s\n", r.Text, r.Blocks[0].(*acp.TextContent).Text)
		mustHold(t, r.Text, name, "[redacted]")
	}
	for _, text := range []string{"flag-secret-3", "set-secret-4", "header-secret-5", "query+secret%2F7", "query%20secret%2F7", basic, "a database-secret-10",
		"argument-secret-11", "variable-secret-12",
	} {
		r := call(t, s, "mcp__s__echo", fmt.Sprintf(`{"text":%q}`, text))
		fmt.Fprintln(&out, r.Text)
		mustHold(t, r.Text, "[redacted]")
	}
	for _, before := range []string{"", "a", "ab"} { // a secret within a text in base64, wherever it begins
		said := base64.StdEncoding.EncodeToString([]byte(before + "header-secret-5" + "after"))
		if r := call(t, s, "mcp__s__echo", fmt.Sprintf(`{"text":%q}`, said)); len(r.Text) > len("[redacted]")+16 || !strings.Contains(r.Text, "[redacted]") {
			t.Errorf("%q after %q is told as %q", said, before, r.Text)
		}
	}
	messages, err := s.Prompt(deadline(t), "mcp__s__review", map[string]string{"file": "env-secret-1"})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(&out, messages[0].Content[0].(*acp.TextContent).Text)
	_, err = s.Call(deadline(t), mcp.Call{Tool: "mcp__s__shout", Input: nil})
	fmt.Fprintln(&out, err)
	s.Close()
	h.mu.Lock()
	fmt.Fprintf(&out, "%+v\n%s", h.states, logged())
	h.mu.Unlock()

	for _, secret := range append(secrets, basic, "query+secret%2F7", `quoted\"secret\\2`) {
		if strings.Contains(out.String(), secret) {
			t.Errorf("%q appears in\n%s", secret, out.String())
		}
	}
	// What is no secret does.
	s2, _ := ready(t, mcp.Options{}, config)
	if r := call(t, s2, "mcp__s__env", `{"text":"FOLDER"}`); strings.Contains(r.Text, "[redacted]") {
		t.Errorf("a folder is taken for a secret: %q", r.Text)
	}
	if r := call(t, s2, "mcp__s__env", `{"text":"SHORT"}`); r.Text != `SHORT="true"` {
		t.Errorf("%q", r.Text)
	}
}

func TestLastWordsHoldNoCredentials(t *testing.T) {
	config := ours(t, "s", "broken")
	config.Env = []acp.EnvVariable{{Name: "DB_PASSWORD", Value: "hunter2hunter2"}}
	s, _ := start(t, mcp.Options{}, config)
	if err := s.Wait(deadline(t)); err != nil {
		t.Fatal(err)
	}
	reason := s.Status()[0].Reason
	mustHold(t, reason, "no database at postgres://me:[redacted]@db/x")
	if strings.Contains(reason, "hunter2") {
		t.Errorf("%q", reason)
	}
}
