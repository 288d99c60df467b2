package coder_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// models is the member of answers that clients from before the options look for.
type models struct {
	Current   string `json:"currentModelId"`
	Available []struct {
		ModelID string `json:"modelId"`
		Name    string `json:"name"`
	} `json:"availableModels"`
}

// F144, S004.2: models can be chosen in any of the ways that clients know. Each answer that opens a session names them outside
// of the options as well, session/set_model chooses one, and who looks at the options is told.
func TestF144_ModelsAreChosenInTheOlderWayToo(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "hi"}))
	c := wires[0].begin(t, s, &client{})
	open := func(method string, params any, want string) {
		t.Helper()
		var answer struct {
			SessionID acp.SessionID `json:"sessionId"`
			Models    models        `json:"models"`
		}
		c.must(method, params, &answer)
		if answer.Models.Current != want {
			t.Errorf("%s: the model is %q, want %q", method, answer.Models.Current, want)
		}
		ids := map[string]bool{}
		for _, m := range answer.Models.Available {
			ids[m.ModelID] = m.Name != ""
		}
		if !ids[want] || !ids["anthropic/claude-haiku-4-5"] {
			t.Errorf("%s: there are %v", method, ids)
		}
		if answer.SessionID != "" {
			c.session = answer.SessionID
		}
	}
	const first, other = "anthropic/claude-sonnet-5-5", "anthropic/claude-haiku-4-5"
	servers := []acp.MCPServer{}
	open(acp.MethodSessionNew, &acp.NewSessionRequest{CWD: c.dir, MCPServers: servers}, first)
	c.forget()
	var answer acp.Raw
	c.must("session/set_model", acp.Raw(fmt.Sprintf(`{"sessionId":%q,"modelId":%q}`, c.session, other)), &answer)
	if string(answer) != "{}" {
		t.Errorf("it answers %s", answer)
	}
	c.await(func(u acp.SessionUpdate) bool { _, ok := u.(*acp.ConfigOptionUpdate); return ok })
	var told []string
	for _, u := range c.seen() {
		if options, ok := u.(*acp.ConfigOptionUpdate); ok {
			told = append(told, valueOf(options.ConfigOptions, "model"))
		}
	}
	if diff := cmp.Diff([]string{other}, told); diff != "" {
		t.Errorf("who looks at options is told (-want +got):\n%s", diff)
	}
	c.turn("hello", acp.StopReasonEndTurn)
	if got := s.Last().Model; got != "claude-haiku-4-5" {
		t.Errorf("the model was %s", got)
	}
	open(acp.MethodSessionLoad, &acp.LoadSessionRequest{SessionID: c.session, CWD: c.dir, MCPServers: servers}, other)
	open(acp.MethodSessionResume, &acp.ResumeSessionRequest{SessionID: c.session, CWD: c.dir, MCPServers: servers}, other)
	open(acp.MethodSessionFork, &acp.ForkSessionRequest{SessionID: c.session, CWD: c.dir, MCPServers: servers}, other)
	for params, code := range map[string]int{
		`{"sessionId":"nobody","modelId":"anthropic/x"}`:                 acp.CodeResourceNotFound,
		fmt.Sprintf(`{"sessionId":%q,"modelId":"nobody/x"}`, c.session):  acp.CodeInvalidParams,
		fmt.Sprintf(`{"sessionId":%q,"modelId":{"not":"a"}}`, c.session): acp.CodeInvalidParams,
		fmt.Sprintf(`{"sessionId":%q}`, c.session):                       acp.CodeInvalidParams,
	} {
		if err := c.rpc.Call(t.Context(), "session/set_model", acp.Raw(params), nil); !errors.Is(err, &acp.Error{Code: code}) {
			t.Errorf("%s: got %v", params, err)
		}
	}
	if err := c.rpc.Call(t.Context(), "_unheard/of", acp.Raw(`{}`), nil); !errors.Is(err, &acp.Error{Code: acp.CodeMethodNotFound}) {
		t.Errorf("a method that there is not: got %v", err)
	}
}
