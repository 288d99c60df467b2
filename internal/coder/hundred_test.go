package coder_test

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// An obedient model does what it is told: "NAME {…}" calls a tool, of which it says the result, and "tools" says which
// tools of servers there are. It is the same one for all sessions, and remembers nothing.
type obedient struct{}

func (obedient) Info() model.Info { return model.Info{Name: "obedient", Provider: "obedient"} }

func (obedient) Stream(_ context.Context, r *model.Request) iter.Seq2[model.Event, error] {
	last := r.Messages[len(r.Messages)-1]
	events := []model.Event{model.Text("tools: " + strings.Join(offeredNames(r), " ")), model.Stop{Reason: model.StopEnd}}
	if len(last.Results) > 0 {
		events[0] = model.Text(last.Results[0].Text)
	} else if name, input, ok := strings.Cut(last.Content[0].(*acp.TextContent).Text, " "); ok {
		events = []model.Event{&model.Call{ID: "1", Name: name, Input: acp.Raw(input)}, model.Stop{Reason: model.StopCalls}}
	}
	return func(yield func(model.Event, error) bool) {
		for _, e := range events {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// A hall is a client with many sessions, which keeps apart what came of each.
type hall struct {
	*testing.T
	rpc *jsonrpc.Conn

	mu      sync.Mutex // guards what follows
	updates map[acp.SessionID][]acp.SessionUpdate
	asked   map[acp.SessionID]int
	always  acp.SessionID // whose questions are answered for good; those of others once
}

// A seat is a session in a hall.
type seat struct {
	*hall
	id  acp.SessionID
	dir string
	own string // what its files and its server say
}

func (h *hall) Handle(_ context.Context, req *jsonrpc.Request) (any, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch req.Method {
	case acp.MethodSessionUpdate:
		var n acp.SessionNotification
		if err := json.Unmarshal(req.Params, &n); err != nil {
			return nil, err
		}
		h.updates[n.SessionID] = append(h.updates[n.SessionID], n.Update)
		return nil, nil
	case acp.MethodSessionRequestPermission:
		var asked acp.RequestPermissionRequest
		if err := json.Unmarshal(req.Params, &asked); err != nil {
			return nil, err
		}
		h.asked[asked.SessionID]++
		kind := acp.PermissionOptionKindAllowOnce
		if asked.SessionID == h.always {
			kind = acp.PermissionOptionKindAllowAlways
		}
		for _, o := range asked.Options {
			if o.Kind == kind {
				return &acp.RequestPermissionResponse{Outcome: acp.PermissionSelected(o.OptionID)}, nil
			}
		}
	}
	return nil, jsonrpc.ErrMethodNotFound
}

// newHall opens sessions, each in a folder that says which one it is, the first of them with a server of their own.
func newHall(t *testing.T, many, served int) (*hall, []*seat) {
	t.Helper()
	servers := ownServers(t) // which end after the sessions
	db := openStore(t, t.TempDir())
	a := coder.WithStore(obedient{}, db)
	t.Cleanup(a.Close)
	h := &hall{T: t, updates: map[acp.SessionID][]acp.SessionUpdate{}, asked: map[acp.SessionID]int{}}
	ours, theirs := transport.Pipe()
	conn, err := agent.Connect(theirs, a, a.AgentOptions())
	if err != nil {
		t.Fatal(err)
	}
	h.rpc = jsonrpc.NewConn(ours, h, jsonrpc.Options{KeyMember: acp.SessionKeyMember, Key: acp.SessionKey})
	t.Cleanup(func() {
		_ = h.rpc.Close()
		_ = h.rpc.Wait()
		_ = conn.Close()
		_ = conn.Wait()
	})
	h.must(acp.MethodInitialize, &acp.InitializeRequest{ProtocolVersion: acp.Version1}, nil)
	var seats []*seat
	for i := range many {
		s := &seat{hall: h, dir: t.TempDir(), own: fmt.Sprintf("session %03d", i)}
		if err := os.WriteFile(filepath.Join(s.dir, "who.txt"), []byte(s.own+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		list := []acp.MCPServer{}
		if i < served {
			list = append(list, &acp.MCPServerHTTP{Name: "own", URL: fmt.Sprintf("%s/%03d", servers, i), Headers: []acp.HTTPHeader{}})
		}
		var opened acp.NewSessionResponse
		h.must(acp.MethodSessionNew, &acp.NewSessionRequest{CWD: s.dir, MCPServers: list}, &opened)
		s.id = opened.SessionID
		seats = append(seats, s)
	}
	return h, seats
}

// ownServers serves an MCP server at each path, which says what the path is.
func ownServers(t *testing.T) (url string) {
	t.Helper()
	handler := sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		s := sdk.NewServer(&sdk.Implementation{Name: "own", Version: "1"}, nil)
		name := "session " + strings.TrimPrefix(r.URL.Path, "/")
		addTool(s, "whoami", func(context.Context, *sdk.CallToolRequest, mcpText) ([]sdk.Content, error) {
			return []sdk.Content{&sdk.TextContent{Text: name}}, nil
		})
		return s
	}, nil)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func (h *hall) must(method string, params, result any) {
	h.Helper()
	if err := h.rpc.Call(h.Context(), method, params, result); err != nil {
		h.Fatalf("%s: %v", method, err)
	}
}

// ask takes a turn, and returns how it ended and what was said in it. It may be called on any goroutine.
func (s *seat) ask(words string) (string, acp.StopReason) {
	s.mu.Lock()
	s.updates[s.id] = nil
	s.mu.Unlock()
	var answer acp.PromptResponse
	req := &acp.PromptRequest{SessionID: s.id, Prompt: []acp.ContentBlock{acp.Text(words)}}
	if err := s.rpc.Call(s.Context(), acp.MethodSessionPrompt, req, &answer); err != nil {
		s.Errorf("%s, %q: %v", s.own, words, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return saidText(s.updates[s.id]), answer.StopReason
}

// check takes a turn that has to say something and to end well.
func (s *seat) check(words, want string) {
	if said, stop := s.ask(words); stop != acp.StopReasonEndTurn || !strings.Contains(said+"\n", want) {
		s.Errorf("%s, %q: ended with %q, and said %q, want %q", s.own, words, stop, said, want)
	}
}

// S001.17, F125, F167, F59: of a hundred sessions of one client ten are busy at once, and none sees anything of another: not its
// folder, not the tools of its servers, not what was allowed in it, not that it was cancelled.
func TestF167_AHundredSessionsOfWhichTenAreBusy(t *testing.T) {
	const many, busy, rounds = 100, 10, 5
	h, seats := newHall(t, many, busy)
	h.mu.Lock()
	h.always = seats[0].id
	h.mu.Unlock()
	const victim = 3
	var all sync.WaitGroup
	for i, s := range seats[:busy] {
		all.Go(func() {
			for round := range rounds {
				s.check(`read {"path":"who.txt"}`, s.own)
				s.check(`shell {"command":"cat who.txt"}`, s.own)
				s.check(fmt.Sprintf(`write {"path":"round.txt","text":"%s %d"}`, s.own, round), "round.txt")
				s.check(`mcp__own__whoami {}`, s.own)
				s.check("tools", "tools: mcp__own__whoami\n")
				if i == victim {
					s.cancelled(fmt.Sprintf(`shell {"command":"touch begun%d; sleep 1000"}`, round), fmt.Sprintf("begun%d", round))
				}
			}
		})
	}
	all.Wait()
	for i, s := range seats {
		text, err := os.ReadFile(filepath.Join(s.dir, "round.txt"))
		if want := fmt.Sprintf("%s %d", s.own, rounds-1); i < busy && string(text) != want || i >= busy && err == nil {
			t.Errorf("%s: its folder has %q, %v", s.own, text, err)
		}
	}
	for _, s := range seats[busy:] {
		s.check(`read {"path":"who.txt"}`, s.own)
		s.check("tools", "tools: \n")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, s := range seats {
		want := 0
		switch {
		case i == 0:
			want = 3 // the command, the file and the tool, for good
		case i == victim:
			want = 4 * rounds
		case i < busy:
			want = 3 * rounds
		}
		if h.asked[s.id] != want {
			t.Errorf("%s: the user was asked %d times, want %d", s.own, h.asked[s.id], want)
		}
	}
}

// cancelled takes a turn that is cancelled when a file is there.
func (s *seat) cancelled(words, file string) {
	over := make(chan struct{})
	go func() { // ends with the turn
		for {
			select {
			case <-over:
				return
			default:
			}
			if _, err := os.Stat(filepath.Join(s.dir, file)); err == nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		_ = s.rpc.Notify(s.Context(), acp.MethodSessionCancel, &acp.CancelNotification{SessionID: s.id})
	}()
	if _, stop := s.ask(words); stop != acp.StopReasonCancelled {
		s.Errorf("%s: a cancelled turn ended with %q", s.own, stop)
	}
	close(over)
}
