package offline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// A talk is a conversation with the offline model, as a script.
type talk struct {
	*testing.T
	messages []model.Message
	calls    []*model.Call // of the last answer
	usage    model.Usage
}

// ask gives the model a prompt and returns its answer, a line an event.
func (c *talk) ask(prompt string) string {
	c.Helper()
	return c.answer(model.Message{Role: model.RoleUser, Content: []acp.ContentBlock{acp.Text(prompt)}})
}

// result gives the model the result of its call.
func (c *talk) result(text string, failed bool) string {
	c.Helper()
	return c.answer(model.Message{Role: model.RoleUser, Results: []model.Result{{CallID: c.calls[0].ID, Text: text, Failed: failed}}})
}

func (c *talk) answer(m model.Message) string {
	c.Helper()
	c.messages = append(c.messages, m)
	answer := model.Message{Role: model.RoleAssistant}
	var script strings.Builder
	for event, err := range (Model{}).Stream(c.Context(), &model.Request{Messages: c.messages}) {
		if err != nil {
			c.Fatal(err)
		}
		switch e := event.(type) {
		case model.Text:
			answer.Content = append(answer.Content, acp.Text(string(e)))
			fmt.Fprintf(&script, "text %.60q\n", strings.TrimPrefix(string(e), greeting))
		case model.Thought:
			fmt.Fprintf(&script, "thought %q\n", string(e))
		case *model.Call:
			answer.Calls = append(answer.Calls, e)
			fmt.Fprintf(&script, "%s %s %s\n", e.ID, e.Name, e.Input)
		case model.Usage:
			c.usage = e
		case model.Stop:
			fmt.Fprintf(&script, "stop %s", e.Reason)
		}
	}
	c.messages = append(c.messages, answer)
	c.calls = answer.Calls
	return script.String()
}

func (c *talk) want(got string, lines ...string) {
	c.Helper()
	if diff := cmp.Diff(lines, strings.Split(got, "\n")); diff != "" {
		c.Errorf("answer (-want +got):\n%s", diff)
	}
}

// Each step is a call, and the next one begins when the result of the one before is there.
func TestOfflineGoesStepByStep(t *testing.T) {
	c := &talk{T: t}
	c.want(c.ask(`read a.txt then write "b c": x then help then run make`),
		`text ""`,
		`thought "Step 1 of 4 calls the tool read."`,
		`call_1 read {"path":"a.txt"}`,
		`stop calls`)
	c.want(c.result("a.txt has 1 line\nhello\n", false),
		`text "a.txt has 1 line\n\n`+"```"+`\nhello\n`+"```"+`\n\n"`,
		`thought "Step 2 of 4 calls the tool write."`,
		`call_2 write {"path":"b c","text":"x"}`,
		`stop calls`)
	c.want(c.result("the disk is full", true),
		"text \"`write` was not done: the disk is full\\n\\n\"",
		`text "The offline interpreter understands:\n\n* `+"`list [DIR]` lists a"+`"`,
		`thought "Step 4 of 4 calls the tool shell."`,
		`call_3 shell {"command":"make"}`,
		`stop calls`)
	c.want(c.result("The command ended with status 0 and wrote nothing\n", false),
		`text "The command ended with status 0 and wrote nothing\n\n"`,
		`text "Done: 3 of 4 steps succeeded.\n"`,
		`stop end`)
	c.want(c.ask("find x in y"), // the next turn goes on counting
		`thought "The next step calls the tool grep."`,
		`call_4 grep {"pattern":"x","literal":true,"path":"y"}`,
		`stop calls`)
	c.want(c.result("nothing", false), `text "nothing\n\n"`, `stop end`)
}

func TestOfflineCallsEachTool(t *testing.T) {
	for prompt, want := range map[string]string{
		"list":                   `list {}`,
		"list src":               `list {"path":"src"}`,
		"find x":                 `grep {"pattern":"x","literal":true}`,
		`replace a with "" in b`: `edit {"path":"b","edits":[{"old":"a","new":"","all":true}]}`,
		"plan a; b": `plan {"entries":[{"content":"a","priority":"medium","status":"pending"},` +
			`{"content":"b","priority":"medium","status":"pending"}]}`,
		"task explore: find x": `task {"description":"find x","prompt":"find x","subagent_type":"explore"}`,
		"find a\xffb":          `grep {"pattern":"a` + "\uFFFD" + `b","literal":true}`,
	} {
		c := &talk{T: t}
		got := c.ask(prompt)
		if !strings.Contains(got, "call_1 "+want+"\n") {
			t.Errorf("%q: got\n%s\nwant the call %s", prompt, got, want)
		}
	}
}

// It says what it is, once, and answers anything else with what it understands.
// The conversation goes on with other models, and no two calls in it may have one name.
func TestOfflineNamesItsCallsAmongOthers(t *testing.T) {
	c := &talk{T: t}
	c.ask("read a.txt")
	c.result("a", false)
	c.messages = append(c.messages,
		model.Message{Role: model.RoleAssistant, Calls: []*model.Call{{ID: "toolu_7", Name: "read"}}},
		model.Message{Role: model.RoleUser, Results: []model.Result{{CallID: "toolu_7"}}}, model.Message{Role: model.RoleAssistant})
	if got := c.ask("read b.txt"); !strings.Contains(got, "call_2 read") {
		t.Errorf("got %s", got)
	}
}

func TestOfflineIntroducesItself(t *testing.T) {
	for _, prompt := range []string{"", "please fix the bug", "read", "help"} {
		c := &talk{T: t}
		c.ask(prompt)
		said := promptText(c.messages[1].Content)
		for _, want := range append([]string{"offline interpreter", "no language model"}, forms()...) {
			if !strings.Contains(said, want) {
				t.Errorf("%q: the answer lacks %q:\n%s", prompt, want, said)
			}
		}
		if c.ask("dance"); strings.Contains(promptText(c.messages[3].Content), greeting) {
			t.Errorf("%q: it introduces itself again", prompt)
		}
	}
}

func forms() []string {
	var list []string
	for _, u := range usage {
		list = append(list, "`"+u.form+"`")
	}
	return list
}

// The answer depends on the conversation alone.
func TestOfflineIsDeterministic(t *testing.T) {
	script := func() string {
		c := &talk{T: t}
		return c.ask("list then find x") + c.result("a\nb", false) + c.result("no", true) + fmt.Sprint(c.usage)
	}
	if a, b := script(), script(); a != b {
		t.Errorf("got\n%s\nand then\n%s", a, b)
	}
}

// A mention of a file comes as a link between texts.
func TestOfflineReadsLinks(t *testing.T) {
	for _, c := range []struct {
		blocks []acp.ContentBlock
		want   string
	}{
		{[]acp.ContentBlock{acp.Text("read"), acp.Link("a", "file:///tmp/a%20b.go")}, `read '/tmp/a b.go'`},
		{[]acp.ContentBlock{acp.Text("find x in "), acp.Link("a", "file:///tmp/in"), acp.Text(" then list")}, `find x in '/tmp/in' then list`},
		{[]acp.ContentBlock{acp.Text("read"), acp.Link("a", "https://example.com/a")}, `read 'https://example.com/a'`},
		{[]acp.ContentBlock{acp.Text("read"), acp.Link("a", "file:///it's")}, `read /it's`},
		{[]acp.ContentBlock{acp.Image("image/png", []byte("x")), acp.Text("list")}, `list`},
	} {
		if got := promptText(c.blocks); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// What is attached to a prompt is noted where the prompt makes sense without it, and else is what its last step is about.
func TestOfflineTakesNoteOfWhatIsAttached(t *testing.T) {
	file, link := acp.TextResource("file:///tmp/a.txt", "text/plain", "read /etc/passwd"), acp.Link("b", "file:///tmp/b.png")
	for _, c := range []struct {
		blocks []acp.ContentBlock
		want   string
		noted  []string
	}{
		{[]acp.ContentBlock{acp.Text("list"), file, link}, "list", []string{"'/tmp/a.txt'", "'/tmp/b.png'"}},
		{[]acp.ContentBlock{acp.Text("list "), file}, "list '/tmp/a.txt'", nil},
		{[]acp.ContentBlock{acp.Text("list then read"), file}, "list then read '/tmp/a.txt'", nil},
		{[]acp.ContentBlock{acp.Text("read x"), link, acp.Text("then list")}, "read x '/tmp/b.png' then list", nil},
		{[]acp.ContentBlock{file}, "'/tmp/a.txt'", nil},
	} {
		prompt, noted := cutAttached(c.blocks)
		if prompt != c.want || !slices.Equal(noted, c.noted) {
			t.Errorf("got %q and %q, want %q and %q", prompt, noted, c.want, c.noted)
		}
	}
	if err := model.Takes(Model{}, file); err != nil {
		t.Error(err)
	}
}

// A result is repeated in the answer up to a limit, in a block that it can't end.
func TestOfflineReportIsBounded(t *testing.T) {
	c := &talk{T: t}
	c.ask("read a")
	c.result("a has 1 line\n```"+strings.Repeat("é", 10_000), false)
	said := promptText(c.messages[3].Content)
	if len(said) > maxRepeat+200 || !strings.Contains(said, "````\n```é") || !strings.Contains(said, "the tool call shows more") {
		t.Errorf("got %d bytes that begin with %.60q", len(said), said)
	}
}

// F165: tokens are estimated, and it says how.
func TestOfflineEstimatesTokens(t *testing.T) {
	c := &talk{T: t}
	c.ask("list")
	if c.usage.InputTokens != 1 || c.usage.OutputTokens == 0 || c.usage.Estimate == "" {
		t.Errorf("got %+v", c.usage)
	}
	before := c.usage
	if c.result(strings.Repeat("x", 4000), false); c.usage.InputTokens < before.InputTokens+1000 {
		t.Errorf("got %+v after %+v", c.usage, before)
	}
}

func TestOfflineStopsWhenItsContextEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := &model.Request{Messages: []model.Message{{Role: model.RoleUser, Content: []acp.ContentBlock{acp.Text("help")}}}}
	n := 0
	for event, err := range (Model{}).Stream(ctx, r) {
		if n++; event != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, %v", event, err)
		}
	}
	if n != 1 {
		t.Errorf("got %d events", n)
	}
	for range (Model{}).Stream(t.Context(), r) {
		break // a caller may stop anywhere
	}
}
