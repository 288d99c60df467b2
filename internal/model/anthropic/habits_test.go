package anthropic_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/anthropic"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// tool is a call in the pieces of a stream, with this input.
func tool(index int, id, input string) []string {
	return []string{
		blockStart(index, `{"type":"tool_use","id":"`+id+`","name":"read","input":{}}`),
		blockDelta(index, `{"type":"input_json_delta","partial_json":`+quoted(input)+`}`),
		blockStop(index),
	}
}

func quoted(s string) string { return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"` }

// message is a stream of these events between a start and an end.
func message(reason string, pieces ...[]string) string {
	all := []string{start}
	for _, p := range pieces {
		all = append(all, p...)
	}
	return events(append(all, ends(reason), stop)...)
}

// Servers that have copied the Messages API have habits of their own.
func TestHabits(t *testing.T) {
	text := []string{blockStart(0, `{"type":"text","text":""}`), blockDelta(0, `{"type":"text_delta","text":"hi"}`), blockStop(0)}
	plain := message("end_turn", text)
	unnamed := func(stream string) string {
		var kept []string
		for line := range strings.Lines(stream) {
			if !strings.HasPrefix(line, "event:") {
				kept = append(kept, line)
			}
		}
		return strings.Join(kept, "")
	}
	for name, stream := range map[string]string{
		"pings":                    strings.ReplaceAll(plain, "\n\n", "\n\nevent: ping\ndata: {\"type\": \"ping\"}\n\n"),
		"pings without a name":     strings.ReplaceAll(plain, "\n\n", "\n\ndata: {\"type\": \"ping\"}\n\n"),
		"comments":                 ": keep-alive\n\n" + strings.ReplaceAll(plain, "\n\n", "\n\n: keep-alive\n\n"),
		"CRLF":                     strings.ReplaceAll(plain, "\n", "\r\n"),
		"no names of events":       unnamed(plain),
		"kinds of events to come":  strings.ReplaceAll(plain, "\n\n", "\n\nevent: vibe\ndata: {\"type\":\"vibe\",\"level\":3}\n\n"),
		"[DONE] after the end":     plain + "data: [DONE]\n\n",
		"no end of a block":        message("end_turn", text[:2]),
		"blocks from 1":            strings.ReplaceAll(plain, `"index":0`, `"index":1`),
		"no index":                 strings.ReplaceAll(plain, `"index":0,`, ``),
		"every block is the first": message("end_turn", []string{blockStart(0, `{"type":"thinking","thinking":"hm","signature":"s"}`), blockStop(0)}, text),
		"text at the start":        message("end_turn", []string{blockStart(0, `{"type":"text","text":"hi"}`), blockStop(0)}),
		"a reason, and then null":  events(append(append([]string{start}, text...), ends("end_turn"), `{"type":"message_delta","delta":{"stop_reason":null},"usage":{"output_tokens":5}}`, stop)...),
		"0 for what was counted":   strings.ReplaceAll(plain, `"usage":{"output_tokens":5}`, `"usage":{"input_tokens":0,"output_tokens":5}`),
		"no usage at the end":      strings.ReplaceAll(plain, `,"usage":{"output_tokens":5}`, ``),
		"the input's count later":  strings.ReplaceAll(strings.ReplaceAll(plain, `"input_tokens":10`, `"input_tokens":0`), `"usage":{"output_tokens":5}`, `"usage":{"input_tokens":10,"output_tokens":5}`),
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := wire(t, stream)
			h := ask(t, m, "hello")
			if h.err != nil || h.text != "hi" || h.stop != model.StopEnd || h.usage.InputTokens != 10 {
				t.Errorf("got %+v", h)
			}
			if want := uint64(5); h.usage.OutputTokens != want && name != "no usage at the end" {
				t.Errorf("it has counted %d", h.usage.OutputTokens)
			}
		})
	}
}

// Errors in mid-stream, as the API sends them and as others do.
func TestErrorsInMidStream(t *testing.T) {
	text := events(start, blockStart(0, `{"type":"text","text":"hi"}`))
	for name, c := range map[string]struct {
		event   string
		status  int
		final   bool
		message string
	}{
		"named":       {events(`{"type":"error","error":{"type":"rate_limit_error","message":"Slow down."}}`), 429, false, "Slow down."},
		"not named":   {"data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Busy.\"}}\n\n", 529, false, "Busy."},
		"too long":    {events(`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long"}}`), 400, true, "prompt is too long"},
		"other words": {"event: error\ndata: {\"message\":\"the key is " + key + "\"}\n\n", 0, false, `the answer ends with an error: {"message":"the key is [key]"}`},
		"DONE":        {"data: [DONE]\n\n", 0, false, "the answer ends before it is complete"},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := wire(t, text+c.event)
			h := ask(t, m, "hello")
			if e := h.failure(t); e.Status != c.status || e.Final != c.final || e.Message != c.message || h.text != "hi" {
				t.Errorf("got %+v after %q", e, h.text)
			}
		})
	}
}

// Whatever the names of an answer's calls, the conversation goes on: no two have the same, and none has none.
func TestNamesOfCalls(t *testing.T) {
	for name, thought := range map[string]string{"in our words": "", "in the server's": "hm"} {
		t.Run(name, func(t *testing.T) {
			calls := []modeltest.Called{{ID: "call_0", Name: "read", Input: `{"n":1}`}, {ID: "call_0", Name: "functions.read", Input: `{"n":2}`}}
			m, s := serve(t,
				modeltest.Answer{Thought: thought, Calls: calls}, modeltest.Answer{Thought: thought, Calls: calls[:1]}, modeltest.Answer{Text: "done"})
			r := &model.Request{Messages: []model.Message{user("go")}}
			for range 2 {
				h := listen(t.Context(), m, r)
				if h.err != nil {
					t.Fatal(h.err)
				}
				back := model.Message{Role: model.RoleUser}
				for _, c := range h.calls {
					back.Results = append(back.Results, model.Result{CallID: c.ID, Text: string(c.Input)})
				}
				r.Messages = append(r.Messages, h.message(), back)
			}
			if h := listen(t.Context(), m, r); h.err != nil || h.text != "done" {
				t.Fatalf("got %+v", h)
			}
			if n := strings.Count(string(s.Last().Body), `"type":"thinking"`); thought != "" && n != 2 {
				t.Errorf("%d thoughts went back", n)
			}
			for i, said := range s.Last().Messages {
				for j, c := range said.Calls {
					if got := s.Last().Messages[i+1].Results[j]; got.ID != c.ID || got.Text != c.Input {
						t.Errorf("the result of %+v is %+v", c, got)
					}
				}
			}
		})
	}
}

func TestACallWithoutAnID(t *testing.T) {
	m, _ := wire(t, message("tool_use", tool(0, "", `{"a":1}`), tool(1, "", `{"b":1}`)))
	h := ask(t, m, "go")
	if h.err != nil || len(h.calls) != 2 || h.calls[0].ID == "" || h.calls[0].ID == h.calls[1].ID {
		t.Errorf("got %+v", h)
	}
}

// A call whose input can't be read is one that says so, and goes back as one that can: the model may try again.
func TestBrokenInput(t *testing.T) {
	thinking := []string{blockStart(0, `{"type":"thinking","thinking":"hm","signature":"c2lnbmVkIDI6IGht"}`), blockStop(0)}
	for name, c := range map[string]struct {
		stream string
		order  string
	}{
		"alone":             {message("tool_use", tool(0, "a", `{"path":`)), "call usage stop"},
		"an array":          {message("tool_use", tool(0, "a", `[1]`)), "call usage stop"},
		"with a memo":       {message("tool_use", thinking, tool(1, "a", `{"path":`)), "thought call memo usage stop"},
		"before a good one": {message("tool_use", tool(0, "a", `{"path":`), tool(1, "b", `{"path":"x"}`)), "call usage stop"},
		"not the last, cut": {message("max_tokens", tool(0, "a", `{"path":`), tool(1, "b", `{"path":"x"`)), "call usage stop"},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := wire(t, c.stream)
			h := ask(t, m, "go")
			if h.err != nil || h.order != c.order || h.calls[0].ID != "a" || string(h.calls[0].Input) != "{}" || !strings.Contains(h.calls[0].Broken, "no JSON object") {
				t.Fatalf("got %+v", h)
			}
			for _, call := range h.calls[1:] {
				if call.ID != "b" || call.Broken != "" || h.stop != model.StopCalls {
					t.Errorf("got %+v", call)
				}
			}
			again, s := serve(t, modeltest.Answer{Text: "sorry"})
			back := model.Message{Role: model.RoleUser}
			for _, call := range h.calls {
				back.Results = append(back.Results, model.Result{CallID: call.ID, Text: call.Broken, Failed: true})
			}
			next := listen(t.Context(), again, &model.Request{Messages: []model.Message{user("go"), h.message(), back}})
			if next.err != nil || next.text != "sorry" {
				t.Fatalf("got %+v", next)
			}
			if got := s.Last().Messages[1].Calls[0]; got.Input != "{}" || got.ID != "a" {
				t.Errorf("it went back as %+v", got)
			}
		})
	}
}

func TestACallWithoutAName(t *testing.T) {
	m, _ := wire(t, message("tool_use", []string{blockStart(0, `{"type":"tool_use","id":"a","name":"","input":{"p":1}}`), blockStop(0)}))
	if h := ask(t, m, "go"); h.err != nil || len(h.calls) != 1 || h.calls[0].Name == "" || !strings.Contains(h.calls[0].Broken, "no tool") {
		t.Errorf("got %+v", h)
	}
}

// What has no end is given one.
func TestAnswersWithoutAnEnd(t *testing.T) {
	for name, c := range map[string]struct {
		fault modeltest.Fault
		want  string
	}{
		"text":    {modeltest.Fault{Endless: modeltest.EndlessText}, "its answer is longer than 262144 bytes"},
		"a line":  {modeltest.Fault{Endless: modeltest.EndlessLine, At: 1}, "its answer is longer than 262144 bytes"},
		"a body":  {modeltest.Fault{Endless: modeltest.EndlessBody}, `it answers with "application/json"`},
		"failure": {modeltest.Fault{Endless: modeltest.EndlessBody, Status: 400}, `{"error":"and so on`},
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: strings.Repeat("word ", 100), Fault: c.fault}))
			o := options(s.AnthropicURL())
			o.MaxBytes = 1 << 18
			h := ask(t, newModel(t, o), "hello")
			if e := h.failure(t); e.Retryable() || !strings.HasPrefix(e.Message, c.want) || len(h.text) > 1<<18 {
				t.Errorf("got %v after %d bytes", e, len(h.text))
			}
		})
	}
}

// A provider of the user's own has the name that the user has given it, and what it has said is not for others.
func TestProvidersName(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(modeltest.Answer{Thought: "hm", Text: "hi"}, modeltest.Answer{Fault: modeltest.Fault{Status: 500}}))
	m := newModel(t, anthropic.Options{Model: "m", BaseURL: s.AnthropicURL(), Provider: "mine"})
	if info := m.Info(); info.Name != "mine/m" || info.Provider != "mine" {
		t.Errorf("got %+v", info)
	}
	h := ask(t, m, "hello")
	if h.err != nil || h.memo.Provider != "mine" {
		t.Fatalf("got %+v", h)
	}
	failed := ask(t, m, "hello")
	if failed.err == nil || !strings.HasPrefix(failed.err.Error(), "the model's provider mine failed with status 500") {
		t.Errorf("got %v", failed.err)
	}
	other, heard := serve(t, modeltest.Answer{Text: "hi"})
	listen(t.Context(), other, &model.Request{Messages: []model.Message{user("hello"), h.message(), user("go on")}})
	if body := string(heard.Last().Body); strings.Contains(body, "signature") || !strings.Contains(body, `"hi"`) {
		t.Errorf("got %s", body)
	}
}

// What the server's own tools have found goes back as it came, with the places that are cited.
func TestServerTools(t *testing.T) {
	found := `{"type":"web_search_tool_result","tool_use_id":"s","content":[{"type":"web_search_result","url":"https://example.com","encrypted_content":"Ab<&>","title":"x","page_age":null}]}`
	cited := func(n string) string {
		return `{"type":"web_search_result_location","url":"https://example.com","encrypted_index":"` + n + `","cited_text":"y"}`
	}
	m, bodies := wire(t, message("end_turn",
		[]string{blockStart(0, `{"type":"server_tool_use","id":"s","name":"web_search","input":{}}`), blockDelta(0, `{"type":"input_json_delta","partial_json":"{\"query\": 1.0}"}`), blockStop(0)},
		[]string{blockStart(1, found), blockStop(1)},
		[]string{
			blockStart(2, `{"citations":[],"type":"text","text":""}`), blockDelta(2, `{"type":"text_delta","text":"It says <y> & z."}`),
			blockDelta(2, `{"type":"citations_delta","citation":`+cited("1")+`}`), blockDelta(2, `{"type":"citations_delta","citation":`+cited("2")+`}`), blockStop(2),
		}))
	h := ask(t, m, "search")
	if h.err != nil || h.text != "It says <y> & z." || h.stop != model.StopEnd || h.memo == nil {
		t.Fatalf("got %+v", h)
	}
	want := `[{"type":"server_tool_use","id":"s","name":"web_search","input":{"query": 1.0}},` + found +
		`,{"citations":[` + cited("1") + "," + cited("2") + `],"type":"text","text":"It says <y> & z."}]`
	listen(t.Context(), m, &model.Request{Messages: []model.Message{user("search"), h.message(), user("go on")}})
	if d := cmp.Diff(decoded(t, want), decoded(t, string(h.memo.Data))); d != "" {
		t.Error(d)
	}
	if body := (*bodies)[1]; !strings.Contains(body, `"encrypted_content":"Ab`) || !strings.Contains(body, `"encrypted_index":"2"`) {
		t.Errorf("got %s", body)
	}
}

func decoded(t *testing.T, text string) any {
	t.Helper()
	raw := acp.Raw(text)
	if err := raw.Canonicalize(); err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
