package client_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// W8, F79, F99: at whatever moment an agent dies, and though something that it has started holds its output open, whoever waits for
// it learns at once how it ended, the next agent is started, and the session goes on there.
func TestW8_AnAgentDiesAtEachMoment(t *testing.T) {
	for _, moment := range []string{
		acp.MethodSessionNew, acp.MethodSessionResume, acp.MethodSessionPrompt, "in a turn", "with a question", "after its answer",
	} {
		t.Run(moment, func(t *testing.T) {
			t.Parallel()
			command := spawnable(t, "mortal")
			command.Env = append(command.Env, "CLIENT_TEST_DIES="+moment, "CLIENT_TEST_DIR="+t.TempDir())
			v, d := superviseProcess(t, command)
			begin := func() (*client.SupervisedSession, error) {
				return v.NewSession(deadline(t), acp.NewSessionRequest{CWD: t.TempDir()})
			}
			s, err := begin()
			if moment == acp.MethodSessionNew {
				wantDeath(t, err)
				s, err = begin()
			}
			if err != nil {
				t.Fatal(err)
			}
			switch result, err := s.Run(deadline(t), acp.Text("go")); moment {
			case acp.MethodSessionNew, "after its answer", acp.MethodSessionResume:
				if err != nil || result.StopReason != acp.StopReasonEndTurn {
					t.Errorf("Run: %+v, %v", result, err)
				}
			default:
				wantDeath(t, err)
			}
			if moment == acp.MethodSessionResume {
				c, err := v.Client(deadline(t))
				if err != nil {
					t.Fatal(err)
				}
				c.Process().Kill()
			}
			if moment != acp.MethodSessionNew {
				until[*client.SessionResumed](t, d)
			}
			run(t, s)
		})
	}
	command := spawnable(t, "mortal")
	command.Env = append(command.Env, "CLIENT_TEST_DIES="+acp.MethodInitialize, "CLIENT_TEST_DIR="+t.TempDir())
	_, err := client.Spawn(deadline(t), command, &user{}, client.Options{Logger: quiet})
	wantDeath(t, err)
}

func wantDeath(t *testing.T, err error) {
	t.Helper()
	var exit *transport.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Errorf("error %v", err)
	}
	wantError(t, err, jsonrpc.ErrClosed, "out of memory")
	if got := client.RecoveryOf(err).Action; got != client.ActionReconnect {
		t.Errorf("the recovery is %v", got)
	}
}

// F175: what is not allowed does not reach the process.
func TestF175_AChildHasWhatIsAllowed(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-o")
	t.Setenv("CLIENT_TEST_VERSION", "1")
	t.Setenv(helperVariable, "environment")
	self := spawnable(t, "").Path
	for _, allowed := range [][]string{{"CLIENT_TEST_*"}, {"CLIENT_TEST_AGENT", "OPENAI_API_KEY"}} {
		command := transport.Command{Path: self, Env: transport.AllowEnv(allowed...)}
		c, err := client.Spawn(deadline(t), command, &user{}, client.Options{Logger: quiet})
		if err != nil {
			t.Fatal(err)
		}
		want := "|1"
		if len(allowed) == 2 {
			want = "sk-o|"
		}
		if got := c.AgentInfo().Name; got != want {
			t.Errorf("with %q the agent has got %q, want %q", allowed, got, want)
		}
		_, _ = c.Close(), c.Wait()
	}
}

// Close, cancels, prompts and the ends of agents may come at any time, from anywhere, and nothing is left hanging.
func TestASupervisorIsUsedFromEverywhere(t *testing.T) {
	for range 20 {
		h := newHouse(resumes)
		v, _ := supervise(t, h, &user{}, client.SupervisorOptions{Restart: client.Retry{First: time.Microsecond, Most: time.Microsecond, Attempts: -1}})
		s := keep(t, v)
		var users sync.WaitGroup
		for i := range 8 {
			users.Go(func() {
				for n := range 30 {
					ctx, cancel := context.WithTimeout(context.Background(), time.Duration(n)*100*time.Microsecond)
					switch (i + n) % 5 {
					case 0:
						_, _ = s.Run(ctx, acp.Text("go"))
					case 1:
						if now, err := s.Session(ctx); err == nil {
							_ = now.Cancel(ctx)
						}
					case 2:
						h.crash()
					case 3:
						_ = s.Replace(ctx)
					case 4:
						_, _ = s.Prompt(ctx, acp.Text("go"))
					}
					cancel()
				}
			})
		}
		users.Wait()
		if _, err := s.Session(deadline(t)); err != nil && !strings.Contains(err.Error(), "is lost: call session/new") {
			t.Fatalf("the session is never there again: %v", err) // but it may be that Replace has failed
		}
		users.Go(func() { _ = s.Close(deadline(t)) })
		users.Go(func() { _ = v.Close() })
		users.Wait()
		within(t, "the end", v.Done())
	}
}
