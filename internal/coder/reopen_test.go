//go:build unix

package coder_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// A session that is open and is opened once more keeps what was chosen for it, its commands in the background, what it has
// read, what has been decided and what it has cost.
func TestAnOpenSessionThatIsReopenedKeepsAll(t *testing.T) {
	for name, reopen := range map[string]func(*client) ([]acp.SessionConfigOption, error){
		"load": (*client).load, "resume": (*client).resume,
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, modeltest.Script(
				calling(called("read", `{"path":"a.txt"}`), called("shell", `{"background":true,"command":"echo $$ > pid; exec sleep 1000"}`)),
				modeltest.Answer{Text: "done", Input: 1000, Output: 100},
				calling(called("edit", `{"path":"a.txt","edits":[{"old":"hello","new":"moon"}]}`), called("job", `{"action":"list"}`),
					called("shell", `{"background":true,"command":"true"}`)),
				modeltest.Answer{Text: "done"},
			))
			c := wires[0].begin(t, s, &client{permit: answers(acp.PermissionOptionKindAllowAlways)}, "a.txt", "hello\n")
			c.turn("work", acp.StopReasonEndTurn)
			cost := saidText(c.turn("/cost", acp.StopReasonEndTurn))
			pid := (&scene{client: c}).read("pid")
			for id, value := range map[acp.SessionConfigID]string{"thinking": "high", "maxTokens": "8000", "autoApprove": "on"} {
				if _, err := c.set(id, choice(value)); err != nil {
					t.Fatal(err)
				}
			}
			want, err := c.set("model", choice("anthropic/claude-haiku-4-5"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := reopen(c)
			if diff := cmp.Diff(values(want), values(got)); err != nil || diff != "" {
				t.Errorf("%v; options (-want +got):\n%s", err, diff)
			}
			if got := saidText(c.turn("/cost", acp.StopReasonEndTurn)); got != cost {
				t.Errorf("/cost said %q, and now %q", cost, got)
			}
			if said := saidText(c.turn("/help", acp.StopReasonEndTurn)); !strings.Contains(said, "allowed `Bash(echo $$ > pid") {
				t.Errorf("/help says:\n%s", said)
			}
			if _, err := c.set("autoApprove", choice("off")); err != nil {
				t.Fatal(err)
			}
			c.turn("go on", acp.StopReasonEndTurn)
			results := s.Last().Messages[6].Results
			if len(results) != 3 || c.file("a.txt") != "moon\n" || !strings.Contains(results[1].Text, "job_1 (running)") || !strings.Contains(results[2].Text, "job_2") {
				t.Errorf("a.txt is %q, and the model was given %+v", c.file("a.txt"), results)
			}
			if !alive(pid) {
				t.Error("the command in the background has ended")
			}
			c.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: c.session}, nil)
			if alive(pid) {
				t.Error("the command in the background is alive after its session")
			}
		})
	}
}

// A session that was closed goes on with its model and its bill when it is loaded, and with the answers that were given for it:
// they are remembered (S001.20) as they were shown (F59). What let everything pass was for another span of work, and a fork has
// no answers.
func TestS001_20_AClosedSessionRemembersAnswers(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(calling(called("shell", `{"command":"true"}`)), modeltest.Answer{Text: "done", Input: 1000, Output: 100}))
	c := wires[0].begin(t, s, &client{permit: answers(acp.PermissionOptionKindAllowAlways)})
	c.turn("work", acp.StopReasonEndTurn)
	cost := saidText(c.turn("/cost", acp.StopReasonEndTurn))
	for id, value := range map[acp.SessionConfigID]string{"autoApprove": "on", "model": "anthropic/claude-haiku-4-5"} {
		if _, err := c.set(id, choice(value)); err != nil {
			t.Fatal(err)
		}
	}
	var forked acp.ForkSessionResponse
	c.must(acp.MethodSessionFork, &acp.ForkSessionRequest{SessionID: c.session, CWD: c.dir}, &forked)
	c.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: c.session}, nil)
	loaded, err := c.load()
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range [][]string{values(forked.ConfigOptions), values(loaded)} {
		if got[0] != "model anthropic/claude-haiku-4-5" || got[len(got)-1] != "autoApprove off" {
			t.Errorf("options are %q", got)
		}
	}
	if got := saidText(c.turn("/cost", acp.StopReasonEndTurn)); got != cost {
		t.Errorf("/cost said %q, and now %q", cost, got)
	}
	if said := saidText(c.turn("/permissions", acp.StopReasonEndTurn)); !strings.Contains(said, "* 1: allowed `Bash(true)`, for \"Run `true`\"\n") {
		t.Errorf("/permissions says:\n%s", said)
	}
	c.session = forked.SessionID
	if said := saidText(c.turn("/permissions", acp.StopReasonEndTurn)); !strings.Contains(said, "no answer that lasts") {
		t.Errorf("/permissions of the fork says:\n%s", said)
	}
}

// A turn that runs when its client opens the session once more is cancelled, and the session goes on from it.
func TestReopeningEndsTheTurn(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(
		calling(called("shell", `{"command":"echo $$ > pid; exec sleep 1000"}`)), modeltest.Answer{Text: "fine"},
	))
	c := wires[0].begin(t, s, &client{})
	ended := make(chan acp.StopReason, 1)
	go func() {
		answer, _ := c.prompt("work")
		ended <- answer.StopReason
	}()
	pid := (&scene{client: c}).read("pid")
	if _, err := c.load(); err != nil {
		t.Error(err)
	}
	if got := <-ended; got != acp.StopReasonCancelled {
		t.Errorf("the turn ended with %q", got)
	}
	if alive(pid) {
		t.Error("its command is alive")
	}
	c.turn("go on", acp.StopReasonEndTurn)
	if said := s.Last().Messages; len(said) < 3 || said[0].Text != "work" || !strings.Contains(said[2].Results[0].Text, "may be done in part") {
		t.Errorf("the model was told %+v", said)
	}
}

// A session that is open on one connection may be opened on another, where it goes on with all that it has, but not while a
// turn runs. It is the other one's then, until it is taken back.
func TestASessionMovesToAnotherConnection(t *testing.T) {
	wait := make(chan struct{})
	one := &client{}
	one.handle = map[string]func([]byte) (any, error){acp.MethodFSReadTextFile: func([]byte) (any, error) {
		<-wait
		return &acp.ReadTextFileResponse{Content: "x"}, nil
	}}
	one.can.FS.ReadTextFile = true
	s := stage(t, one,
		"shell", `{'background':true,'command':'echo $$ > pid; exec sleep 1000'}`, "read", `{'path':'a.txt'}`, "job", `{'action':'list'}`)
	ended := make(chan error, 1)
	go func() {
		_, err := one.prompt("work")
		ended <- err
	}()
	pid := s.read("pid")
	one.await(func(u acp.SessionUpdate) bool {
		call, ok := u.(*acp.ToolCall)
		return ok && call.Name == "read"
	})
	two := &client{session: one.session, dir: one.dir}
	two.connect(t, s.coder)
	busy := &acp.Error{Code: acp.CodeInvalidRequest}
	if _, err := two.load(); !errors.Is(err, busy) || !strings.Contains(err.Error(), "a turn of the session is running") {
		t.Errorf("while a turn runs: %v", err)
	}
	close(wait)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := two.load(); err != nil {
		t.Fatal(err)
	}
	if _, err := one.prompt("mine"); !errors.Is(err, busy) || !strings.Contains(err.Error(), "load or resume it here") {
		t.Errorf("a prompt on the first connection: %v", err)
	}
	if _, err := one.set("autoApprove", choice("on")); !errors.Is(err, busy) {
		t.Errorf("an option on the first connection: %v", err)
	}
	one.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: one.session}, nil) // is not the second one's business
	if err := errors.Join(one.rpc.Close(), one.agent.Wait()); err != nil {
		t.Error(err)
	}
	two.permit = answers(acp.PermissionOptionKindAllowOnce)
	two.turn("go on", acp.StopReasonEndTurn)
	if !alive(pid) {
		t.Error("the command in the background has ended with the first connection")
	}
	_ = two.rpc.Close()
	_ = two.agent.Wait()
	s.coder.Close()
	if alive(pid) {
		t.Error("the command in the background is alive when all have gone")
	}
}

// A session whose client has gone in the middle of a turn can be loaded at once: the turn is waited for.
func TestASessionIsLoadedAfterItsClientHasGone(t *testing.T) {
	s := stage(t, &client{}, "shell", `{'command':'echo $$ > pid; exec sleep 1000'}`)
	go func() { _, _ = s.prompt("work") }()
	pid := s.read("pid")
	_ = s.rpc.Close()
	two := &client{session: s.session, dir: s.dir}
	two.connect(t, s.coder)
	if _, err := two.load(); err != nil {
		t.Error(err)
	}
	if alive(pid) {
		t.Error("its command is alive")
	}
	two.turn("go on", acp.StopReasonEndTurn)
}

// One that can't be opened stays as it was.
func TestASessionThatIsNotReopenedGoesOn(t *testing.T) {
	c := begin(t, &client{})
	dir := c.dir
	c.dir = filepath.Join(dir, "no")
	if _, err := c.load(); !errors.Is(err, &acp.Error{Code: acp.CodeInvalidParams}) {
		t.Errorf("got %v", err)
	}
	c.dir = dir
	c.turn("list", acp.StopReasonEndTurn)
	if _, err := c.load(); err != nil {
		t.Error(err)
	}
}
