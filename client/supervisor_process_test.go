package client_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// F90: each supervisor starts what it was given, the second time as the first, whatever happens to the command meanwhile
// and whoever else there is.
func TestF90_AnAgentIsStartedAgainAsItWas(t *testing.T) {
	command := spawnable(t, "named")
	command.Args = []string{"one"}
	command.Env = append(command.Env, "CLIENT_TEST_VERSION=1")
	v, d := superviseProcess(t, command)
	command.Args[0] = "two"
	command.Env[len(command.Env)-1] = "CLIENT_TEST_VERSION=2"
	other, _ := superviseProcess(t, command)
	for range 2 {
		started, _ := until[*client.AgentStarted](t, d)
		if info := started.Client.AgentInfo(); info.Name != "one" || info.Version != "1" {
			t.Fatalf("the agent is %+v", info)
		}
		started.Client.Process().Kill()
		crashed, _ := until[*client.AgentCrashed](t, d)
		var exit *transport.ExitError
		if !errors.As(crashed.Err, &exit) || exit.ExitCode() != -1 || !errors.Is(crashed.Err, jsonrpc.ErrClosed) {
			t.Errorf("the end of the agent is %v", crashed.Err)
		}
	}
	if c, err := v.Client(deadline(t)); err != nil || c.AgentInfo().Name != "one" {
		t.Errorf("%v", err)
	}
	if c, err := other.Client(deadline(t)); err != nil || c.AgentInfo().Name != "two" || c.AgentInfo().Version != "2" {
		t.Errorf("%v", err)
	}
}

func superviseProcess(t *testing.T, command transport.Command) (*client.Supervisor, *diary) {
	t.Helper()
	d := newDiary()
	v, err := client.Supervise(deadline(t), client.LaunchCommand(command), &user{}, client.SupervisorOptions{
		Client:  client.Options{Logger: quiet},
		Restart: client.Retry{First: time.Millisecond},
		Event:   d.note,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c, _ := v.Client(context.Background())
		_ = v.Close()
		if err := v.Wait(); err != nil {
			t.Errorf("Wait: %v", err)
		}
		if c != nil {
			within(t, "the process", c.Process().Done())
		}
	})
	return v, d
}

// A first start that fails leaves nothing behind and is not tried again.
func TestAFirstStartThatFails(t *testing.T) {
	_, err := client.Supervise(deadline(t), client.LaunchCommand(spawnable(t, "crash")), &user{}, client.SupervisorOptions{Client: client.Options{Logger: quiet}})
	wantError(t, err, jsonrpc.ErrClosed, "exit status 3", "no such model")
}

// F94: dialling and the handshake have a time limit of their own, also when an agent is started again.
func TestF94_EachStartHasItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(resumes)
		d := newDiary()
		slow := false
		launch := client.LaunchStream(func(ctx context.Context) (jsonrpc.Stream, error) {
			if slow {
				<-ctx.Done()
				return nil, context.Cause(ctx)
			}
			return h.dial(ctx)
		})
		v, err := client.Supervise(context.Background(), launch, &user{}, client.SupervisorOptions{
			Client:  client.Options{Logger: quiet, InitTimeout: 5 * time.Second},
			Restart: client.Retry{Attempts: 2},
			Event:   d.note,
		})
		if err != nil {
			t.Fatal(err)
		}
		slow = true // nobody dials at the moment
		began := time.Now()
		h.crash()
		ended, _ := until[*client.SupervisorGaveUp](t, d)
		if took := time.Since(began); took != 6*time.Second {
			t.Errorf("it took %v", took)
		}
		wantError(t, ended.Err, client.ErrGaveUp, "reach the agent")
		_ = v.Wait()
	})
}

// W8, F79, F99: the agent is killed at random moments of its turns. Nothing hangs, no process is left, the turn says how its
// agent ended, everything that the agent had written arrives once and in order, and the session goes on in the next one.
func TestW8_ASupervisedAgentIsKilledAtRandomMoments(t *testing.T) {
	kills := 12
	if os.Getenv("PATCHBAY_SOAK") != "" {
		kills = 200
	}
	command := spawnable(t, "counting")
	dir := t.TempDir()
	command.Env = append(command.Env, "CLIENT_TEST_DIR="+dir)
	u, d := &user{}, newDiary()
	v, err := client.Supervise(deadline(t), client.LaunchCommand(command), u, client.SupervisorOptions{
		Client:  client.Options{Logger: quiet},
		Restart: client.Retry{First: time.Microsecond, Most: time.Microsecond, Attempts: -1},
		Event:   d.note,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Wait()
	defer v.Close()
	s, err := v.NewSession(deadline(t), acp.NewSessionRequest{CWD: dir})
	if err != nil {
		t.Fatal(err)
	}
	for range kills {
		session, err := s.Session(deadline(t))
		if err != nil {
			t.Fatal(err)
		}
		process := session.Client().Process()
		timer := time.AfterFunc(rand.N(10*time.Millisecond), process.Kill)
		for err == nil {
			_, err = session.Run(deadline(t), acp.Text("100"))
		}
		timer.Stop()
		var exit *transport.ExitError
		if !errors.Is(err, jsonrpc.ErrClosed) || !errors.As(err, &exit) || exit.ExitCode() != -1 {
			t.Fatalf("after the kill: %v", err)
		}
		within(t, "the process", process.Done())
		until[*client.SessionResumed](t, d)
	}
	if _, err := s.Run(deadline(t), acp.Text("100")); err != nil {
		t.Fatal(err)
	}
	checkCounts(t, u.all(), dir)
}

// checkCounts looks whether each process's numbers are all there, in order, and at least as far as it has noted.
func checkCounts(t *testing.T, heard, dir string) {
	t.Helper()
	last := map[string]int{}
	for _, word := range strings.Fields(heard) {
		process, number, _ := strings.Cut(strings.TrimPrefix(word, "s:"), "/")
		if n, err := strconv.Atoi(number); err != nil || n != last[process]+1 {
			t.Fatalf("after %d of process %s comes %q: %v", last[process], process, word, err)
		}
		last[process]++
	}
	notes, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range notes {
		text, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if n, _ := strconv.Atoi(string(text)); last[file.Name()] < n {
			t.Errorf("process %s has written %d updates, and %d have arrived", file.Name(), n, last[file.Name()])
		}
	}
}
