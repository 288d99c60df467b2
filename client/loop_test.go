package client_test

import (
	"fmt"
	"testing"

	"github.com/patchbay-dev/patchbay/client"
)

// A loop holds up the updates before the answer, so that a call which waited for them would wait for ever.
func TestW6_ACallThatNamesTheSessionWithinALoopIsAnswered(t *testing.T) {
	for _, test := range []struct {
		method string
		call   func(*client.Client, *client.Session) error
	}{
		{"_extension", func(c *client.Client, s *client.Session) error {
			return c.Call(deadline(t), "_extension", map[string]any{"sessionId": s.ID()}, nil)
		}},
		{"session/delete", func(c *client.Client, s *client.Session) error { return c.DeleteSession(deadline(t), s.ID()) }},
	} {
		t.Run(test.method, func(t *testing.T) {
			c, a := connect(t, &user{}, client.Options{Budget: 64 << 10, MaxMessageBytes: 64 << 10}, allCapabilities)
			s := open(t, c, a)
			turn, m := prompt(t, s, a)
			served := make(chan struct{})
			go func() {
				defer close(served)
				for range 150 {
					a.send(says("s", fmt.Sprintf("%01000d", 0)))
				}
				a.send(outcome(a.expect(test.method), `{}`), outcome(m, `{"stopReason":"end_turn"}`))
			}()
			n := 0
			for range turn.Updates() {
				if n++; n == 1 {
					if err := test.call(c, s); err != nil {
						t.Errorf("the call within the loop: %v", err)
					}
				}
			}
			<-served
			if n != 150 {
				t.Errorf("%d updates, want 150", n)
			}
		})
	}
}
