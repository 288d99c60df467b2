package interop_test

import (
	"slices"
	"strings"
	"testing"
)

// transports are the ways to a server.
var transports = []string{"stdio", "http", "sse"}

// S001.21, F115: a server on the Go SDK works the same over every transport: its tools are asked for, its picture reaches
// the model and the user, its question the user, its slow call shows how far it is, its prompt is a command, and when it dies
// the call fails, it is started once more, and the session goes on. Each message fits the official schema.
func TestS001_21_AGoServerOverEveryTransport(t *testing.T) {
	for _, kind := range transports {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			server := onStdio(t, "go", "full")
			if kind != "stdio" {
				server = onWeb(t, "go", kind)
			}
			s := serving(t, []object{server},
				calls("mcp__go__echo", `{"text":"hello"}`), calls("mcp__go__picture", `{}`), calls("mcp__go__slow", `{}`),
				calls("mcp__go__ask", `{}`), calls("mcp__go__die", `{}`), calls("mcp__go__echo", `{"text":"again"}`), done, done)
			s.await("mcp__go__review")
			if kind == "stdio" {
				s.await("This line is no message")
			}
			r := s.turn("go")
			for n, want := range map[int]string{1: "echo: hello", 2: "a dot", 3: "at last", 4: "accept Ada", 5: "may have been carried out in part", 6: "echo: again"} {
				contains(t, s.result(n).Text, want)
			}
			same(t, "images for the model", s.result(2).Images, 1)
			shown := updatesOf(t, r)
			contains(t, shown, `"type":"image"`, "on my way (0 of 3)", "go: The echo")
			asked := r.methods()
			same(t, "permissions", len(slices.DeleteFunc(slices.Clone(asked), func(m string) bool { return m != "session/request_permission" })), 6)
			if !slices.Contains(asked, "elicitation/create") {
				t.Errorf("the user was not asked: %v", asked)
			}
			s.told += shown
			s.await(`\"go\" is started once more`)
			if kind == "stdio" {
				contains(t, s.turn("/help").text(), "* go: ready", "  * it prints on its standard output what is no message")
			}
			s.turn("/mcp__go__review main.go")
			m := s.model.Last().Messages
			same(t, "the prompt", m[len(m)-1].Text, "Review main.go")
			s.end()
		})
	}
}

// S001.21: so does npm's server of everything.
func TestS001_21_ANodeServerOverEveryTransport(t *testing.T) {
	requirePeers(t)
	for _, kind := range transports {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := serving(t, []object{everything(t, "all", kind)},
				calls("mcp__all__echo", `{"message":"hello"}`), calls("mcp__all__get-tiny-image", `{}`),
				calls("mcp__all__trigger-long-running-operation", `{"duration":0.3,"steps":3}`), done,
				calls("mcp__all__trigger-elicitation-request", `{}`), done, done)
			s.await("mcp__all__args-prompt")
			r := s.turn("go")
			contains(t, s.result(1).Text, "Echo: hello")
			same(t, "images for the model", s.result(2).Images, 1)
			contains(t, s.result(3).Text, "completed")
			contains(t, updatesOf(t, r), `"type":"image"`, "of 3)")
			contains(t, strings.Join(s.turn("ask").methods(), " "), "elicitation/create")
			contains(t, s.result(5).Text, "Ada")
			s.turn("/mcp__all__args-prompt Paris Texas")
			m := s.model.Last().Messages
			contains(t, m[len(m)-1].Text, "Paris", "Texas")
			s.end()
		})
	}
}
