package client_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"

	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// S004.3, F116, F118, F120
func TestTheUserSignsInAndTheCallIsMadeOnceMore(t *testing.T) {
	asked := 0
	o := client.Options{Auth: func(_ context.Context, _ *client.Client, methods []acp.AuthMethod) (acp.AuthMethodID, error) {
		asked++
		return methods[0].(*acp.AuthMethodAgent).ID, nil
	}}
	c, a := connect(t, &user{}, o, allCapabilities)
	var s *client.Session
	both(t, func() (err error) {
		s, err = c.NewSession(context.Background(), acp.NewSessionRequest{CWD: "/project"})
		return err
	}, func() {
		a.send(failure(a.expect("session/new"), acp.CodeAuthRequired, "who are you?"))
		a.send(outcome(a.expect("authenticate"), `{}`))
		a.send(outcome(a.expect("session/new"), `{"sessionId":"s"}`))
	})
	turn, p := prompt(t, s, a)
	a.send(failure(p, acp.CodeAuthRequired, "expired"))
	a.send(outcome(a.expect("authenticate"), `{}`))
	a.send(failure(a.expect("session/prompt"), acp.CodeAuthRequired, "still expired")) // one retry, no more
	within(t, "the turn", turn.Done())
	_, err := turn.Wait()
	wantError(t, err, &acp.Error{Code: acp.CodeAuthRequired}, "still expired")
	turn, p = prompt(t, s, a)
	a.send(failure(p, -32603, "something else"))
	within(t, "the turn", turn.Done())
	if asked != 2 {
		t.Errorf("the user was asked %d times, want 2", asked)
	}
}

func TestWithoutAuthTheErrorIsTheCallers(t *testing.T) {
	c, a := connect(t, &user{}, client.Options{}, allCapabilities)
	err := bothFail(t, func() error {
		_, err := c.NewSession(context.Background(), acp.NewSessionRequest{CWD: "/project"})
		return err
	}, func() { a.send(failure(a.expect("session/new"), acp.CodeAuthRequired, "who are you?")) })
	wantError(t, err, &acp.Error{Code: acp.CodeAuthRequired})
	wantError(t, c.Authenticate(deadline(t), "nonsense"), nil, `"nonsense"`, "key")
}

// What failed while the user signed in is said to the user, and not that they have to sign in.
func TestAFailedSignInIsForTheUser(t *testing.T) {
	o := client.Options{Auth: func(context.Context, *client.Client, []acp.AuthMethod) (acp.AuthMethodID, error) {
		return "", errors.New("declined")
	}}
	c, a := connect(t, &user{}, o, allCapabilities)
	err := bothFail(t, func() error {
		_, err := c.NewSession(context.Background(), acp.NewSessionRequest{CWD: "/project"})
		return err
	}, func() { a.send(failure(a.expect("session/new"), acp.CodeAuthRequired, "sign in")) })
	wantError(t, err, nil, "signing in failed", "declined")
	if got := client.RecoveryOf(err).Action; got != client.ActionTellUser {
		t.Errorf("the recovery is %v", got)
	}
}

// F120: a sign-in that the user never ends is over with the connection, and with the turn that wanted it.
func TestF120_NobodySignsInForEver(t *testing.T) {
	for name, over := range map[string]func(c *client.Client, a *agent, turn *client.Turn){
		"close":                func(c *client.Client, _ *agent, _ *client.Turn) { _ = c.Close() },
		"the end of the agent": func(_ *client.Client, a *agent, _ *client.Turn) { _ = a.stream.Close() },
		"a cancel":             func(_ *client.Client, _ *agent, turn *client.Turn) { _ = turn.Cancel(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			asked := make(chan struct{}, 1)
			o := client.Options{Auth: func(ctx context.Context, _ *client.Client, _ []acp.AuthMethod) (acp.AuthMethodID, error) {
				asked <- struct{}{}
				<-ctx.Done()
				return "", ctx.Err()
			}}
			c, a := connect(t, &user{}, o, allCapabilities)
			turn, p := prompt(t, open(t, c, a), a)
			a.send(failure(p, acp.CodeAuthRequired, "who are you?"))
			within(t, "the question", asked)
			over(c, a, turn)
			within(t, "the turn", turn.Done())
			result, err := turn.Wait()
			if name == "a cancel" {
				if err != nil || result.StopReason != acp.StopReasonCancelled {
					t.Errorf("Wait: %+v, %v", result, err)
				}
				return
			}
			wantError(t, err, jsonrpc.ErrClosed, "signing in failed")
			want := client.ActionReconnect
			if name == "close" {
				want = client.ActionNone
			}
			if got := client.RecoveryOf(err).Action; got != want {
				t.Errorf("the recovery is %v", got)
			}
			within(t, "the client's end", ended(c))
		})
	}
}

func ended(c *client.Client) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = c.Wait()
	}()
	return done
}

// F116: nobody signs in for a turn that is cancelled already.
func TestF116_NobodySignsInForACancelledTurn(t *testing.T) {
	o := client.Options{Auth: func(context.Context, *client.Client, []acp.AuthMethod) (acp.AuthMethodID, error) {
		t.Error("the user was asked to sign in")
		return "key", nil
	}}
	c, a := connect(t, &user{}, o, allCapabilities)
	turn, p := prompt(t, open(t, c, a), a)
	if err := turn.Cancel(deadline(t)); err != nil {
		t.Fatal(err)
	}
	a.expect("session/cancel")
	a.send(failure(p, acp.CodeAuthRequired, "who are you?"))
	ends(t, turn, acp.StopReasonCancelled)
}

// F116: who declines to sign in is not asked again by each of the calls that wait for it, but by the next one. If the call that
// asks ends before the user has decided, another one asks.
func TestF116_TheUserIsAskedOnceForAllCalls(t *testing.T) {
	for name, leaves := range map[string]bool{"declined": false, "left": true} {
		t.Run(name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { askForAll(t, leaves) }) })
	}
}

func askForAll(t *testing.T, leaves bool) {
	asked := 0
	o := client.Options{Auth: func(ctx context.Context, _ *client.Client, _ []acp.AuthMethod) (acp.AuthMethodID, error) {
		asked++
		select {
		case <-time.After(time.Hour):
			return "", errors.New("declined")
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}}
	c, a := connect(t, &user{}, o, allCapabilities)
	begin := func(ctx context.Context) error {
		_, err := c.NewSession(ctx, acp.NewSessionRequest{CWD: "/project"})
		return err
	}
	first, cancel := context.WithTimeout(context.Background(), time.Minute)
	if !leaves {
		first = context.Background()
	}
	defer cancel()
	var calls sync.WaitGroup
	calls.Go(func() { wantError(t, begin(first), nil, "signing in failed") })
	a.send(failure(a.expect("session/new"), acp.CodeAuthRequired, "who are you?"))
	synctest.Wait()
	for range 5 {
		calls.Go(func() { wantError(t, begin(context.Background()), nil, "declined") })
		a.send(failure(a.expect("session/new"), acp.CodeAuthRequired, "who are you?"))
	}
	calls.Wait()
	want := 1
	if leaves {
		want = 2
	}
	if asked != want {
		t.Errorf("the user was asked %d times, want %d", asked, want)
	}
}

// F118: only what means that the user has to sign in is taken for it: -32000 is what some agents say for anything, and means
// something else to others, whose own code has the user asked.
func TestF118_OnlyWhatMeansThatTheUserHasToSignInIsTakenForIt(t *testing.T) {
	const noMethods = noCapabilities
	for _, test := range []struct {
		initialize string
		codes      client.Codes
		code       int
		asked      bool
	}{
		{allCapabilities, nil, acp.CodeAuthRequired, true},
		{noMethods, nil, acp.CodeAuthRequired, false},
		{allCapabilities, client.CodesS000, -32000, false}, // connection closed
		{allCapabilities, client.CodesS001, -32000, false}, // session not found
		{allCapabilities, client.CodesS001, -32001, true},
	} {
		asked := false
		o := client.Options{Codes: test.codes, Auth: func(context.Context, *client.Client, []acp.AuthMethod) (acp.AuthMethodID, error) {
			asked = true
			return "", errors.New("declined")
		}}
		c, a := connect(t, &user{}, o, test.initialize)
		err := bothFail(t, func() error {
			_, err := c.NewSession(deadline(t), acp.NewSessionRequest{CWD: "/project"})
			return err
		}, func() { a.send(failure(a.expect("session/new"), test.code, "no")) })
		wantError(t, err, &acp.Error{Code: test.code})
		if asked != test.asked {
			t.Errorf("%+v: asked is %t", test, asked)
		}
	}
}

// S004.1: the user signs in on a terminal, where the agent's own command runs, or the one that an older agent says.
func TestSigningInOnATerminal(t *testing.T) {
	for _, name := range []string{"signin", "login"} {
		t.Run(name, func(t *testing.T) {
			o := client.Options{Logger: quiet, TerminalAuth: client.RunOnTerminal,
				Auth: func(context.Context, *client.Client, []acp.AuthMethod) (acp.AuthMethodID, error) { return "tty", nil }}
			command := spawnable(t, name)
			command.Env = append(command.Env, "CLIENT_TEST_MARKER="+filepath.Join(t.TempDir(), "signed-in"))
			c, err := client.Spawn(deadline(t), command, &user{}, o)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Wait()
			defer c.Close()
			if _, err := c.NewSession(deadline(t), acp.NewSessionRequest{CWD: "/"}); err != nil {
				t.Errorf("NewSession: %v", err)
			}
		})
	}
}

// The command of an older agent is for a client that has a terminal and has said so, and has started the agent itself: nobody
// elsewhere says what runs here. Without a terminal the method is the agent's own to carry out, and so it is if it has no
// command.
func TestACommandToSignInIsRunOnlyForATerminalsOwner(t *testing.T) {
	login := fmt.Sprintf(loginMethod, "true")
	never := func(_ context.Context, cmd *exec.Cmd) error {
		t.Errorf("%s was run", cmd)
		return nil
	}
	c, _ := connect(t, &user{}, client.Options{TerminalAuth: never}, login)
	wantError(t, c.Authenticate(deadline(t), "tty"), nil, "only Spawn knows")
	wantError(t, c.AuthenticateTerminal(deadline(t), "tty"), nil, "only Spawn knows")
	for _, test := range []struct {
		o          client.Options
		initialize string
	}{
		{client.Options{}, login},
		{client.Options{TerminalAuth: never}, `{"protocolVersion":1,"authMethods":[{"id":"tty","name":"T","_meta":{"terminal-auth":{"args":["login"]}}}]}`},
		{client.Options{TerminalAuth: never}, `{"protocolVersion":1,"authMethods":[{"id":"tty","name":"T","_meta":{"terminal-auth":{"command":"sh","args":"-c"}}}]}`},
		{client.Options{TerminalAuth: never}, `{"protocolVersion":1,"authMethods":[{"id":"tty","name":"T","_meta":{"terminal-auth":true}}]}`},
	} {
		c, a := connect(t, &user{}, test.o, test.initialize)
		both(t, func() error { return c.Authenticate(deadline(t), "tty") }, func() { a.send(outcome(a.expect("authenticate"), `{}`)) })
		wantError(t, c.AuthenticateTerminal(deadline(t), "tty"), nil, "no way")
	}
}

// S004.1: a terminal is advertised in the official way and in the one of older agents, beside what the program says itself.
func TestATerminalIsAdvertisedTwice(t *testing.T) {
	mine := acp.Meta{"mine": acp.Raw("1")}
	caps := advertised(t, &user{}, client.Options{TerminalAuth: client.RunOnTerminal, CapabilitiesMeta: mine})
	if !caps.Auth.Terminal || string(caps.Meta["terminal-auth"]) != "true" || string(caps.Meta["mine"]) != "1" || len(mine) != 1 {
		t.Errorf("%+v, and %v", caps, mine)
	}
	if caps := advertised(t, &user{}, client.Options{}); caps.Auth.Terminal || caps.Meta != nil {
		t.Errorf("without a terminal: %+v", caps)
	}
}

// A sign-in on a terminal that has left something behind which keeps its output open ends all the same.
func TestASignInOnATerminalEndsWithItsContext(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	ctx, cancel := context.WithCancel(deadline(t))
	o := client.Options{Logger: quiet, TerminalAuth: func(_ context.Context, cmd *exec.Cmd) error {
		cmd.Stdout = whenSaid(cancel)
		return cmd.Run()
	}}
	c, err := client.Spawn(deadline(t), transport.Command{Path: shell, Args: []string{"-c", `case $1 in login) sleep 15 & echo on; wait;; esac
read line; echo '{"jsonrpc":"2.0","id":1,"result":` + terminalMethod + `}'; read line`, "sh"}}, &user{}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	defer c.Close()
	began := time.Now()
	wantError(t, c.Authenticate(ctx, "tty"), nil)
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}

// A whenSaid is called when a command writes something.
type whenSaid func()

func (w whenSaid) Write(p []byte) (int, error) {
	w()
	return len(p), nil
}

func TestAFailedSignInOnATerminal(t *testing.T) {
	o := client.Options{Logger: quiet, TerminalAuth: func(context.Context, *exec.Cmd) error { return errors.New("exit status 1") }}
	c, err := client.Spawn(deadline(t), spawnable(t, "signin"), &user{}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Wait()
	defer c.Close()
	wantError(t, c.AuthenticateTerminal(deadline(t), "tty"), nil, "Terminal", "exit status 1")
	wantError(t, c.AuthenticateTerminal(deadline(t), "key"), nil, `"key"`, "tty")
}
