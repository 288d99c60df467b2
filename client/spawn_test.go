package client_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// spawn starts an agent, which is gone with the test.
func spawn(t testing.TB, name string, h client.Handler, o client.Options) *client.Client {
	t.Helper()
	o.Logger = quiet
	c, err := client.Spawn(deadline(t), spawnable(t, name), h, o)
	if err != nil {
		t.Fatalf("Spawn: %v", err)
	}
	t.Cleanup(func() {
		_ = c.Close()
		_ = c.Wait()
	})
	return c
}

// S000.1, S000.3, S000.6
func TestAnAgentIsSpawnedDrivenAndLedOut(t *testing.T) {
	c := spawn(t, "chatty", &user{}, client.Options{})
	if c.ProtocolVersion() != acp.Version1 || c.Capabilities().LoadSession || c.AgentInfo() != nil || c.Process() == nil {
		t.Errorf("initialized with %+v", c.Initialized())
	}
	s, err := c.NewSession(deadline(t), acp.NewSessionRequest{CWD: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	turn, err := s.Prompt(deadline(t), acp.Text("go"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for range turn.Updates() {
		if n++; n == 20 {
			_ = turn.Cancel(deadline(t))
		}
	}
	ends(t, turn, acp.StopReasonCancelled)
	if n < 20 {
		t.Errorf("the loop saw %d updates", n)
	}
	_ = c.Close()
	wantError(t, c.Wait(), jsonrpc.ErrClosed)
	select {
	case <-c.Process().Done():
	default:
		t.Error("the process lives on after Wait")
	}
}

func TestACommandThatDoesNotExist(t *testing.T) {
	_, err := client.Spawn(deadline(t), transport.Command{Path: "no-such-agent"}, &user{}, client.Options{})
	wantError(t, err, exec.ErrNotFound, "start the agent", "no-such-agent")
}

// A relative path is relative to Dir, which is easily taken for another folder: the error says where the agent was
// looked for.
func TestARelativeCommandThatDoesNotExistSaysWhereItWasLookedFor(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, test := range []struct{ path, dir, file, base string }{
		{"./bin/agent", dir, filepath.Join(dir, "bin", "agent"), "the command's Dir"},
		{filepath.Join("bin", "agent"), dir, filepath.Join(dir, "bin", "agent"), "the command's Dir"},
		{"./bin/agent", ".", filepath.Join(here, "bin", "agent"), "the command's Dir"},
		{"./bin/agent", "", filepath.Join(here, "bin", "agent"), "this process's working directory"},
	} {
		_, err := client.Spawn(deadline(t), transport.Command{Path: test.path, Dir: test.dir}, &user{}, client.Options{})
		wantError(t, err, fs.ErrNotExist, "start the agent", test.path, test.file+",", test.base)
	}
	absolute := filepath.Join(dir, "agent")
	_, err = client.Spawn(deadline(t), transport.Command{Path: absolute, Dir: here}, &user{}, client.Options{})
	wantError(t, err, fs.ErrNotExist, absolute)
	if strings.Contains(err.Error(), "relative") {
		t.Errorf("the error about an absolute path is %v", err)
	}
}

// W8, F83
func TestAnAgentThatEndsAtOnce(t *testing.T) {
	_, err := client.Spawn(deadline(t), spawnable(t, "crash"), &user{}, client.Options{Logger: quiet})
	wantError(t, err, jsonrpc.ErrClosed, "initialize", "exit status 3", "no such model")
	var exit *transport.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 3 {
		t.Errorf("the error has no exit status: %#v", err)
	}
}

// F93
func TestAnAgentThatPrintsNothingButNoise(t *testing.T) {
	o := client.Options{Logger: quiet, InitTimeout: 500 * time.Millisecond}
	_, err := client.Spawn(deadline(t), spawnable(t, "noise"), &user{}, o)
	wantError(t, err, context.DeadlineExceeded, "no answer within 500ms", "Usage: agent [options]", "missing option --acp")
}

func TestInitializeHasItsOwnTimeout(t *testing.T) { // F94
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := transport.Pipe()
		began := time.Now()
		_, err := client.Connect(context.Background(), ours, &user{}, client.Options{Logger: quiet})
		if took := time.Since(began); took != client.DefaultInitTimeout {
			t.Errorf("Connect gave up after %v", took)
		}
		wantError(t, err, context.DeadlineExceeded, "initialize", "1m0s")
		_ = theirs.Close()
	})
}

// F2, F134
func TestAVersionThatTheClientDoesNotSpeak(t *testing.T) {
	for answer, text := range map[string]string{
		`{"protocolVersion":2}`:            "version 2",
		`{"protocolVersion":0}`:            "version 0",
		`{"protocolVersion":"2025-01-01"}`: "protocolVersion",
		`{}`:                               "protocolVersion",
	} {
		ours, theirs := transport.Pipe()
		a := &agent{t: t, stream: theirs}
		err := bothFail(t, func() error {
			_, err := client.Connect(deadline(t), ours, &user{}, client.Options{Logger: quiet})
			return err
		}, func() { a.send(outcome(a.expect("initialize"), answer)) })
		wantError(t, err, nil, text)
		if _, err := theirs.Read(1 << 20); !errors.Is(err, io.EOF) {
			t.Errorf("after %s the connection is still there: %v", answer, err)
		}
		_ = theirs.Close()
	}
}

// F99: 200 kills of the agent at random moments: no hang, no orphan, a clear error.
func TestW8_KillsAtRandomMoments(t *testing.T) {
	kills := 200
	if testing.Short() {
		kills = 20
	}
	for range kills {
		o := client.Options{Logger: quiet}
		c, err := client.Spawn(deadline(t), spawnable(t, "chatty"), &user{}, o)
		if err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(rand.N(15*time.Millisecond), c.Process().Kill)
		err = talk(t, c)
		timer.Stop()
		var exit *transport.ExitError
		if !errors.Is(err, jsonrpc.ErrClosed) || !errors.As(err, &exit) || exit.ExitCode() != -1 {
			t.Fatalf("after the kill: %v", err)
		}
		within(t, "the process", c.Process().Done())
		_ = c.Close()
		_ = c.Wait()
	}
}

// talk makes use of an agent until that fails.
func talk(t *testing.T, c *client.Client) error {
	s, err := c.NewSession(deadline(t), acp.NewSessionRequest{CWD: "/"})
	if err != nil {
		return err
	}
	for {
		turn, err := s.Prompt(deadline(t), acp.Text("go"))
		if err != nil {
			return err
		}
		n := 0
		for range turn.Updates() {
			if n++; n == 3 {
				_ = turn.Cancel(deadline(t))
			}
		}
		if _, err := turn.Wait(); err != nil {
			return err
		}
	}
}
