package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// kills is how often an agent is killed.
func kills(few int) int {
	if os.Getenv("PATCHBAY_SOAK") != "" {
		return 200
	}
	return few
}

// F72, F92, F99: the coding agent is killed with SIGKILL at random moments of its turns, in which it talks or runs commands. The
// turn fails and says so, none of its commands is left, and the session goes on in the next process: what the client has seen is
// there.
func TestF72_ASupervisedAgentsSessionGoesOn(t *testing.T) {
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	mark := fmt.Sprintf("PATCHBAY_TEST_SUPERVISED=%d-%d", os.Getpid(), time.Now().UnixNano())
	events := make(chan client.SupervisorEvent, 100)
	v, err := client.Supervise(t.Context(), client.LaunchCommand(transport.Command{
		Path: path,
		Args: []string{"agent", "--model", "offline", "--auto-approve"},
		Env:  append(transport.AllowEnv(), mark, "XDG_CONFIG_HOME="+t.TempDir(), "XDG_STATE_HOME="+t.TempDir()),
	}), yes{}, client.SupervisorOptions{
		Client:  client.Options{Logger: slog.New(slog.DiscardHandler)},
		Restart: client.Retry{First: time.Millisecond, Most: time.Millisecond, Attempts: -1},
		Event:   func(e client.SupervisorEvent) { events <- e },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Wait()
	defer v.Close()
	s, err := v.NewSession(t.Context(), acp.NewSessionRequest{CWD: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for round := range kills(6) {
		killInMidTurn(t, s, round)
		awaitResumed(t, events)
		eventually(t, "only the new agent is left", func() bool { return marked(t, mark) == 1 })
		if result, err := s.Run(t.Context(), acp.Text("list")); err != nil || result.StopReason != acp.StopReasonEndTurn {
			t.Fatalf("round %d: it does not go on: %+v, %v", round, result, err)
		}
	}
	compareWithSaved(t, v, s)
}

// killInMidTurn kills the agent while it works.
func killInMidTurn(t *testing.T, s *client.SupervisedSession, round int) {
	t.Helper()
	session, err := s.Session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	pid := session.Client().Process().Pid()
	timer := time.AfterFunc(rand.N(100*time.Millisecond), func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	defer timer.Stop()
	for n := round; err == nil; n++ {
		prompt := "/demo stream 30 1"
		if n%2 == 1 {
			prompt = "run `sleep 300 & sleep 0.02`"
		}
		_, err = session.Run(t.Context(), acp.Text(prompt))
	}
	var exit *transport.ExitError
	if !errors.Is(err, jsonrpc.ErrClosed) || !errors.As(err, &exit) || exit.ExitCode() != -1 {
		t.Fatalf("round %d: after the kill: %v", round, err)
	}
}

func awaitResumed(t *testing.T, events <-chan client.SupervisorEvent) {
	t.Helper()
	for late := time.After(time.Minute); ; {
		select {
		case e := <-events:
			switch e := e.(type) {
			case *client.SessionResumed:
				return
			case *client.SessionLost:
				t.Fatal(e.Err)
			}
		case <-late:
			t.Fatal("the session is not opened again within a minute")
		}
	}
}

// compareWithSaved loads the session in another connection, and looks whether all that the first has seen of the agent's
// words is there.
func compareWithSaved(t *testing.T, v *client.Supervisor, s *client.SupervisedSession) {
	t.Helper()
	seen := s.State().Messages().Slice()
	session, err := s.Session(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cwd := session.CWD()
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := v.LoadSession(t.Context(), acp.LoadSessionRequest{SessionID: session.ID(), CWD: cwd})
	if err != nil {
		t.Fatal(err)
	}
	saved := map[acp.MessageID]string{}
	for _, m := range again.State().Messages().All() {
		if m.Role == client.RoleAgent {
			saved[m.ID] += m.Text()
		}
	}
	for _, m := range seen {
		if m.Role == client.RoleAgent && !strings.Contains(saved[m.ID], m.Text()) {
			t.Errorf("message %s was %q, and is %q after loading", m.ID, m.Text(), saved[m.ID])
		}
	}
}

// F99: when the agent of a run is killed, the exit status says so, unless the agent had answered by then: never success for
// a turn that did not end, never a hang, and no process is left.
func TestF99_ARunSaysTruthfullyThatItsAgentWasKilled(t *testing.T) {
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	mark := fmt.Sprintf("PATCHBAY_TEST_RUN=%d-%d", os.Getpid(), time.Now().UnixNano())
	ends := map[int]int{}
	for range kills(8) {
		cmd := exec.CommandContext(t.Context(), path, "run", "--format", "json", "--cwd", t.TempDir(), "/demo stream 60 1")
		cmd.Env = append(transport.AllowEnv(), mark, "XDG_CONFIG_HOME="+t.TempDir(), "XDG_STATE_HOME="+t.TempDir())
		var out, words bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &words
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		overdue := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
		agent := childOf(t, cmd.Process.Pid)
		time.Sleep(rand.N(250 * time.Millisecond)) // the moment
		_ = syscall.Kill(agent, syscall.SIGKILL)   // it may have ended: then its number is nobody's for a while
		_ = cmd.Wait()
		if !overdue.Stop() {
			t.Fatal("the run goes on for a minute after its agent was killed")
		}
		checkEnd(t, cmd.ProcessState.ExitCode(), out.Bytes(), words.String())
		ends[cmd.ProcessState.ExitCode()]++
		eventually(t, "nothing is left", func() bool { return marked(t, mark) == 0 })
	}
	t.Logf("exit statuses: %v", ends)
}

// checkEnd looks whether a run's exit status fits what it has printed.
func checkEnd(t *testing.T, code int, out []byte, words string) {
	t.Helper()
	var r struct {
		ExitCode   int    `json:"exitCode"`
		StopReason string `json:"stopReason"`
		Error      string `json:"error"`
	}
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("status %d with the output %q and %q: %v", code, out, words, err)
	}
	truthful := false
	switch code {
	case exitOK:
		truthful = r.StopReason == "end_turn" && r.Error == ""
	case exitStart, exitDied:
		truthful = r.StopReason == "" && strings.Contains(r.Error, "killed")
	}
	if !truthful || r.ExitCode != code {
		t.Errorf("status %d with %+v, %q", code, r, words)
	}
}

// childOf waits for the child of a process that is an agent, and returns its number.
func childOf(t *testing.T, pid int) (child int) {
	t.Helper()
	eventually(t, "the run has started its agent", func() bool {
		lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
		for _, list := range lists {
			text, _ := os.ReadFile(list)
			for _, field := range strings.Fields(string(text)) {
				line, _ := os.ReadFile("/proc/" + field + "/cmdline")
				if bytes.Contains(line, []byte("\x00agent\x00")) {
					child, _ = strconv.Atoi(field)
					return true
				}
			}
		}
		return false
	})
	return child
}
