package interop_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/trace"
)

// A story is what a client was told in one turn, without what differs each time: ids, and places on the disk.
type story struct {
	prompt string

	// lines are the updates, in canonical JSON: chunks that follow each other joined, and what is said about a call moved up
	// to where it was announced, since calls that run at once take turns as they like.
	lines []string

	// asked are the requests of the agent, sorted for the same reason.
	asked []string

	end   string // the answer to the prompt
	calls []*told
}

// told is what a client was told of a call.
type told struct {
	name, title string
	input       string // canonical JSON
	states      []string
	lines       []string // all that was said of it
	whole       object   // of a command: that, in one update
}

// A teller writes the stories of one conversation.
type teller struct {
	w        *workday
	commands []string          // that the client was told there are: soon after the session has begun, whatever happens meanwhile
	known    map[string]string // names for ids
	counts   map[string]int
	stories  []*story

	now    *story
	prompt string           // the id of its request
	chunks object           // the last update, if the next one may go on with its text
	places map[string]*told // by the names of their ids
	blocks []any            // lines and *told of the story so far, in their order
}

// stories tells a trace, from the first prompt on.
func (w *workday) stories(path string) []*story {
	w.t.Helper()
	messages := wireOf(w.t, path)
	for _, err := range invalid(messages) {
		w.t.Error(err)
	}
	tell := &teller{w: w, known: map[string]string{}, counts: map[string]int{}}
	for _, m := range messages {
		tell.message(m)
	}
	if tell.now != nil || len(tell.stories) < 1 {
		w.t.Fatalf("a prompt was not answered; before it: %d", len(tell.stories))
	}
	if len(tell.commands) != 1 || !strings.Contains(tell.commands[0], `{"description":"Note a change","input":{"hint":"what changed"},"name":"change"}`) {
		w.t.Errorf("the commands were told so: %q", tell.commands)
	}
	return tell.stories
}

func (e *teller) message(m message) {
	switch {
	case m.Method == "session/prompt":
		var params struct{ Prompt []struct{ Text string } }
		e.decode(m.Params, &params)
		e.now = &story{prompt: params.Prompt[0].Text}
		e.prompt, e.places, e.chunks, e.blocks = string(m.ID), map[string]*told{}, nil, nil
	case m.Method == "session/update":
		var params struct{ Update object }
		e.decode(m.Params, &params)
		if params.Update["sessionUpdate"] == "available_commands_update" {
			e.commands = append(e.commands, canonical(e.w.t, params.Update))
		} else if e.now != nil {
			e.update(params.Update)
		}
	case e.now == nil:
	case m.Method == "$/cancel_request": // for a client that took too long, which says nothing of the model
	case m.Method != "" && m.dir == trace.ToClient:
		e.now.asked = append(e.now.asked, m.Method+" "+e.blank(m.Params))
	case m.Method == "" && m.dir == trace.ToClient && string(m.ID) == e.prompt:
		e.now.end = e.blank(append(m.Result, m.Error...))
		e.finish()
	}
}

func (e *teller) finish() {
	e.flush()
	for _, block := range e.blocks {
		switch block := block.(type) {
		case string:
			e.now.lines = append(e.now.lines, block)
		case *told:
			e.now.lines = append(e.now.lines, block.lines...)
			e.now.calls = append(e.now.calls, block)
		}
	}
	slices.Sort(e.now.asked)
	e.stories, e.now = append(e.stories, e.now), nil
}

// flush ends a row of chunks.
func (e *teller) flush() {
	if e.chunks != nil {
		e.blocks = append(e.blocks, canonical(e.w.t, e.chunks))
		e.chunks = nil
	}
}

func (e *teller) update(u object) {
	u = e.named(u).(object)
	if text := textOf(u["content"]); text != "" {
		if e.chunks != nil && e.chunks["sessionUpdate"] == u["sessionUpdate"] && e.chunks["messageId"] == u["messageId"] {
			content := e.chunks["content"].(object)
			content["text"] = textOf(content) + text
			return
		}
		e.flush()
		e.chunks = u
		return
	}
	e.flush()
	switch u["sessionUpdate"] {
	case "tool_call", "tool_call_update":
		id := u["toolCallId"].(string)
		call := e.places[id]
		if call == nil {
			call = &told{name: fmt.Sprint(or(u["name"])), title: fmt.Sprint(u["title"]), input: canonical(e.w.t, u["rawInput"])}
			e.places[id] = call
			e.blocks = append(e.blocks, call)
		}
		if s, ok := u["status"].(string); ok {
			call.states = append(call.states, s)
		}
		call.add(e.w.t, u)
	default:
		e.blocks = append(e.blocks, canonical(e.w.t, u))
	}
}

// add adds an update to what was said of a call. How much of a command's output is shown before it ends is a matter of luck,
// so what becomes of one is told as a whole.
func (c *told) add(t *testing.T, u object) {
	t.Helper()
	if c.name != "shell" {
		c.lines = append(c.lines, canonical(t, u))
		return
	}
	if c.whole == nil {
		c.whole = object{}
	}
	maps.Copy(c.whole, u)
	c.lines = []string{canonical(t, c.whole), strings.Join(c.states, " ")}
}

func (e *teller) decode(text []byte, value any) {
	e.w.t.Helper()
	if err := json.Unmarshal(text, value); err != nil {
		e.w.t.Fatalf("%v in %s", err, text)
	}
}

// blank is a value without what differs, in canonical JSON.
func (e *teller) blank(text []byte) string {
	var value any
	e.decode(text, &value)
	return canonical(e.w.t, e.named(value))
}

// ids are the members that hold ids, which get names by order of appearance.
var ids = []string{"sessionId", "toolCallId", "terminalId", "messageId", "elicitationId", "compactionId"}

// named replaces ids and places in a value.
func (e *teller) named(value any) any {
	switch v := value.(type) {
	case string:
		return e.w.blank(v)
	case []any:
		for i := range v {
			v[i] = e.named(v[i])
		}
	case object:
		for name := range v {
			id, text := v[name].(string)
			switch {
			case text && slices.Contains(ids, name):
				if e.known[id] == "" {
					e.counts[name]++
					e.known[id] = fmt.Sprint(name, " ", e.counts[name])
				}
				v[name] = e.known[id]
			default:
				v[name] = e.named(v[name])
			}
		}
	}
	return value
}

// tells checks that a story has the calls of a task, each in its place and with its end.
func (w *workday) tells(s *story, k *task) {
	w.t.Helper()
	var got, want []string
	for _, c := range s.calls {
		if c.name == "" { // a question that the client has no form for becomes a call of its own (F145)
			same(w.t, "the call of a question", c.title, "Which colour?")
			continue
		}
		got = append(got, fmt.Sprint(c.name, " ", c.input, " ", c.states[len(c.states)-1]))
	}
	for _, a := range k.answers {
		for _, c := range a.calls {
			var input any
			if err := json.Unmarshal([]byte(c.input), &input); err != nil {
				w.t.Fatalf("%v in %s", err, c.input)
			}
			state := "completed"
			if c.failed {
				state = "failed"
			}
			want = append(want, fmt.Sprint(c.tool, " ", canonical(w.t, input), " ", state))
		}
	}
	same(w.t, "calls of "+k.prompt, got, want)
	for _, a := range k.answers {
		for _, part := range []string{a.thought, a.text} {
			if text := strings.Trim(canonical(w.t, part), `"`); !strings.Contains(strings.Join(s.lines, "\n"), text) {
				w.t.Errorf("%s: the client was not told %q", k.prompt, part)
			}
		}
	}
}

// sameStories compares what clients were told with models of different formats.
func sameStories(t *testing.T, told map[string][]*story) {
	t.Helper()
	first := formats[0].name
	for _, f := range formats[1:] {
		if len(told[f.name]) != len(told[first]) {
			t.Errorf("%s has %d stories, %s has %d", f.name, len(told[f.name]), first, len(told[first]))
			continue
		}
		for i, s := range told[f.name] {
			want := told[first][i]
			what := fmt.Sprintf("%s (got) and %s (want): %s", f.name, first, s.prompt)
			same(t, what+": updates", s.lines, want.lines)
			same(t, what+": requests", s.asked, want.asked)
			same(t, what+": end", s.end, want.end)
		}
	}
}
