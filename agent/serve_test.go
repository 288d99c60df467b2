package agent_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// serveVariable makes the test's binary an agent on its standard input and output.
const serveVariable = "PATCHBAY_TEST_AGENT"

func serveIfAsked() {
	if os.Getenv(serveVariable) == "" {
		return
	}
	o := options()
	ctx := context.Background()
	if os.Getenv(serveVariable) == "briefly" {
		short, cancel := context.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		ctx = short
	}
	o.Grace = time.Hour // the turn does not end because its time is over
	err := agent.Serve(ctx, agent.PromptFunc(func(ctx context.Context, t *agent.Turn) (acp.StopReason, error) {
		fmt.Println("a stray line")
		if err := t.Text("waiting"); err != nil {
			return "", err
		}
		return untilCancelled(ctx, t)
	}), o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stderr, "served")
	os.Exit(0)
}

// F80, S003.9: the agent is a program; when its client goes away in mid-turn the turn is cancelled, and Serve returns nil.
func TestServeEndsWithItsInput(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), serveVariable+"=1")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	read := func(want string) string {
		t.Helper()
		if !lines.Scan() || !strings.Contains(lines.Text(), want) {
			t.Fatalf("got %q, want it to have %q", lines.Text(), want)
		}
		return lines.Text()
	}
	fmt.Fprintln(stdin, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)
	read(`"protocolVersion":1`)
	fmt.Fprintf(stdin, `{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":%q}}`+"\n", t.TempDir())
	_, rest, _ := strings.Cut(read(`"sessionId"`), `"sessionId":"`)
	session, _, _ := strings.Cut(rest, `"`)
	fmt.Fprintf(stdin, `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":%s}`+"\n", prompt(session, "hi"))
	read("waiting")
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	read("cancelled")
	if lines.Scan() {
		t.Errorf("got %q after the end", lines.Text())
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the agent ended with %v", err)
	}
	if got := stderr.String(); got != "a stray line\nserved\n" {
		t.Errorf("standard error is %q", got)
	}
}

// F80: a handler that does not return when its client has gone is not waited for longer than the grace.
func TestADeafHandlerDoesNotHoldTheConnection(t *testing.T) {
	release, returned := make(chan struct{}), make(chan struct{})
	o := options()
	o.Grace = 1 // a nanosecond
	conn, p := connect(t, agent.PromptFunc(func(context.Context, *agent.Turn) (acp.StopReason, error) {
		defer close(returned)
		<-release
		return "", nil
	}), o)
	p.call("initialize", `{"protocolVersion":1}`)
	p.ask("session/prompt", prompt(p.newSession(), "hi"))
	p.closeInput()
	if err := conn.Wait(); err != nil {
		t.Errorf("Wait returned %v", err)
	}
	close(release)
	wait(t, "the handler's return", returned)
}

// Close ends the connection from within a handler, and the turn with it.
func TestCloseInsideAHandler(t *testing.T) {
	conn, p := connect(t, agent.PromptFunc(func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
		if err := agent.ConnOf(ctx).Close(); err != nil {
			t.Error(err)
		}
		return untilCancelled(ctx, turn)
	}), options())
	p.call("initialize", `{"protocolVersion":1}`)
	p.ask("session/prompt", prompt(p.newSession(), "hi"))
	if err := conn.Wait(); err != nil {
		t.Errorf("Wait returned %v", err)
	}
	wait(t, "the end", conn.Done())
}

// When its context ends, Serve returns that although the client is there.
func TestServeEndsWithItsContext(t *testing.T) {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), serveVariable+"=briefly")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	out, err := cmd.CombinedOutput()
	if err == nil || string(out) != "context deadline exceeded\n" {
		t.Errorf("the agent said %q and ended with %v", out, err)
	}
}
