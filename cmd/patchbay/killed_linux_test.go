package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// testKilledLeavesNothing kills the agent with SIGKILL in mid-command: what it runs, in the foreground and in the
// background, goes with it (F48, F92). The client is one that does not look after its agent.
func testKilledLeavesNothing(t *testing.T, _ string) {
	mark := fmt.Sprintf("PATCHBAY_TEST_KILLED=%d-%d", os.Getpid(), time.Now().UnixNano())
	p := startProcess(t, nil, "--auto-approve")
	p.write(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`,
		fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`, p.cmd.Dir))
	opened := ""
	for !strings.Contains(opened, `"sessionId"`) {
		opened = p.line()
	}
	_, session, _ := strings.Cut(opened, `"sessionId":"`)
	session, _, _ = strings.Cut(session, `"`)
	command := "run `env " + mark + " sleep 300 & env " + mark + " sleep 300`"
	p.write(promptOf(3, session, command))
	eventually(t, "two commands run", func() bool { return marked(t, mark) == 2 })

	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
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
