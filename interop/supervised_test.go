package interop_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// superviseSDKAgent keeps the SDK's agent running. It has a session in another mode and with another model than at first.
func superviseSDKAgent(t *testing.T, newSessions bool) (*client.Supervisor, *client.SupervisedSession, chan client.SupervisorEvent) {
	t.Helper()
	command := sdkAgent(t)
	t.Parallel()
	command.Env = append(os.Environ(), "SIGN_IN=1")
	events := make(chan client.SupervisorEvent, 100)
	v, err := client.Supervise(deadline(t), client.LaunchCommand(command), new(user), client.SupervisorOptions{
		Client: client.Options{
			Info: acp.Implementation{Name: "interop", Version: "1.2.3"},
			Auth: func(context.Context, *client.Client, []acp.AuthMethod) (acp.AuthMethodID, error) {
				return "password", nil
			},
		},
		Restart:     client.Retry{First: time.Millisecond},
		NewSessions: newSessions,
		Event:       func(e client.SupervisorEvent) { events <- e },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = v.Close()
		_ = v.Wait()
	})
	s, err := v.NewSession(deadline(t), acp.NewSessionRequest{CWD: folder(t)})
	if err != nil {
		t.Fatal(err)
	}
	session, err := s.Session(deadline(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := session.SetMode(deadline(t), "https://example.com/modes#auto"); err != nil {
		t.Fatal(err)
	}
	if err := session.SetConfigOption(deadline(t), "model", &acp.SetConfigValueID{Value: "large"}); err != nil {
		t.Fatal(err)
	}
	session.Client().Process().Kill()
	return v, s, events
}

// next returns the next event of a type.
func next[E client.SupervisorEvent](t *testing.T, events <-chan client.SupervisorEvent) (e E) {
	t.Helper()
	for ctx := deadline(t); ; {
		select {
		case event := <-events:
			if e, ok := event.(E); ok {
				return e
			}
		case <-ctx.Done():
			t.Fatalf("there is no %T", e)
		}
	}
}

// F72, F73, F116, F120: the SDK's agent keeps its sessions in memory. After its end it does not know them, which the SDK says in
// its own words; it wants its user to sign in once more; and the session that takes the place of the old one is put into the same
// mode, with the same options.
func TestF73_SDKAgentIsStartedAgain(t *testing.T) {
	v, s, events := superviseSDKAgent(t, true)
	replaced := next[*client.SessionReplaced](t, events)
	if client.RecoveryOf(replaced.Err).Action != client.ActionNewSession || replaced.Unrestored != nil {
		t.Errorf("replaced because of %v; %v", replaced.Err, replaced.Unrestored)
	}
	result, err := s.Run(deadline(t), acp.Text("say hello"))
	if err != nil || result.StopReason != acp.StopReasonEndTurn {
		t.Fatalf("the turn: %+v, %v", result, err)
	}
	model := s.State().Config()[0].Value.(*acp.SessionConfigSelect).CurrentValue
	same(t, "the mode", string(s.State().Mode()), "https://example.com/modes#auto")
	same(t, "the model", string(model), "large")
	same(t, "sessions", len(v.Sessions()), 1)
}

// F73: and without leave to begin a new session, it is lost, which is an error that says so.
func TestF73_SDKAgentHasLostASession(t *testing.T) {
	_, s, events := superviseSDKAgent(t, false)
	next[*client.SessionLost](t, events)
	_, err := s.Run(deadline(t), acp.Text("say hello"))
	same(t, "the recovery", client.RecoveryOf(err).Action, client.ActionNewSession)
}
