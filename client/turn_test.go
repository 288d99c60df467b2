package client_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// S000.15, S000.16
func TestW5_AllUpdatesOfATurnAreSeenBeforeItsEnd(t *testing.T) {
	u := &user{}
	c, a := connect(t, u, client.Options{}, noCapabilities)
	s := open(t, c, a)
	turn, p := prompt(t, s, a)
	const n = 200
	lines := make([]string, 0, n+1)
	for i := range n {
		lines = append(lines, says("s", fmt.Sprint(i, ";")))
	}
	a.send(append(lines, outcome(p, `{"stopReason":"max_tokens"}`))...) // the answer in the same write (F26)
	ends(t, turn, acp.StopReasonMaxTokens)
	if got := strings.Count(u.all(), "s:"); got != n {
		t.Errorf("the Handler saw %d updates before Wait returned, want %d", got, n)
	}
	i := 0
	for up := range turn.Updates() {
		if want := fmt.Sprint(i, ";"); textOf(up) != want {
			t.Fatalf("update %d is %q", i, textOf(up))
		}
		i++
	}
	if i != n || turn.Missed() != 0 {
		t.Errorf("the loop saw %d updates and missed %d, want %d", i, turn.Missed(), n)
	}
	messages := 0
	for range s.State().Snapshot().Messages.All() {
		messages++
	}
	if messages != 2 {
		t.Errorf("the State has %d messages, want the prompt and the answer", messages)
	}
}

// F29, F47: agents also speak between turns.
func TestSessionUpdatesAreThePrimaryStream(t *testing.T) {
	c, a := connect(t, &user{}, client.Options{}, noCapabilities)
	s := open(t, c, a)
	updates := s.Updates()
	a.send(says("s", "banner"))
	turn, p := prompt(t, s, a)
	a.send(says("s", "answer"), outcome(p, `{"stopReason":"end_turn"}`))
	ends(t, turn, acp.StopReasonEndTurn)
	a.send(says("s", "afterthought"))
	var got []string
	for u := range updates {
		if got = append(got, textOf(u)); len(got) == 3 {
			break
		}
	}
	if text := strings.Join(got, " "); text != "banner answer afterthought" {
		t.Errorf("Session.Updates: %s", text)
	}
}

func TestASecondPromptIsRefused(t *testing.T) {
	c, a := connect(t, &user{}, client.Options{}, noCapabilities)
	s := open(t, c, a)
	turn, p := prompt(t, s, a)
	_, err := s.Prompt(deadline(t), acp.Text("me too"))
	wantError(t, err, client.ErrTurnRunning)
	a.send(outcome(p, `{"stopReason":"refusal"}`))
	ends(t, turn, acp.StopReasonRefusal)
}

// T6, F168
func TestAnErrorOfTheAgentIsTheTurns(t *testing.T) {
	c, a := connect(t, &user{}, client.Options{}, noCapabilities)
	s := open(t, c, a)
	turn, p := prompt(t, s, a)
	a.send(failure(p, -32603, "the model is overloaded"))
	within(t, "the turn", turn.Done())
	_, err := turn.Wait()
	wantError(t, err, &acp.Error{Code: -32603}, "overloaded")
	turn, p = prompt(t, s, a) // the session is usable
	a.send(outcome(p, `{"stopReason":"end_turn"}`))
	ends(t, turn, acp.StopReasonEndTurn)
}

// S000.6, F34, F40: 500 prompts, each followed by a cancel; the agent goes by the order of the wire alone.
func TestT3_CancelsStayWithTheirTurn(t *testing.T) {
	const n = 500
	c, a := connect(t, &user{}, client.Options{}, noCapabilities)
	s := open(t, c, a)
	served := make(chan struct{})
	go func() {
		defer close(served)
		for range n {
			p := a.expect("session/prompt")
			a.expect("session/cancel")
			a.send(says("s", "stopping"), outcome(p, `{"stopReason":"cancelled"}`))
		}
		p := a.expect("session/prompt") // and no cancel before it
		a.send(outcome(p, `{"stopReason":"end_turn"}`))
	}()
	for range n {
		turn, err := s.Prompt(deadline(t), acp.Text("go"))
		if err != nil {
			t.Fatal(err)
		}
		if err := turn.Cancel(deadline(t)); err != nil {
			t.Fatal(err)
		}
		ends(t, turn, acp.StopReasonCancelled)
		if err := turn.Cancel(deadline(t)); err != nil { // of a turn that has ended: nothing is sent (F40)
			t.Fatal(err)
		}
	}
	if err := s.Cancel(deadline(t)); err != nil {
		t.Fatal(err)
	}
	last, err := s.Prompt(deadline(t), acp.Text("go"))
	if err != nil {
		t.Fatal(err)
	}
	ends(t, last, acp.StopReasonEndTurn)
	within(t, "the agent", served)
}

// S001.22
func TestACancelKeepsItsReason(t *testing.T) {
	c, a := connect(t, &user{}, client.Options{}, noCapabilities)
	s := open(t, c, a)
	turn, p := prompt(t, s, a)
	if err := turn.CancelBecause(deadline(t), "wrong\nfile"); err != nil {
		t.Fatal(err)
	}
	if m := a.expect("session/cancel"); !strings.Contains(string(m.Params), `"_meta":{"reason":"wrong\nfile"}`) {
		t.Errorf("the cancel is %s", m.Params)
	}
	a.send(update("s", `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"failed"}`), outcome(p, `{"stopReason":"cancelled"}`))
	if r := ends(t, turn, acp.StopReasonCancelled); r.Reason != "wrong\nfile" {
		t.Errorf("the Result's reason is %q", r.Reason)
	}
}

// F35: some agents answer a cancelled prompt with the error of a cancelled request.
func TestACancelledRequestIsACancelledTurn(t *testing.T) {
	c, a := connect(t, &user{}, client.Options{}, noCapabilities)
	s := open(t, c, a)
	turn, p := prompt(t, s, a)
	_ = turn.Cancel(deadline(t))
	a.expect("session/cancel")
	a.send(failure(p, -32800, "request cancelled"))
	ends(t, turn, acp.StopReasonCancelled)
}

func TestW7_CancellingATurnsContextWaitsForTheAgent(t *testing.T) {
	u := &user{}
	c, a := connect(t, u, client.Options{}, noCapabilities)
	s := open(t, c, a)
	ctx, cancel := context.WithCancel(context.Background())
	turn, p := promptWith(t, ctx, s, a)
	cancel()
	a.expect("session/cancel")
	a.send(says("s", "last words"), outcome(p, `{"stopReason":"cancelled"}`))
	ends(t, turn, acp.StopReasonCancelled)
	if u.all() != "s:last words" {
		t.Errorf("after the cancel the Handler saw %q", u.all())
	}
}

// F42, F44
func TestW7_ATurnThatTheAgentDoesNotEndIsUnconfirmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := &user{}
		c, a := connect(t, u, client.Options{}, noCapabilities)
		s := open(t, c, a)
		ctx, cancel := context.WithCancel(context.Background())
		turn, p := promptWith(t, ctx, s, a)
		began := time.Now()
		cancel()
		r, err := turn.Wait()
		if took := time.Since(began); took != client.DefaultCancelGrace {
			t.Errorf("Wait returned after %v, want %v", took, client.DefaultCancelGrace)
		}
		wantError(t, err, context.Canceled)
		wantError(t, err, client.ErrUnconfirmed)
		if r == nil || !r.Unconfirmed || r.StopReason != acp.StopReasonCancelled {
			t.Errorf("the Result is %+v", r)
		}
		a.expect("session/cancel")
		a.expect("$/cancel_request")
		a.send(says("s", "orphan"), outcome(p, `{"stopReason":"end_turn"}`)) // too late, and kept
		turn, p = prompt(t, s, a)
		a.send(outcome(p, `{"stopReason":"end_turn"}`))
		ends(t, turn, acp.StopReasonEndTurn)
		if u.all() != "s:orphan" {
			t.Errorf("the Handler saw %q", u.all())
		}
	})
}

// An agent that answers the cancel in time has confirmed it, and is not killed, although the Handler has not come to the
// answer yet.
func TestW7_ACancelIsAnsweredWhenTheAnswerIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := make(chan struct{})
		c, a := connect(t, slow(held), client.Options{IdleTimeout: time.Minute}, noCapabilities)
		s := open(t, c, a)
		turn, p := prompt(t, s, a)
		a.send(says("s", "one"))
		a.expect("session/cancel") // for idleness
		a.send(outcome(p, `{"stopReason":"cancelled"}`))
		time.Sleep(5 * client.DefaultCancelGrace / 2)
		close(held)
		r, err := turn.Wait()
		wantError(t, err, client.ErrIdle)
		if errors.Is(err, client.ErrUnconfirmed) || r == nil || r.Unconfirmed {
			t.Errorf("the turn ends with %+v, %v", r, err)
		}
		if c.Err() != nil {
			t.Errorf("the connection has ended: %v", c.Err())
		}
	})
}

func TestT5_ThereIsNoDefaultDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, a := connect(t, &user{}, client.Options{}, noCapabilities)
		s := open(t, c, a)
		turn, p := prompt(t, s, a)
		time.Sleep(100 * time.Hour)
		a.send(outcome(p, `{"stopReason":"end_turn"}`))
		ends(t, turn, acp.StopReasonEndTurn)
	})
}

// F95, F96: traffic resets the idle deadline; a question and a running tool pause it; the end of the tool starts it.
func TestT5_AnIdleTurnIsCancelledFirstAndKilledLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		u := &user{permit: func(ctx context.Context, _ *client.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
			<-answer
			return client.Select(req.Options, acp.PermissionOptionKindAllowOnce), nil
		}}
		c, a := connect(t, u, client.Options{IdleTimeout: time.Minute}, noCapabilities)
		s := open(t, c, a)
		turn, _ := prompt(t, s, a)
		for range 5 {
			time.Sleep(50 * time.Second)
			a.send(says("s", "still here"))
		}
		a.send(asks(1, "session/request_permission", askPermission))
		time.Sleep(time.Hour)
		close(answer)
		if m := a.next(); !strings.Contains(string(m.Result), `"yes"`) {
			t.Errorf("after an hour's thought the answer is %s %v", m.Result, m.Error)
		}
		a.send(update("s", `{"sessionUpdate":"tool_call","toolCallId":"t","title":"Build","status":"in_progress"}`))
		time.Sleep(time.Hour)
		select {
		case <-turn.Done():
			t.Fatal("the turn has ended while a tool was running")
		default:
		}
		a.send(update("s", `{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}`))
		ended := time.Now()
		a.expect("session/cancel")
		if idle := time.Since(ended); idle < time.Minute || idle > 2*time.Minute {
			t.Errorf("cancelled %v after the last traffic", idle)
		}
		select {
		case <-c.Done():
			t.Fatal("the agent was killed before it could answer")
		default:
		}
		r, err := turn.Wait()
		wantError(t, err, client.ErrIdle)
		if !r.Unconfirmed {
			t.Errorf("the Result is %+v", r)
		}
		<-c.Done()
	})
}

// F97: a turn that is cancelled for idleness and answers keeps its connection.
func TestT5_AnIdleTurnThatAnswersTheCancelIsNotKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, a := connect(t, &user{}, client.Options{IdleTimeout: time.Minute}, noCapabilities)
		s := open(t, c, a)
		turn, p := prompt(t, s, a)
		a.expect("session/cancel")
		a.send(outcome(p, `{"stopReason":"cancelled"}`))
		r, err := turn.Wait()
		wantError(t, err, client.ErrIdle)
		if r.StopReason != acp.StopReasonCancelled || r.Unconfirmed {
			t.Errorf("the Result is %+v", r)
		}
		time.Sleep(time.Hour)
		if c.Err() != nil {
			t.Errorf("the connection has ended: %v", c.Err())
		}
	})
}

// S000.8
func TestW11_ContentThatWasNotAdvertisedIsNotSent(t *testing.T) {
	c, a := connect(t, &user{}, client.Options{}, noCapabilities)
	s := open(t, c, a)
	for capability, block := range map[string]acp.ContentBlock{
		"promptCapabilities.image":           acp.Image("image/png", []byte{1}),
		"promptCapabilities.audio":           acp.Audio("audio/wav", []byte{1}),
		"promptCapabilities.embeddedContext": acp.TextResource("file:///a", "text/plain", "a"),
	} {
		_, err := s.Prompt(deadline(t), acp.Text("look"), block)
		wantError(t, err, acp.ErrUnsupported, capability)
	}
	turn, err := s.Prompt(deadline(t), acp.Text("look"), acp.Link("a.go", "file:///a.go"))
	if err != nil {
		t.Fatal(err)
	}
	p := a.expect("session/prompt") // the first thing since the session was opened
	a.send(outcome(p, `{"stopReason":"end_turn"}`))
	ends(t, turn, acp.StopReasonEndTurn)
}

// S000.7
func TestEveryKindOfContentIsSentToAnAgentThatTakesIt(t *testing.T) {
	c, a := connect(t, &user{}, client.Options{}, allCapabilities)
	s := open(t, c, a)
	turn, err := s.Prompt(deadline(t), acp.Text("x"), acp.Image("image/webp", []byte{1}), acp.Audio("audio/flac", []byte{1}),
		acp.TextResource("file:///t", "text/plain", "t"), acp.BlobResource("file:///b", "image/png", []byte{2}), acp.Link("l", "file:///l"))
	if err != nil {
		t.Fatal(err)
	}
	p := a.expect("session/prompt")
	for _, want := range []string{`"type":"text"`, `"image/webp"`, `"audio/flac"`, `"text":"t"`, `"blob":"Ag=="`, `"type":"resource_link"`} {
		if !strings.Contains(string(p.Params), want) {
			t.Errorf("the prompt lacks %s: %s", want, p.Params)
		}
	}
	a.send(outcome(p, `{"stopReason":"end_turn","usage":{"totalTokens":3,"inputTokens":1,"outputTokens":2}}`))
	if r := ends(t, turn, acp.StopReasonEndTurn); r.Usage == nil || r.Usage.TotalTokens != 3 {
		t.Errorf("the usage is %+v", r.Usage)
	}
}

func TestW8_APendingTurnFailsWhenTheAgentGoes(t *testing.T) {
	u := &user{}
	c, a := connect(t, u, client.Options{}, noCapabilities)
	s := open(t, c, a)
	turn, _ := prompt(t, s, a)
	updates := s.Updates()
	a.send(says("s", "farewell"))
	_ = a.stream.Close()
	within(t, "the turn", turn.Done())
	_, err := turn.Wait()
	wantError(t, err, jsonrpc.ErrClosed)
	var e *acp.Error
	if errors.As(err, &e) {
		t.Error("a lost connection looks like an answer of the agent's (F89)")
	}
	if u.all() != "s:farewell" {
		t.Errorf("before the end the Handler saw %q", u.all())
	}
	n := 0
	for range updates { // ends with the connection
		n++
	}
	if n != 1 {
		t.Errorf("the loop saw %d updates", n)
	}
	_, err = s.Prompt(deadline(t), acp.Text("hello?"))
	wantError(t, err, jsonrpc.ErrClosed)
}
