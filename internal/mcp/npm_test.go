package mcp_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/mcp"
	"github.com/patchbay-dev/patchbay/transport"
)

// npmServer returns the script of a server from npm. Where it is not installed, the test is skipped, or fails where that would
// hide something: in continuous integration.
func npmServer(t *testing.T, name string) string {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("..", "..", "interop", "node_modules", "@modelcontextprotocol", name, "dist", "index.js"))
	if err == nil {
		_, err = os.Stat(script)
	}
	if err == nil {
		_, err = exec.LookPath("node")
	}
	switch {
	case err == nil:
	case os.Getenv("CI") != "" || os.Getenv("PATCHBAY_REQUIRE_PEERS") != "":
		t.Fatalf("the servers from npm are not installed: %v; run npm ci in interop", err)
	default:
		t.Skipf("the servers from npm are not installed: %v; `make test` does that, or npm ci in interop", err)
	}
	return script
}

// listening starts the server of everything behind HTTP and returns its port. It can't choose a port itself, and one that is
// free may be taken a moment later: then it ends, and is tried on another one.
func listening(t *testing.T, kind string) string {
	t.Helper()
	script := npmServer(t, "server-everything")
	for range 5 {
		port := freePort(t)
		p, err := transport.Start(context.Background(), transport.Command{
			Path: "node", Args: []string{script, kind}, Env: append(os.Environ(), "PORT="+port), CloseGrace: -1, TermGrace: time.Second,
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = p.Close(); _ = p.Wait(context.Background()) })
		up, ended := false, false
		eventually(t, "the server listens", func() bool {
			up = strings.Contains(p.Stderr(), "on port "+port)
			select {
			case <-p.Done():
				ended = true
			default:
			}
			return up || ended
		})
		if up && !ended {
			return port
		}
	}
	t.Fatal("there is no port for the server")
	return ""
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	_ = l.Close()
	return port
}

func TestTheServerOfEverythingFromNpm(t *testing.T) {
	for kind, configure := range map[string]func(t *testing.T) acp.MCPServer{
		"stdio": func(t *testing.T) acp.MCPServer {
			return &acp.MCPServerStdio{
				Name: "everything", Command: "node", Args: []string{npmServer(t, "server-everything"), "stdio"},
				Env: []acp.EnvVariable{{Name: "SOME_TOKEN", Value: "open-sesame-1"}},
			}
		},
		"streamableHttp": func(t *testing.T) acp.MCPServer {
			return &acp.MCPServerHTTP{Name: "everything", URL: "http://127.0.0.1:" + listening(t, "streamableHttp") + "/mcp"}
		},
		"sse": func(t *testing.T) acp.MCPServer {
			return &acp.MCPServerSSE{Name: "everything", URL: "http://127.0.0.1:" + listening(t, "sse") + "/sse"}
		},
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			tryEverything(t, kind, configure(t))
		})
	}
}

// tryEverything tries what the server of everything has.
func tryEverything(t *testing.T, kind string, config acp.MCPServer) {
	asked := make(chan mcp.Elicitation, 8)
	o := mcp.Options{Dir: t.TempDir(), Elicit: func(_ context.Context, e mcp.Elicitation) (acp.ElicitationAction, error) {
		asked <- e
		return &acp.ElicitationDeclineAction{}, nil
	}}
	s, _ := ready(t, o, config)
	name := func(own string) string { return "mcp__everything__" + own }
	if r := call(t, s, name("echo"), `{"message":"hello from mcp"}`); r.Text != "Echo: hello from mcp" {
		t.Errorf("echo: %+v", r)
	}
	if r := call(t, s, name("get-sum"), `{"a":2,"b":3}`); !strings.Contains(r.Text, "5") {
		t.Errorf("the sum: %+v", r)
	}
	if r := call(t, s, name("get-tiny-image"), `{}`); len(r.Images) != 1 || r.Images[0].MIMEType != "image/png" {
		t.Errorf("the image: %+v", r)
	}
	if r := call(t, s, name("get-structured-content"), `{"location":"New York"}`); !strings.Contains(r.Text, "temperature") {
		t.Errorf("the structured content: %+v", r)
	}
	if r := call(t, s, name("get-annotated-message"), `{"messageType":"error","includeImage":true}`); !strings.Contains(r.Text, "Error") {
		t.Errorf("the annotated message: %+v", r)
	}
	links := call(t, s, name("get-resource-links"), `{"count":2}`)
	if n := len(slices.DeleteFunc(links.Blocks, func(b acp.ContentBlock) bool { _, ok := b.(*acp.ResourceLink); return !ok })); n != 2 {
		t.Errorf("%d links: %+v", n, links)
	}
	if r := call(t, s, name("get-resource-reference"), `{"resourceType":"Text","resourceId":1}`); !strings.Contains(r.Text, "[resource: demo://") {
		t.Errorf("the resource: %+v", r)
	}
	var last mcp.Progress
	r, err := s.Call(deadline(t), mcp.Call{
		Tool: name("trigger-long-running-operation"), Input: acp.Raw(`{"duration":0.3,"steps":3}`), Progress: func(p mcp.Progress) { last = p },
	})
	if err != nil || last.Total != 3 || !strings.Contains(r.Text, "completed") {
		t.Errorf("the long one: %+v, %+v, %v", r, last, err)
	}
	if kind == "stdio" { // which alone has one client, whose abilities it knows when it lists its tools
		r := call(t, s, name("get-env"), `{}`)
		if strings.Contains(r.Text, "open-sesame-1") || !strings.Contains(r.Text, "SOME_TOKEN") {
			t.Errorf("the environment: %s", r.Text)
		}
	}
	eventually(t, "it offers what it offers to clients that can be asked", func() bool {
		return slices.Contains(toolNames(s), name("trigger-elicitation-request"))
	})
	if r := call(t, s, name("trigger-elicitation-request"), `{}`); !strings.Contains(r.Text, "declined") {
		t.Errorf("the question: %+v", r)
	}
	if e := <-asked; e.Server != "everything" || len(e.Mode.(*acp.ElicitationFormMode).RequestedSchema.Properties) < 5 {
		t.Errorf("it asks %+v", e)
	}
	tryPrompts(t, s)
}

func tryPrompts(t *testing.T, s *mcp.Set) {
	t.Helper()
	i := slices.IndexFunc(s.Prompts(), func(p *mcp.Prompt) bool { return p.Name == "mcp__everything__args-prompt" })
	if i < 0 {
		t.Fatalf("the prompts are %+v", s.Prompts())
	}
	given, err := s.Prompts()[i].Fill("Paris Texas")
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.Prompt(deadline(t), s.Prompts()[i].Name, given)
	if err != nil || len(m) != 1 {
		t.Fatalf("%+v, %v", m, err)
	}
	mustHold(t, fmt.Sprint(m[0].Content[0].(*acp.TextContent).Text), "Paris", "Texas")
}

func TestTheServerOfFilesFromNpm(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("the file's text"), 0o600); err != nil {
		t.Fatal(err)
	}
	// It may touch what it is told on its command line, or the roots.
	s, _ := ready(t, mcp.Options{Dir: dir}, &acp.MCPServerStdio{Name: "files", Command: "node", Args: []string{npmServer(t, "server-filesystem"), dir}})
	if r := call(t, s, "mcp__files__read_text_file", fmt.Sprintf(`{"path":%q}`, filepath.Join(dir, "a.txt"))); r.Text != "the file's text" {
		t.Errorf("the result is %+v", r)
	}
	call(t, s, "mcp__files__write_file", fmt.Sprintf(`{"path":%q,"content":"new"}`, filepath.Join(dir, "b.txt")))
	if text, err := os.ReadFile(filepath.Join(dir, "b.txt")); err != nil || string(text) != "new" {
		t.Errorf("the file says %q: %v", text, err)
	}
	if r := call(t, s, "mcp__files__read_text_file", `{"path":"/etc/hostname"}`); !r.Failed || !strings.Contains(r.Text, "denied") {
		t.Errorf("outside: %+v", r)
	}
	i := slices.IndexFunc(s.Tools(), func(tool *mcp.Tool) bool { return tool.Name == "mcp__files__read_text_file" })
	if tool := s.Tools()[i]; !tool.Hints.ReadOnly || tool.Title == "" {
		t.Errorf("the tool is %+v", tool)
	}
}
