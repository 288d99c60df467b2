package mcp_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/mcp"
)

func TestAServerOfOneSessionHasToolsForIt(t *testing.T) {
	s, h := ready(t, mcp.Options{}, ours(t, "my server", "full"))
	names := toolNames(s)
	if !slices.Contains(names, "mcp__my_server__echo") || len(names) < 15 { // of several pages
		t.Fatalf("the tools are %q", names)
	}
	echo := s.Tools()[slices.Index(names, "mcp__my_server__echo")]
	if echo.Title != "ECHO" || echo.Description != "The tool echo" || echo.Server != "my server" || !echo.Hints.ReadOnly || *echo.Hints.Destructive {
		t.Errorf("the tool is %+v", echo)
	}
	mustHold(t, string(echo.Schema), `"type":"object"`, `"text":{`)
	if r := call(t, s, "mcp__my_server__echo", `{"text":"hello"}`); r.Text != "hello" || r.Failed || len(r.Blocks) != 1 {
		t.Errorf("the result is %+v", r)
	}
	if r := call(t, s, "mcp__my_server__fail", ``); r.Text != "it went wrong" || !r.Failed {
		t.Errorf("the result is %+v", r)
	}
	if got := h.of("my server"); !slices.Equal(got, []mcp.State{mcp.StateStarting, mcp.StateReady}) {
		t.Errorf("the states are %v", got)
	}
}

func TestACallThatCannotBeMadeSaysWhy(t *testing.T) {
	s, _ := ready(t, mcp.Options{}, ours(t, "s", "full"))
	for _, test := range []struct{ tool, input, want string }{
		{"mcp__s__nothing", "{}", `there is no tool named "mcp__s__nothing"`},
		{"mcp__s__echo", "[1]", "no JSON object"},
		{"mcp__s__echo", "null", "no JSON object"},
		{"mcp__s__echo", `{"text":`, "no JSON object"},
	} {
		_, err := s.Call(deadline(t), mcp.Call{Tool: test.tool, Input: acp.Raw(test.input)})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s %s: %v", test.tool, test.input, err)
		}
	}
	// What the server says against the input is a result or an error, and no end of the server's.
	r, err := s.Call(deadline(t), mcp.Call{Tool: "mcp__s__echo", Input: acp.Raw(`{"text":5}`)})
	if err == nil && !r.Failed {
		t.Errorf("the server takes a number for a text: %+v", r)
	}
	call(t, s, "mcp__s__echo", `{"text":"still there"}`)
}

// F110, F113, S002.14
func TestF113_AServerThatFailsIsReportedAndTheOthersGoOn(t *testing.T) {
	t.Parallel()
	o := mcp.Options{StartTimeout: 2 * time.Second}
	s, h := start(t, o,
		ours(t, "good", "full"),
		ours(t, "broken", "broken"),
		ours(t, "mute", "mute"),
		&acp.MCPServerStdio{Name: "absent", Command: "/no/such/program"},
		&acp.MCPServerStdio{Name: "unknown", Command: "no-such-program-anywhere"},
		&acp.MCPServerStdio{Name: "empty"},
		&acp.MCPServerACP{Name: "inside", ServerID: "1"},
		&acp.UnknownMCPServer{Type: "carrier-pigeon", Raw: acp.Raw(`{"type":"carrier-pigeon","name":"bird"}`)},
		&acp.MCPServerHTTP{Name: "ftp", URL: "ftp://example.com"},
	)
	if err := s.Wait(deadline(t)); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"broken":  "exit status 7; the last lines of its standard error:\nno database",
		"mute":    "it was not ready within 2s; the last lines of its standard error:\nthinking about it",
		"absent":  "no such file",
		"unknown": `there is no program "no-such-program-anywhere" in its PATH`,
		"empty":   "it has no command",
		"inside":  `servers of the type "acp", which are reached through the client, are not supported`,
		"bird":    `servers of the type "carrier-pigeon" are not supported`,
		"ftp":     `its URL has the scheme "ftp" rather than http or https`,
	}
	for _, status := range s.Status() {
		if status.Server == "good" {
			if status.State != mcp.StateReady || status.Tools < 15 || status.Prompts != 1 {
				t.Errorf("good is %+v", status)
			}
			continue
		}
		if status.State != mcp.StateFailed || !strings.Contains(status.Reason, want[status.Server]) || want[status.Server] == "" {
			t.Errorf("%s is %s: %q", status.Server, status.State, status.Reason)
		}
		eventually(t, "the session is told of "+status.Server, func() bool { return slices.Contains(h.of(status.Server), mcp.StateFailed) })
	}
	if r := call(t, s, "mcp__good__echo", `{"text":"hi"}`); r.Text != "hi" {
		t.Errorf("the result is %+v", r)
	}
}

// F115
func TestF115_AServerThatDiesIsRestartedOnce(t *testing.T) {
	s, h := ready(t, mcp.Options{}, ours(t, "s", "full"), ours(t, "other", "full"))
	first := call(t, s, "mcp__s__pid", "{}").Text
	waiting := make(chan error, 1)
	begun := filepath.Join(t.TempDir(), "begun")
	go func() {
		_, err := s.Call(context.Background(), mcp.Call{Tool: "mcp__s__slow", Input: acp.Raw(`{"text":"` + begun + `"}`)})
		waiting <- err
	}()
	eventually(t, "the slow call begins", func() bool { _, err := os.Stat(begun); return err == nil })

	_, err := s.Call(deadline(t), mcp.Call{Tool: "mcp__s__die"})
	var problem *mcp.Error
	if !errors.As(err, &problem) || problem.Server != "s" {
		t.Fatalf("the error is %v", err)
	}
	mustHold(t, err.Error(), `the MCP server "s" died during the call`, "exit status 3", "goodbye, cruel world")
	if err := <-waiting; err == nil || !strings.Contains(err.Error(), "died during the call") {
		t.Errorf("the call beside it: %v", err)
	}
	// The next call waits for the second life.
	if second := call(t, s, "mcp__s__pid", "{}").Text; second == first {
		t.Error("it is the same process")
	}
	if _, err := s.Call(deadline(t), mcp.Call{Tool: "mcp__s__die"}); err == nil {
		t.Error("the tool die didn't")
	}
	eventually(t, "it stays failed", func() bool { return s.Status()[0].State == mcp.StateFailed })
	_, err = s.Call(deadline(t), mcp.Call{Tool: "mcp__s__echo"})
	if err == nil || !strings.Contains(err.Error(), "is not running: it died again") {
		t.Errorf("the error is %v", err)
	}
	want := []mcp.State{mcp.StateStarting, mcp.StateReady, mcp.StateRestarting, mcp.StateReady, mcp.StateFailed}
	eventually(t, "all states are told", func() bool { return slices.Equal(h.of("s"), want) })
	call(t, s, "mcp__other__echo", `{"text":"untouched"}`)
}

func TestASlowServerJoinsLate(t *testing.T) {
	sign := filepath.Join(t.TempDir(), "go")
	s, h := start(t, mcp.Options{}, ours(t, "fast", "full"), ours(t, "slow", "late", sign))
	eventually(t, "the fast one is ready", func() bool { return s.Status()[0].State == mcp.StateReady })
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Wait(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting says %v", err)
	}
	if slices.Contains(toolNames(s), "mcp__slow__echo") {
		t.Error("it has tools already")
	}
	h.mu.Lock()
	before := h.changes
	h.mu.Unlock()
	if err := os.WriteFile(sign, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the session is told of new tools", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return h.changes > before && slices.Contains(toolNames(s), "mcp__slow__echo")
	})
}

func TestWhatAServerPrintsIsNoMessage(t *testing.T) {
	s, _ := ready(t, mcp.Options{}, ours(t, "s", "noisy"))
	for range 3 {
		call(t, s, "mcp__s__print", "{}")
	}
	if r := call(t, s, "mcp__s__echo", `{"text":"fine"}`); r.Text != "fine" {
		t.Errorf("the result is %+v", r)
	}
	warnings := strings.Join(s.Status()[0].Warnings, "\n")
	mustHold(t, warnings, "Welcome to the server!", `"level":"info"`, "[1,2", "a line for people")
	if n := strings.Count(warnings, "a line for people"); n != 1 {
		t.Errorf("it is reported %d times", n)
	}
}

func TestAServerThatOnlyPrintsIsGivenUp(t *testing.T) {
	t.Parallel()
	s, _ := start(t, mcp.Options{}, ours(t, "s", "noise"))
	if err := s.Wait(deadline(t)); err != nil {
		t.Fatal(err)
	}
	if status := s.Status()[0]; status.State != mcp.StateFailed || !strings.Contains(status.Reason, "without an end") {
		t.Errorf("it is %+v", status)
	}
}

func TestAFloodOfNotificationsDrownsNobody(t *testing.T) {
	t.Parallel()
	s, _ := ready(t, mcp.Options{}, ours(t, "s", "flood"), ours(t, "other", "full"))
	for range 5 {
		call(t, s, "mcp__s__echo", `{"text":"a"}`)
		call(t, s, "mcp__other__echo", `{"text":"b"}`)
	}
}

// A server that asks without reading the answers is not read any more: what waits for it is bounded.
func TestAServerThatDoesNotReadItsAnswersIsNotRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "count")
	config := ours(t, "s", "asker", `{`+hello+`,"tools/list":{"tools":[{"name":"a","inputSchema":{}}]},"prompts/list":{}}`, file)
	s, _ := ready(t, mcp.Options{CallTimeout: time.Second}, config, ours(t, "other", "full"))
	if _, err := s.Call(deadline(t), mcp.Call{Tool: "mcp__s__a"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
	call(t, s, "mcp__other__echo", `{"text":"b"}`)
	last, still := "", 0
	eventually(t, "it can't write any more", func() bool {
		text, _ := os.ReadFile(file)
		if still++; string(text) != last {
			last, still = string(text), 0
		}
		return still > 100
	})
	if n, err := strconv.Atoi(last); err != nil || n > 50_000 {
		t.Errorf("it could ask %s times", last)
	}
}

func TestTwentyServersStartAtOnce(t *testing.T) {
	var servers []acp.MCPServer
	for range 20 {
		servers = append(servers, ours(t, "same", "full"))
	}
	s, _ := ready(t, mcp.Options{}, servers...)
	names := toolNames(s)
	slices.Sort(names)
	if len(slices.Compact(names)) != 20*s.Status()[0].Tools {
		t.Errorf("there are %d names", len(slices.Compact(names)))
	}
	pids := make(map[string]bool)
	for _, tool := range s.Tools() {
		if strings.HasSuffix(tool.Name, "__pid") {
			pids[call(t, s, tool.Name, "{}").Text] = true
		}
	}
	if len(pids) != 20 {
		t.Errorf("%d servers answer", len(pids))
	}
}

func TestAListThatChangesIsReadAgain(t *testing.T) {
	s, _ := ready(t, mcp.Options{}, ours(t, "s", "full"))
	before := toolNames(s)
	call(t, s, "mcp__s__grow", `{"text":"branch"}`)
	eventually(t, "there is a new tool", func() bool { return slices.Contains(toolNames(s), "mcp__s__branch") })
	for _, name := range before {
		if !slices.Contains(toolNames(s), name) {
			t.Errorf("%s has another name now", name)
		}
	}
	if r := call(t, s, "mcp__s__branch", "{}"); r.Text != "grown" {
		t.Errorf("the result is %+v", r)
	}
}

func TestCancellingACallTellsTheServer(t *testing.T) {
	s, _ := ready(t, mcp.Options{}, ours(t, "s", "full"))
	file := filepath.Join(t.TempDir(), "state")
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		_, err := s.Call(ctx, mcp.Call{Tool: "mcp__s__slow", Input: acp.Raw(`{"text":"` + file + `"}`)})
		done <- err
	}()
	says := func(word string) func() bool {
		return func() bool { text, _ := os.ReadFile(file); return string(text) == word }
	}
	eventually(t, "the call begins", says("begun"))
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	eventually(t, "the server hears of it", says("cancelled"))
	call(t, s, "mcp__s__echo", `{"text":"still there"}`)
}

func TestACallHasATimeLimitThatProgressPutsOff(t *testing.T) {
	s, _ := ready(t, mcp.Options{CallTimeout: 150 * time.Millisecond}, ours(t, "s", "full"))
	_, err := s.Call(deadline(t), mcp.Call{Tool: "mcp__s__slow", Input: acp.Raw(`{"text":""}`)})
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "has not answered for 150ms") {
		t.Errorf("the error is %v", err)
	}
	var reports []mcp.Progress // for longer than the limit in all
	r, err := s.Call(deadline(t), mcp.Call{
		Tool: "mcp__s__progress", Input: acp.Raw(`{"n":15}`), Progress: func(p mcp.Progress) { reports = append(reports, p) },
	})
	if err != nil || r.Text != "done" {
		t.Fatalf("%+v, %v", r, err)
	}
	if len(reports) == 0 || reports[0].Total != 15 || reports[0].Message != "step" {
		t.Errorf("the reports are %+v", reports)
	}
}

func TestCloseEndsCalls(t *testing.T) {
	s, _ := ready(t, mcp.Options{}, ours(t, "s", "full"))
	file := filepath.Join(t.TempDir(), "state")
	done := make(chan error, 1)
	go func() {
		_, err := s.Call(context.Background(), mcp.Call{Tool: "mcp__s__slow", Input: acp.Raw(`{"text":"` + file + `"}`)})
		done <- err
	}()
	eventually(t, "the call begins", func() bool { _, err := os.Stat(file); return err == nil })
	s.Close()
	if err := <-done; !errors.Is(err, mcp.ErrClosed) {
		t.Errorf("the error is %v", err)
	}
	if _, err := s.Call(deadline(t), mcp.Call{Tool: "mcp__s__echo"}); !errors.Is(err, mcp.ErrClosed) {
		t.Errorf("after it: %v", err)
	}
}
