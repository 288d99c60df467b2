package interop_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// A testAgent is what the test binary becomes for the SDK's client. The first word of a prompt says what it does, as in
// peers/acts.mjs.
type testAgent struct {
	mu       sync.Mutex
	sessions []acp.SessionInfo
}

// serveAgent runs the agent on standard input and output and returns the process's exit code.
func serveAgent() int {
	err := agent.Serve(context.Background(), new(testAgent), agent.Options{
		Info:        acp.Implementation{Name: "interop", Title: "An agent of ours", Version: "1.2.3"},
		Prompt:      acp.PromptCapabilities{Image: true, EmbeddedContext: true},
		AuthMethods: []acp.AuthMethod{&acp.AuthMethodAgent{ID: "password", Name: "Password"}},
		KeepHistory: true,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

const (
	modeAsk  acp.SessionModeID = "ask"
	modeAuto acp.SessionModeID = "https://example.com/modes#auto"
)

var modes = acp.SessionModeState{
	CurrentModeID:  modeAsk,
	AvailableModes: []acp.SessionMode{{ID: modeAsk, Name: "Ask"}, {ID: modeAuto, Name: "Auto"}},
}

func models(current string) []acp.SessionConfigOption {
	var values acp.SessionConfigSelectOptions
	for _, name := range []string{"small", "large"} {
		values.Ungrouped = append(values.Ungrouped, acp.SessionConfigSelectOption{Value: acp.SessionConfigValueID(name), Name: name})
	}
	value := &acp.SessionConfigSelect{CurrentValue: acp.SessionConfigValueID(current), Options: values}
	return []acp.SessionConfigOption{{ID: "model", Name: "Model", Value: value}}
}

func (a *testAgent) NewSession(ctx context.Context, s *agent.Session) (*acp.NewSessionResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sessions = append(a.sessions, acp.SessionInfo{SessionID: s.ID(), CWD: s.CWD()})
	// Sent before the answer, and yet it has to arrive after it (W12).
	if err := s.Update(ctx, &acp.AvailableCommandsUpdate{}); err != nil {
		return nil, err
	}
	return &acp.NewSessionResponse{Modes: &modes, ConfigOptions: models("small")}, nil
}

func (a *testAgent) LoadSession(ctx context.Context, s *agent.Session) (*acp.LoadSessionResponse, error) {
	if err := a.known(s.ID()); err != nil {
		return nil, err
	}
	return &acp.LoadSessionResponse{Modes: &modes, ConfigOptions: models("small")}, s.Replay(ctx)
}

func (a *testAgent) ResumeSession(ctx context.Context, s *agent.Session) (*acp.ResumeSessionResponse, error) {
	return nil, a.known(s.ID())
}

func (a *testAgent) ForkSession(_ context.Context, from acp.SessionID, _ *agent.Session) (*acp.ForkSessionResponse, error) {
	return nil, a.known(from)
}

func (a *testAgent) CloseSession(context.Context, *agent.Session) error { return nil }

func (a *testAgent) DeleteSession(_ context.Context, id acp.SessionID) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sessions = slices.DeleteFunc(a.sessions, func(s acp.SessionInfo) bool { return s.SessionID == id })
	return nil
}

func (a *testAgent) ListSessions(context.Context, *acp.ListSessionsRequest) (*acp.ListSessionsResponse, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return &acp.ListSessionsResponse{Sessions: slices.Clone(a.sessions)}, nil
}

func (a *testAgent) known(id acp.SessionID) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !slices.ContainsFunc(a.sessions, func(s acp.SessionInfo) bool { return s.SessionID == id }) {
		return acp.ErrSessionNotFound(id)
	}
	return nil
}

func (*testAgent) SetMode(context.Context, *agent.Session, acp.SessionModeID) error { return nil }

func (*testAgent) SetConfigOption(_ context.Context, _ *agent.Session, r *acp.SetSessionConfigOptionRequest) ([]acp.SessionConfigOption, error) {
	value, _ := json.Marshal(r)
	if strings.Contains(string(value), "large") {
		return models("large"), nil
	}
	return models("small"), nil
}

func (*testAgent) Authenticate(context.Context, *acp.AuthenticateRequest) error { return nil }

func (a *testAgent) Prompt(ctx context.Context, t *agent.Turn) (acp.StopReason, error) {
	name, rest, _ := strings.Cut(t.PromptText(), " ")
	act, ok := acts[name]
	if !ok {
		return "", acp.ErrInvalidParams("no act %q", name)
	}
	return act(ctx, t, rest)
}

type act func(ctx context.Context, t *agent.Turn, rest string) (acp.StopReason, error)

var acts = map[string]act{
	"say": sayAct, "kinds": kindsAct, "permission": permissionAct, "read": readAct, "write": writeAct, "run": runAct,
	"wait": waitAct, "stubborn": stubbornAct, "ask": askAct, "link": linkAct, "updates": updatesAct, "fail": failAct,
	"refuse": refuseAct, "many": manyAct,
}

func sayAct(_ context.Context, t *agent.Turn, rest string) (acp.StopReason, error) {
	errs := []error{
		t.Thought("what to say?"),
		t.Plan(acp.PlanEntry{Content: "say it", Priority: acp.PlanEntryPriorityHigh, Status: acp.PlanEntryStatusInProgress}),
	}
	for _, word := range strings.SplitAfter(rest, " ") {
		errs = append(errs, t.Text(word))
	}
	t.SetUsage(acp.Usage{TotalTokens: 3, InputTokens: 1, OutputTokens: 2})
	return "", errors.Join(errs...)
}

func kindsAct(_ context.Context, t *agent.Turn, _ string) (acp.StopReason, error) {
	var kinds []string
	for _, block := range t.Prompt() {
		kinds = append(kinds, strings.TrimPrefix(fmt.Sprintf("%T", block), "*acp."))
	}
	return "", t.Text(strings.Join(kinds, " "))
}

func permissionAct(ctx context.Context, t *agent.Turn, _ string) (acp.StopReason, error) {
	call, err := t.ToolCall(acp.ToolCall{Title: "Delete everything", Kind: acp.ToolKindDelete})
	if err != nil {
		return "", err
	}
	allowed, err := call.Allow(ctx)
	switch {
	case err != nil:
		return "", err
	case !allowed:
		return "", call.Fail(errors.New("not allowed"))
	}
	return "", errors.Join(call.Start(), call.Text("gone"), call.Complete())
}

func readAct(ctx context.Context, t *agent.Turn, rest string) (acp.StopReason, error) {
	var line, limit int
	path := rest
	if n, _ := fmt.Sscanf(rest, "%d %d %s", &line, &limit, &path); n == 0 {
		path = rest
	}
	text, err := t.ReadTextFile(ctx, path, line, limit)
	if err != nil {
		return "", err
	}
	return "", t.Text(text)
}

func writeAct(ctx context.Context, t *agent.Turn, rest string) (acp.StopReason, error) {
	path, text, _ := strings.Cut(rest, " ")
	call, err := t.ToolCall(acp.ToolCall{Title: "Write " + path, Kind: acp.ToolKindEdit})
	if err != nil {
		return "", err
	}
	if err := t.WriteTextFile(ctx, path, text); err != nil {
		return "", errors.Join(err, call.Fail(err))
	}
	return "", errors.Join(call.Start(), call.Diff(path, nil, text), call.Complete())
}

func runAct(ctx context.Context, t *agent.Turn, line string) (acp.StopReason, error) {
	call, err := t.ToolCall(acp.ToolCall{Title: line, Kind: acp.ToolKindExecute})
	if err != nil {
		return "", err
	}
	terminal, err := t.CreateTerminal(ctx, acp.CreateTerminalRequest{Command: "sh", Args: []string{"-c", line}})
	if err != nil {
		return "", err
	}
	_, waitErr := terminal.Wait(ctx)
	output, outputErr := terminal.Output(ctx)
	if err := errors.Join(waitErr, outputErr); err != nil {
		return "", err
	}
	text := fmt.Sprintf("exit %d: %s", *output.ExitStatus.ExitCode, output.Output)
	return "", errors.Join(call.Start(), call.Terminal(terminal), call.Complete(),
		terminal.Kill(ctx), terminal.Release(ctx), t.Text(text))
}

func waitAct(ctx context.Context, t *agent.Turn, _ string) (acp.StopReason, error) {
	call, err := t.ToolCall(acp.ToolCall{Title: "Wait"})
	if err != nil {
		return "", err
	}
	if err := call.Start(); err != nil {
		return "", err
	}
	<-ctx.Done()
	return "", ctx.Err()
}

// stubbornAct takes no notice of a cancel, and says that it has ended well (T1).
func stubbornAct(ctx context.Context, t *agent.Turn, _ string) (acp.StopReason, error) {
	stop, err := waitAct(ctx, t, "")
	if errors.Is(err, context.Canceled) {
		return acp.StopReasonEndTurn, nil
	}
	return stop, err
}

func failAct(context.Context, *agent.Turn, string) (acp.StopReason, error) {
	return "", errors.New("the model is gone")
}

func refuseAct(context.Context, *agent.Turn, string) (acp.StopReason, error) {
	return acp.StopReasonRefusal, nil
}

func manyAct(_ context.Context, t *agent.Turn, count string) (acp.StopReason, error) {
	var n int
	if _, err := fmt.Sscan(count, &n); err != nil {
		return "", err
	}
	for i := range n {
		if err := t.Textf("%d ", i); err != nil {
			return "", err
		}
	}
	return "", nil
}
