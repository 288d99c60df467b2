package coder_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
)

func (c *client) wantScript(updates []acp.SessionUpdate, want string) {
	c.Helper()
	if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), c.script(updates)); diff != "" {
		c.Errorf("tool calls (-want +got):\n%s", diff)
	}
}

// Reading inside the session's folder asks for nothing (S000.13). Tool calls have kinds and absolute locations, and go
// from pending by way of in progress to completed (S000.9, S000.10).
func TestReadingIsNotAsked(t *testing.T) {
	c := begin(t, &client{}, "a.go", "package a\n// TODO\n", "b.go", "package b\n")
	got := c.turn("list then find TODO then read b.go", acp.StopReasonEndTurn)
	c.wantScript(got, `
List . | list read pending DIR
  in_progress
  completed [. has 2 entries]
Find "TODO" in . | grep search pending DIR
  in_progress
  completed at DIR/a.go:2 [1 line in 1 file with "TODO"]
Read b.go | read read pending DIR/b.go
  in_progress
  completed [b.go has 1 line]
`)
	if len(c.asked) > 0 {
		t.Errorf("%d permissions were asked", len(c.asked))
	}
	if said := saidText(got); !strings.Contains(said, "offline interpreter") || !strings.Contains(said, "3 of 3 steps succeeded") {
		t.Errorf("it says:\n%s", said)
	}
}

// Writing asks first and shows the diff, whose old text is nil for a new file (S000.11, S000.12).
func TestWritingAsks(t *testing.T) {
	c := begin(t, &client{permit: answers(acp.PermissionOptionKindAllowOnce)}, "a.txt", "one\ntwo\n")
	got := c.turn(`write b.txt: hello then replace two with 2 in a.txt`, acp.StopReasonEndTurn)
	c.wantScript(got, `
Write b.txt | write edit pending DIR/b.txt
  [DIR/b.txt: new "hello"]
  in_progress
  completed at DIR/b.txt
Edit a.txt | edit edit pending DIR/a.txt
  [DIR/a.txt: "one\ntwo\n" to "one\n2\n"]
  in_progress
  completed at DIR/a.txt:2
`)
	if a, b := c.file("a.txt"), c.file("b.txt"); a != "one\n2\n" || b != "hello" {
		t.Errorf("files are %q and %q", a, b)
	}
	if len(c.asked) != 2 {
		t.Fatalf("%d permissions were asked", len(c.asked))
	}
	asked := c.asked[0]
	var kinds []acp.PermissionOptionKind
	for _, option := range asked.Options {
		kinds = append(kinds, option.Kind)
		if lasts := strings.HasSuffix(string(option.Kind), "_always"); lasts != strings.HasSuffix(option.Name, ") in this session") {
			t.Errorf("the option %s is called %q", option.Kind, option.Name) // F59
		}
	}
	want := []acp.PermissionOptionKind{"allow_once", "allow_always", "reject_once", "reject_always"}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	content, _ := asked.ToolCall.Content.Get()
	if len(content) != 1 || asked.ToolCall.Title.Or("") != "Write b.txt" || asked.ToolCall.Kind.Or("") != acp.ToolKindEdit {
		t.Errorf("asked about %+v", asked.ToolCall)
	}
}

func (c *client) file(name string) string {
	text, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// A call that is rejected fails and does nothing; the model and the user are told, and the turn goes on.
func TestRejectedPermission(t *testing.T) {
	c := begin(t, &client{permit: answers(acp.PermissionOptionKindRejectOnce)})
	got := c.turn("write a.txt: hello then list", acp.StopReasonEndTurn)
	c.wantScript(got, `
Write a.txt | write edit pending DIR/a.txt
  [DIR/a.txt: new "hello"]
  failed [DIR/a.txt: new "hello"] [the user has rejected it; nothing was done]
List . | list read pending DIR
  in_progress
  completed [. has 0 entries]
`)
	if said := saidText(got); !strings.Contains(said, "`write` was not done: the user has rejected it") || !strings.Contains(said, "1 of 2 steps") {
		t.Errorf("it says:\n%s", said)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "a.txt")); err == nil {
		t.Error("it was written all the same")
	}
}

// "Always" lasts for the session and covers what the question showed, no longer and no wider (F59): the folder of a file that
// may be changed, by whatever tool, and the file alone where it may not. It can be looked up and taken back (S001.30).
func TestAlwaysCoversWhatWasShown(t *testing.T) {
	for kind, verb := range map[acp.PermissionOptionKind]string{
		acp.PermissionOptionKindAllowAlways: "allowed", acp.PermissionOptionKindRejectAlways: "rejected",
	} {
		t.Run(verb, func(t *testing.T) {
			c := begin(t, &client{permit: answers(kind)}, "a.txt", "x")
			covered, first, again := "Edit(/"+c.dir+"/**)", "write b.txt: 1 then replace x with y in a.txt", "replace y with z in a.txt"
			if !kind.Allows() {
				covered, again = "Edit(/"+c.dir+"/a.txt)", "replace x with z in a.txt"
				first = "replace x with y in a.txt then " + again
			}
			c.turn(first, acp.StopReasonEndTurn)
			if len(c.asked) != 1 {
				t.Errorf("asked %d times, want once", len(c.asked))
			}
			if changed := c.file("a.txt") == "y"; changed != kind.Allows() {
				t.Errorf("a.txt was changed: %t", changed)
			}
			if !kind.Allows() {
				got := c.script(c.turn(again, acp.StopReasonEndTurn))
				if want := "is rejected for this session (1 of /permissions)"; !strings.Contains(got, want) {
					t.Errorf("a call that is rejected says:\n%s", got) // F60
				}
			}
			c.turn("run true", acp.StopReasonEndTurn)
			if len(c.asked) != 1 || c.asked[0].ToolCall.Title.Or("") != "Run `true`" {
				t.Errorf("asked %d times, want once, for a command: %+v", len(c.asked), c.asked)
			}
			said := saidText(c.turn("/permissions", acp.StopReasonEndTurn))
			if !strings.Contains(said, "* 1: "+verb+" `"+covered+"`") || !strings.Contains(said, "* 2: "+verb+" `Bash(true)`") {
				t.Errorf("/permissions says:\n%s", said)
			}
			c.turn("/permissions revoke 1", acp.StopReasonEndTurn)
			c.turn(again+" then run true", acp.StopReasonEndTurn)
			if len(c.asked) != 1 || c.asked[0].ToolCall.Title.Or("") != "Edit a.txt" {
				t.Errorf("after one was taken back, asked %d times: %+v", len(c.asked), c.asked)
			}
			c.turn("/permissions revoke all", acp.StopReasonEndTurn)
			if said := saidText(c.turn("/permissions", acp.StopReasonEndTurn)); !strings.Contains(said, "no answer that lasts") {
				t.Errorf("/permissions says:\n%s", said)
			}
			if said := saidText(c.turn("/permissions revoke 9", acp.StopReasonEndTurn)); !strings.Contains(said, "no such answer") {
				t.Errorf("/permissions revoke 9 says:\n%s", said)
			}
		})
	}
}

// A permission that the user cancels ends the turn as cancelled, and the call as failed (S002.10).
func TestCancelledPermissionEndsTheTurn(t *testing.T) {
	c := begin(t, &client{})
	c.permit = answers("none of these")
	got := c.turn("write a.txt: hello then list", acp.StopReasonCancelled)
	if script := c.script(got); !strings.Contains(script, "  failed ") || strings.Contains(script, "List") {
		t.Errorf("got\n%s", script)
	}
	got = c.turn("list", acp.StopReasonEndTurn) // the session goes on
	if script := c.script(got); !strings.Contains(script, ". has 0 entries") {
		t.Errorf("got\n%s", script)
	}
}

// A tool that fails is a failed call with the reason, and the turn goes on. So is one outside the roots (S001.19).
func TestFailedToolsDoNotEndTheTurn(t *testing.T) {
	c := begin(t, &client{}, "a.txt", "x")
	got := c.turn("read no.txt then read ../a.txt then replace q with r in a.txt then read a.txt", acp.StopReasonEndTurn)
	c.wantScript(got, `
Read no.txt | read read pending DIR/no.txt
  in_progress
  failed [reading no.txt: there is no such file or folder]
read | read read pending
  failed [../a.txt is outside the root `+c.dir+`]
Edit a.txt | edit edit pending DIR/a.txt
  failed [a.txt: it doesn't hold "q"; nothing was written]
Read a.txt | read read pending DIR/a.txt
  in_progress
  completed [a.txt has 1 line; its last line has no end]
`)
	if len(c.asked) > 0 {
		t.Error("it asked for what can't be done")
	}
}

// Programs get a result as the model reads it, and an error as such (S004.8).
func TestRawOutput(t *testing.T) {
	c := begin(t, &client{permit: answers(acp.PermissionOptionKindAllowOnce)}, "a.txt", "x\n")
	for prompt, want := range map[string]string{
		"read a.txt": `{"output":"a.txt has 1 line\n     1\tx\n"}`,
		"read b.txt": `{"error":"reading b.txt: there is no such file or folder"}`,
		"run exit 3": `{"error":"The command ended with status 3 and wrote nothing","output":"The command ended with status 3 and wrote nothing\n"}`,
	} {
		var got []string
		for _, u := range c.turn(prompt, acp.StopReasonEndTurn) {
			if update, ok := u.(*acp.ToolCallUpdate); ok {
				if raw, ok := update.RawOutput.Get(); ok {
					_ = raw.Canonicalize()
					got = append(got, string(raw))
				}
			}
		}
		if diff := cmp.Diff([]string{want}, got); diff != "" {
			t.Errorf("%s: raw output (-want +got):\n%s", prompt, diff)
		}
	}
}

// Anything that is no command gets an answer that lists them.
func TestAnythingElseGetsHelp(t *testing.T) {
	c := begin(t, &client{})
	said := saidText(c.turn("please fix the tests", acp.StopReasonEndTurn))
	for _, want := range []string{"please fix the tests", "offline interpreter", "list [DIR]", "replace A with B in FILE", "/demo"} {
		if !strings.Contains(said, want) {
			t.Errorf("the answer lacks %q:\n%s", want, said)
		}
	}
}

// A plan is an update of its own, and a call like any other.
func TestPlan(t *testing.T) {
	c := begin(t, &client{})
	c.wantScript(c.turn("plan look; leap", acp.StopReasonEndTurn), `
Plan 2 steps | plan think pending
  in_progress
plan look medium pending
plan leap medium pending
  completed [The plan has 2 steps]
`)
}

// F165: how full the context is comes once for each answer of the model, and the turn's tokens with its end. Both say that
// they are estimates.
func TestF165_Usage(t *testing.T) {
	c := begin(t, &client{}, "a.txt", strings.Repeat("x", 4000))
	c.forget()
	answer, err := c.prompt("read a.txt then list")
	if err != nil {
		t.Fatal(err)
	}
	var used []uint64
	for _, u := range c.seen() {
		if usage, ok := u.(*acp.UsageUpdate); ok {
			used = append(used, usage.Used)
			if usage.Size == 0 || !strings.Contains(string(usage.Meta["patchbay.dev/estimate"]), "four bytes") {
				t.Errorf("usage is %+v", usage)
			}
		}
	}
	if len(used) != 3 || used[1] < used[0]+1000 {
		t.Errorf("used %v, want three numbers, the second of them over 1000 more than the first", used)
	}
	u := answer.Usage
	if u == nil || u.TotalTokens != u.InputTokens+u.OutputTokens || u.OutputTokens == 0 || u.InputTokens < used[1] {
		t.Errorf("the turn's usage is %+v", u)
	}
}

// Each answer of the model is a message of its own.
func TestMessageIDs(t *testing.T) {
	c := begin(t, &client{})
	ids := map[acp.MessageID]bool{}
	for _, u := range c.turn("list then list", acp.StopReasonEndTurn) {
		if chunk, ok := u.(*acp.AgentMessageChunk); ok {
			ids[chunk.MessageID] = true
		}
	}
	if len(ids) != 3 || ids[""] {
		t.Errorf("got message ids %v, want three", ids)
	}
}
