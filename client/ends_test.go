package client_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// A browser is a user who can be sent to a page, and can't be asked by a form.
type browser struct{ user }

func (*browser) ElicitURL(context.Context, *client.Session, *acp.CreateElicitationRequest) (*acp.CreateElicitationResponse, error) {
	return &acp.CreateElicitationResponse{Action: &acp.ElicitationAcceptAction{}}, nil
}

func (*browser) ElicitationComplete(context.Context, acp.ElicitationID) {}

func TestAUserWhoHasPagesOnlyIsSentToOne(t *testing.T) {
	c, a := connect(t, &browser{}, client.Options{}, noCapabilities)
	open(t, c, a)
	a.send(asks(5, "elicitation/create", `{"sessionId":"s","mode":"url","url":"https://example.com/","elicitationId":"e","message":"Sign in"}`))
	if m := a.next(); !strings.Contains(string(m.Result), `"accept"`) {
		t.Errorf("the answer is %s %v", m.Result, m.Error)
	}
	a.send(asks(6, "elicitation/create", `{"sessionId":"s","mode":"form","requestedSchema":{"type":"object","properties":{}},"message":"Name?"}`))
	if m := a.next(); m.Error == nil || m.Error.Code != acp.CodeInvalidParams {
		t.Errorf("a form is answered with %s %v", m.Result, m.Error)
	}
}

func TestAPromptWhoseContextHasEndedIsNeverSaid(t *testing.T) {
	c, a := connect(t, &user{}, client.Options{}, noCapabilities)
	s := open(t, c, a)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Prompt(ctx, acp.Text("never")); !errors.Is(err, context.Canceled) {
		t.Errorf("Prompt: %v", err)
	}
	if n := s.State().Messages().Len(); n != 0 {
		t.Errorf("the State has %d messages", n)
	}
	turn, m := prompt(t, s, a) // the agent sees nothing of the first
	a.send(outcome(m, `{"stopReason":"end_turn"}`))
	ends(t, turn, acp.StopReasonEndTurn)
}

// The context of a handler is what a prompt in it must use, and must not make the turn end before its updates.
func TestW5_ATurnBegunInAHandlerHasAllItsUpdates(t *testing.T) {
	turns := make(chan *client.Turn, 1)
	u := &user{}
	u.hear = func(ctx context.Context, s *client.Session, up acp.SessionUpdate) {
		if textOf(up) != "begin" {
			time.Sleep(5 * time.Millisecond) // a user who reads
			return
		}
		turn, err := s.Prompt(ctx, acp.Text("go"))
		if err != nil {
			t.Errorf("Prompt: %v", err)
		}
		turns <- turn
	}
	c, a := connect(t, u, client.Options{}, noCapabilities)
	open(t, c, a)
	a.send(says("s", "begin"))
	turn := within(t, "the turn", turns)
	m := a.expect("session/prompt")
	a.send(says("s", "one"), says("s", "two"), says("s", "three"), outcome(m, `{"stopReason":"end_turn"}`))
	ends(t, turn, acp.StopReasonEndTurn)
	if got := u.all(); got != "s:begin s:one s:two s:three" {
		t.Errorf("at the end of the turn the handler has heard %q", got)
	}
	loop := ""
	for up := range turn.Updates() {
		loop += textOf(up) + " "
	}
	if loop != "one two three " {
		t.Errorf("the turn's updates are %q", loop)
	}
}

func TestW9_AHandlerThatDiesOnAHeldUpdateHarmsNobody(t *testing.T) {
	u := &user{}
	u.hear = func(_ context.Context, _ *client.Session, up acp.SessionUpdate) {
		switch textOf(up) {
		case "one":
			runtime.Goexit()
		case "two":
			panic("two")
		}
	}
	c, a := connect(t, u, client.Options{}, noCapabilities)
	both(t, func() error {
		_, err := c.NewSession(context.Background(), acp.NewSessionRequest{CWD: "/project"})
		return err
	}, func() {
		m := a.expect("session/new")
		a.send(says("s", "one"), says("s", "two"), says("s", "three"), outcome(m, `{"sessionId":"s"}`), says("s", "four"))
	})
	eventually(t, "the update after the answer", func() bool { return u.all() == "s:one s:two s:three s:four" })
}

func TestARunInAHandlerIsNotHeldUpByIt(t *testing.T) {
	ran := make(chan error, 1)
	u := &user{}
	u.hear = func(ctx context.Context, s *client.Session, up acp.SessionUpdate) {
		if textOf(up) == "begin" {
			_, err := s.Run(ctx, acp.Text("go"))
			ran <- err
		}
	}
	c, a := connect(t, u, client.Options{}, noCapabilities)
	open(t, c, a)
	a.send(says("s", "begin"))
	m := a.expect("session/prompt")
	a.send(says("s", "one"), outcome(m, `{"stopReason":"end_turn"}`))
	if err := within(t, "the run", ran); err != nil {
		t.Error(err)
	}
}
