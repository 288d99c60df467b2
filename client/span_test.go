package client_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// texts is what the updates of a loop say.
func texts(loop func(func(acp.SessionUpdate) bool)) string {
	var list []string
	for u := range loop {
		list = append(list, textOf(u))
	}
	return strings.Join(list, " ")
}

// slow is a user who takes each update only when something comes from the channel, or it is closed.
func slow(held <-chan struct{}) *user {
	return &user{hear: func(context.Context, *client.Session, acp.SessionUpdate) { <-held }}
}

// F25, F41: what an unconfirmed turn still sends is not the next turn's, although it is handled while that runs: it was there before
// the prompt.
func TestLateUpdatesAreNotTheNextTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := make(chan struct{})
		c, a := connect(t, slow(held), client.Options{}, noCapabilities)
		s := open(t, c, a)
		all := s.Updates()
		first, _ := prompt(t, s, a)
		_ = first.Cancel(context.Background())
		a.expect("session/cancel")
		_, err := first.Wait()
		wantError(t, err, client.ErrUnconfirmed)
		a.expect("$/cancel_request")
		a.send(says("s", "late"), says("s", "later"))
		synctest.Wait() // the Handler has the one, the other waits for it
		second, p := prompt(t, s, a)
		a.send(says("s", "own"), outcome(p, `{"stopReason":"end_turn"}`))
		synctest.Wait()
		close(held)
		ends(t, second, acp.StopReasonEndTurn)
		if got := texts(first.Updates()); got != "" {
			t.Errorf("the first turn has the updates %q", got)
		}
		if got := texts(second.Updates()); got != "own" {
			t.Errorf("the second turn has the updates %q", got)
		}
		_ = s.Close(context.Background())
		if got := texts(all); got != "late later own" {
			t.Errorf("the session has the updates %q", got)
		}
	})
}

// What comes after a turn's answer is not the turn's, however soon it comes.
func TestUpdatesAfterTheAnswerAreNotTheTurns(t *testing.T) {
	c, a := connect(t, &user{}, client.Options{}, noCapabilities)
	s := open(t, c, a)
	after := strings.Split(strings.Repeat(says("s", "after")+"\n", 20), "\n")[:20]
	for range 100 {
		turn, p := prompt(t, s, a)
		a.send(append([]string{says("s", "own"), outcome(p, `{"stopReason":"end_turn"}`)}, after...)...)
		ends(t, turn, acp.StopReasonEndTurn)
		if got := texts(turn.Updates()); got != "own" {
			t.Fatalf("the turn has the updates %q", got)
		}
		both(t, func() error { return c.Call(deadline(t), "_sync", map[string]string{"sessionId": "s"}, nil) }, func() {
			a.send(outcome(a.expect("_sync"), `{}`)) // and what came before has been read
		})
	}
}

// F25: the end of a turn that was begun in a handler waits for all that has been read, and takes no more than what is its own.
func TestUpdatesAfterTheAnswerAreNotTheTurnsOfAHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		held := make(chan struct{})
		turns := make(chan *client.Turn, 1)
		u := &user{}
		u.hear = func(ctx context.Context, s *client.Session, up acp.SessionUpdate) {
			if textOf(up) == "begin" {
				turn, err := s.Prompt(ctx, acp.Text("go"))
				if err != nil {
					t.Errorf("Prompt: %v", err)
				}
				turns <- turn
			}
			<-held
		}
		c, a := connect(t, u, client.Options{}, noCapabilities)
		open(t, c, a)
		a.send(says("s", "begin"))
		turn := <-turns
		p := a.expect("session/prompt")
		a.send(says("s", "own"), outcome(p, `{"stopReason":"end_turn"}`), says("s", "after"))
		synctest.Wait()
		close(held)
		ends(t, turn, acp.StopReasonEndTurn)
		if got := texts(turn.Updates()); got != "own" {
			t.Errorf("the turn has the updates %q", got)
		}
	})
}

// A prompt that is refused while the agent talks leaves no trace either: what it says is no answer.
func TestAnUpdateThatComesBeforeThePromptDoesNotEnterIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, a := connect(t, &user{}, client.Options{}, noCapabilities)
		s := open(t, c, a)
		a.send(says("s", "By the way"))
		synctest.Wait()
		stuff(c)
		err := waits(s, func(cancel func()) {
			a.send(says("s", ", it rains."))
			synctest.Wait()
			cancel()
		})
		wantError(t, err, context.Canceled)
		if m := s.State().Messages(); m.Len() != 1 || m.At(0).Text() != "By the way, it rains." {
			t.Errorf("%d messages, the first of which is %q", m.Len(), m.At(0).Text())
		}
	})
}
