package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// testKilledLeavesNothing kills the agent with SIGKILL in mid-command: what it runs, in the foreground and in the
// background, goes with it (F48, F92). The client is one that does not look after its agent.
func testKilledLeavesNothing(t *testing.T, path string) {
	mark := fmt.Sprintf("PATCHBAY_TEST_KILLED=%d-%d", os.Getpid(), time.Now().UnixNano())
	cmd := exec.Command(path, "agent", "--auto-approve")
	cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+t.TempDir())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	until := func(text string) string {
		for lines.Scan() {
			if strings.Contains(lines.Text(), text) {
				return lines.Text()
			}
		}
		t.Fatalf("the agent ended before it said %s: %v", text, lines.Err())
		return ""
	}
	say := func(format string, values ...any) { _, _ = fmt.Fprintf(in, format+"\n", values...) }
	say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)
	say(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`, t.TempDir())
	_, session, _ := strings.Cut(until(`"sessionId"`), `"sessionId":"`)
	session, _, _ = strings.Cut(session, `"`)
	command := "run `env " + mark + " sleep 300 & env " + mark + " sleep 300`"
	say(`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":"%s"}]}}`, session, command)
	eventually(t, "two commands run", func() bool { return marked(t, mark) == 2 })

	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	_, _ = io.Copy(io.Discard, out)
	eventually(t, "they are gone", func() bool { return marked(t, mark) == 0 })
}

func eventually(t *testing.T, what string, true func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !true(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within 20 s: %s", what)
		}
	}
}

// marked counts the processes that have a line in their environment.
func marked(t *testing.T, line string) int {
	t.Helper()
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, path := range environments {
		if text, err := os.ReadFile(path); err == nil && strings.Contains("\x00"+string(text), "\x00"+line+"\x00") {
			n++
		}
	}
	return n
}
