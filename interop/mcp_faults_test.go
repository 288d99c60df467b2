package interop_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// F174: a hostile server says the credentials that it was given, as they are and in base64, in a result and on standard
// error. Neither the user, nor the model, nor a file of ours has them: no trace, no session.
func TestF174_CredentialsOfMCPServersStayTheirs(t *testing.T) {
	requirePeers(t)
	t.Parallel()
	secrets := []string{"env-secret-12345", "plain-secret-12345", "header-secret-12345", "query-secret-12345"}
	local, web := onStdio(t, "local", "full"), onWeb(t, "web", "http")
	local["env"] = append(local["env"].([]object), object{"name": "API_TOKEN", "value": secrets[0]}, object{"name": "PLAIN", "value": secrets[1]})
	web["headers"] = []object{{"name": "Authorization", "value": "Bearer " + secrets[2]}}
	web["url"] = fmt.Sprint(web["url"], "/?k=", secrets[3])
	s := serving(t, []object{local, web}, calls("mcp__local__secrets", `{}`), calls("mcp__web__secrets", `{}`), done)
	shown := updatesOf(t, s.turn("go"))
	for n, names := range map[int][]string{1: {"API_TOKEN", "PLAIN"}, 2: {"Authorization:[[redacted]]", "X-Query"}} {
		contains(t, s.result(n).Text, append(names, "[redacted]")...)
	}
	s.end()
	places := files(t, s.home)
	same(t, "sessions are kept", slices.ContainsFunc(slices.Collect(maps.Keys(places)), func(path string) bool {
		return strings.HasPrefix(path, ".local/state/patchbay/") && strings.Contains(places[path], "mcp__local__secrets")
	}), true)
	places["what the user was told"] = s.told + shown
	for i, h := range s.model.Heard() {
		places[fmt.Sprint("request ", i, " to the model")] = string(h.Body)
	}
	for _, secret := range secrets {
		encoded := base64.RawStdEncoding.EncodeToString([]byte(secret))
		for place, text := range places {
			if strings.Contains(text, secret) || strings.Contains(text, encoded[:len(encoded)-2]) {
				t.Errorf("%s is in %s", secret, place)
			}
		}
	}
}

// F92: with its session end the processes of a server and what those have started: when the client closes it, when it goes,
// and when the agent is killed.
func TestF92_ProcessesOfMCPServersEndWithTheSession(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the server starts a Unix command")
	}
	requirePeers(t)
	request := func(method string) func(s *served) {
		return func(s *served) {
			s.client.must(step{Request: method, Params: object{"sessionId": s.session}})
			s.end()
		}
	}
	ends := map[string]func(s *served){"closed": request("session/close"), "deleted": request("session/delete"), "left": (*served).end}
	if runtime.GOOS == "linux" { // which alone tells children of their parent's sudden end
		ends["killed"] = (*served).kill
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serving(t, []object{onStdio(t, "go", "full")}, calls("mcp__go__pids", `{}`), done)
			s.turn("go")
			pids := strings.Fields(s.result(1).Text)
			if len(pids) != 2 || !alive(pids[0]) || !alive(pids[1]) {
				t.Fatalf("the processes are %q", pids)
			}
			end(s)
			for _, pid := range pids {
				if !eventually(10*time.Second, func() bool { return !alive(pid) }) {
					t.Errorf("%s of %q lives", pid, pids)
				}
			}
		})
	}
}

// F109: a session without a list of servers is one without servers.
func TestF109_ASessionWithoutAListOfServers(t *testing.T) {
	s := serving(t, nil, done)
	r := s.client.must(step{Request: "session/new", Params: object{"cwd": s.dir}})
	s.session = r.Result["sessionId"].(string)
	same(t, "text", s.turn("go").text(), "done")
	s.client.end()
}

// Servers of the same name, and of odd ones, have tools of their own; one that never answers holds nothing up; and a tool
// that a server has later is offered then.
func TestOddMCPServersOfPatchbayAgent(t *testing.T) {
	requirePeers(t)
	t.Parallel()
	names := []string{"go", "go", "gö … \"x\"\n", ""}
	var servers []object
	for _, name := range names {
		servers = append(servers, onStdio(t, name, "full"))
	}
	servers = append(servers, onStdio(t, "mute", "mute"))
	s := serving(t, servers,
		calls("mcp__go__grow", `{}`), calls("mcp__go_2__echo", `{"text":"2"}`), calls("mcp__g_x__echo", `{"text":"3"}`),
		calls("mcp__server__echo", `{"text":"4"}`), done)
	begun := time.Now()
	s.turn("go")
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("the turn took %v", took)
	}
	for n, want := range map[int]string{1: "grew", 2: "echo: 2", 3: "echo: 3", 4: "echo: 4"} {
		contains(t, s.result(n).Text, want)
	}
	if !eventually(patience, func() bool { s.turn("and now?"); return slices.Contains(s.model.Last().Tools, "mcp__go__grown") }) {
		t.Errorf("offered are %q", s.model.Last().Tools)
	}
	contains(t, s.turn("/help").text(), "* mute: starting", "* go: ready")
	s.end()
}

// S002.14: acpx gives its servers to the agent: those of its configuration, or of a file.
func TestS002_14_AcpxGivesMCPServersToPatchbayAgent(t *testing.T) {
	a := newAcpx(t, "--approve-all", "--format", "json")
	model := modeltest.New(t, modeltest.Script(calls("mcp__go__echo", `{"text":"hello"}`), calls("mcp__web__picture", `{}`), done))
	f := formats[0]
	put(t, a.home, "config/patchbay/patchbay.toml", f.alike())
	text := canonical(t, object{"mcpServers": []object{onStdio(t, "go", "full"), onWeb(t, "web", "http")}})
	write(t, a.cwd, ".acpxrc.json", text)
	trace := filepath.Join(a.home, "trace.ndjson")
	a.flags = append([]string{"--cwd", a.cwd, "--agent", fmt.Sprintf("'%s' agent --trace '%s'", patchbay(t), trace)}, a.flags[4:]...)
	a.env = f.environment(a.home, model)
	w := parseWire(t, a.must("exec", "go"))
	states := strings.Join(w.toolStates(), " ")
	contains(t, states, "completed")
	heard := model.Heard()
	if len(heard) != 3 {
		t.Fatalf("the model was asked %d times", len(heard))
	}
	last := heard[2].Messages
	same(t, "the first result", last[2].Results[0].Text, "echo: hello")
	same(t, "images of the second", last[4].Results[0].Images, 1)
	for _, err := range invalid(wireOf(t, trace)) {
		t.Error(err)
	}
}
