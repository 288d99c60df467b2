//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// An agent that wants its user to sign in, by a command of its own choice as older agents say it.
const strangerAgent = `while read line; do
id=$(printf %s "$line" | sed 's/.*"id":\([0-9]*\).*/\1/')
case $line in
*'"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":1,"authMethods":[{"id":"tty","name":"Log in",
"_meta":{"terminal-auth":{"command":"sh","args":["-c","read name && echo $GREETING $name > signed-in"],"env":{"GREETING":"hello"},"label":"Login"}}}]}}' | tr -d '\n'; echo;;
*'"session/new"'*) if test -f signed-in; then echo '{"jsonrpc":"2.0","id":'$id',"result":{"sessionId":"s"}}'
else echo '{"jsonrpc":"2.0","id":'$id',"error":{"code":-32000,"message":"Authentication required"}}'; fi;;
*'"session/prompt"'*) echo '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Welcome."}}}}'
echo '{"jsonrpc":"2.0","id":'$id',"result":{"stopReason":"end_turn"}}';;
esac
done
`

// S004.1: the user sees the command that signs them in, and it runs on their terminal only when they say so.
func TestS004_1_ACommandThatSignsInIsSeenFirst(t *testing.T) {
	agent := filepath.Join(t.TempDir(), "agent.sh")
	if err := os.WriteFile(agent, []byte(strangerAgent), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, answer := range []string{"n", "y"} {
		s := runOnTerminal(t, "run", "--auth", "tty", "hello", "--", "sh", agent)
		s.await(`["sh" "-c" "read name`)
		s.await("y or n: ")
		s.typed(answer + "\n")
		signed := filepath.Join(s.dir, "signed-in")
		if answer == "n" {
			s.ended(exitAuth)
			if _, err := os.Stat(signed); err == nil {
				t.Error("the command was run")
			}
			continue
		}
		s.typed("Ann\n")
		s.await("Welcome.")
		s.ended(0)
		if text, err := os.ReadFile(signed); err != nil || string(text) != "hello Ann\n" {
			t.Errorf("the command has got %q, %v", text, err)
		}
	}
}
