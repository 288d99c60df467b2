//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
)

// liar is an agent that sends these messages in a turn, and goes on when those that are requests have been answered.
func liar(messages ...string) []string {
	script := `
read line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}'
read line; echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}'
read line
`
	for _, m := range messages {
		script += "sed \"s|WORK|$PWD|g\" <<'EOF'\n" + m + "\nEOF\n"
		if strings.Contains(m, `"id":`) {
			script += "read line\n"
		}
	}
	script += `echo '{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}'; read line`
	return []string{"run", "--no-grants", "go", "--", "sh", "-c", script}
}

const liarsOptions = `"options":[{"optionId":"yep","name":"Fine","kind":"allow_once"},{"optionId":"nope","name":"No","kind":"reject_once"}]`

func liarAsks(call string) string {
	return `{"jsonrpc":"2.0","id":9,"method":"session/request_permission","params":{"sessionId":"s","toolCall":` + call + `,` + liarsOptions + `}}`
}

func liarUpdates(update string) string {
	return `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + update + `}}`
}

func liarWrites(content string) string {
	return `{"jsonrpc":"2.0","id":8,"method":"fs/write_text_file","params":{"sessionId":"s","path":"WORK/a.txt","content":"` + content + `"}}`
}

const liarRuns = `{"jsonrpc":"2.0","id":7,"method":"terminal/create","params":{"sessionId":"s","command":"touch bad"}}`

// F55, F58: what the user has allowed is what they were asked about. An agent that changes its call after the answer has not been
// allowed what it then is.
func TestF55_AnAnswerHoldsForWhatWasAsked(t *testing.T) {
	s := runOnTerminal(t, liar(
		liarUpdates(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"Look","kind":"execute","rawInput":{"command":"true"}}`),
		liarAsks(`{"toolCallId":"t"}`),
		liarUpdates(`{"sessionUpdate":"tool_call_update","toolCallId":"t","rawInput":{"command":"touch bad"}}`),
		liarRuns)...)
	s.await("which is: Bash(true)")
	s.typed("y\n")
	s.await("The agent asks for permission: Run touch bad")
	s.typed("n\n")
	s.ended(0)
	if s.has("bad") {
		t.Error("what was not asked about was done")
	}
}

// An answer holds for one time: the same file written again while the call goes on is asked about again.
func TestAnAnswerIsUsedUp(t *testing.T) {
	s := runOnTerminal(t, liar(
		liarAsks(`{"toolCallId":"t","title":"Edit","kind":"edit","locations":[{"path":"WORK/a.txt"}]}`),
		liarWrites("one"), liarWrites("two"))...)
	s.await("which is: Edit(")
	s.typed("y\n")
	s.await("The agent asks for permission: Write ")
	s.typed("n\n")
	s.ended(0)
	if text, err := os.ReadFile(filepath.Join(s.dir, "a.txt")); err != nil || string(text) != "one" {
		t.Errorf("the file has %q, %v", text, err)
	}
}

// What was shown of a change is what may be written, and what is written instead is shown and asked about.
func TestAnotherTextThanWasShownIsAskedAbout(t *testing.T) {
	s := runOnTerminal(t, liar(
		liarAsks(`{"toolCallId":"t","title":"Edit","kind":"edit","content":[{"type":"diff","path":"WORK/a.txt","oldText":null,"newText":"harmless"}]}`),
		liarWrites("evil"))...)
	s.await("which is: Edit(")
	s.typed("y\n")
	s.await("+evil")
	s.await("The agent asks for permission: Write ")
	s.typed("n\n")
	s.ended(0)
	if s.has("a.txt") {
		t.Error("it was written")
	}
}

// A question shows all that the agent would do, whatever its title says and however long its input is.
func TestAQuestionShowsWhatRulesSee(t *testing.T) {
	s := runOnTerminal(t, liar(
		liarAsks(`{"toolCallId":"t","title":"Edit README.md","kind":"edit","locations":[{"path":"WORK/README.md"},{"path":"/home/me/.bashrc"}],`+
			`"content":[{"type":"diff","path":"WORK/README.md","newText":"hello"}]}`),
		liarAsks(`{"toolCallId":"u","title":"Run the tests","kind":"execute","rawInput":{"a":"`+strings.Repeat("x", 600)+`","command":"rm -rf ~"}}`))...)
	s.await("README.md, /home/me/.bashrc)")
	s.typed("n\n")
	s.await("which is: Bash(rm -rf ~)")
	s.typed("n\n")
	s.ended(0)
}

func TestChangesSo(t *testing.T) {
	before := "a\nb\na\n"
	diff := func(path, from, to string) *acp.Diff {
		d := &acp.Diff{Path: path, NewText: to}
		if from != "" {
			d.OldText = &from
		}
		return d
	}
	for _, c := range []struct {
		what    string
		diffs   []*acp.Diff
		before  *string
		content string
		want    bool
	}{
		{"nothing was shown", nil, &before, "x", true},
		{"another file was shown", []*acp.Diff{diff("/g", "", "x")}, &before, "y", true},
		{"the whole file", []*acp.Diff{diff("/f", "a\nb\na\n", "x")}, &before, "x\r\n", true},
		{"a new file", []*acp.Diff{diff("/f", "", "x")}, nil, "x", true},
		{"a piece, once", []*acp.Diff{diff("/f", "a", "c")}, &before, "c\nb\na\n", true},
		{"a piece, everywhere", []*acp.Diff{diff("/f", "a", "c")}, &before, "c\nb\nc\n", true},
		{"two pieces", []*acp.Diff{diff("/f", "a", "c"), diff("/f", "b", "d")}, &before, "c\nd\na\n", true},
		{"a piece and more", []*acp.Diff{diff("/f", "a", "c")}, &before, "c\nb\na\nevil\n", false},
		{"other text", []*acp.Diff{diff("/f", "", "x")}, &before, "y", false},
		{"a file that can't be read", []*acp.Diff{diff("/f", "a", "c")}, nil, "c\nb\na\n", false},
	} {
		if got := changesSo(c.diffs, c.before, &acp.WriteTextFileRequest{Path: "/f", Content: c.content}); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}
