package anthropic_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

const pixel = "iVBORw0KGgo="

func said(blocks ...acp.ContentBlock) []model.Message {
	return []model.Message{{Role: model.RoleUser, Content: blocks}}
}

func assistant(text string, calls ...*model.Call) model.Message {
	m := model.Message{Role: model.RoleAssistant, Calls: calls}
	if text != "" {
		m.Content = []acp.ContentBlock{&acp.TextContent{Text: text}}
	}
	return m
}

func results(r ...model.Result) model.Message {
	return model.Message{Role: model.RoleUser, Results: r}
}

func call(id, input string) *model.Call {
	return &model.Call{ID: id, Name: "read", Input: acp.Raw(input)}
}

func TestRequests(t *testing.T) {
	hello := modeltest.Said{Role: "user", Text: "hello"}
	for name, c := range map[string]struct {
		messages []model.Message
		want     []modeltest.Said
	}{
		"text": {[]model.Message{user("hello")}, []modeltest.Said{hello}},
		"text without a word is left out": {
			[]model.Message{user("hello"), assistant(" \n"), said(&acp.TextContent{Text: " "}, &acp.TextContent{Text: "go on"})[0]},
			[]modeltest.Said{hello, {Role: "user", Text: "go on"}},
		},
		"links and resources": {
			said(
				&acp.ResourceLink{Name: "main.go", URI: "file:///main.go"},
				&acp.EmbeddedResource{Resource: &acp.TextResourceContents{URI: `file:///"a".go`, Text: "package a"}},
			),
			[]modeltest.Said{{Role: "user", Text: "[main.go](file:///main.go)\n<resource uri=\"file:///&#34;a&#34;.go\">\npackage a\n</resource>"}},
		},
		"images and PDFs": {
			said(
				&acp.ImageContent{Data: pixel, MIMEType: "image/png"},
				&acp.ImageContent{Data: pixel, MIMEType: "IMAGE/JPG"},
				&acp.ImageContent{URI: "https://example.com/a.gif"},
				&acp.EmbeddedResource{Resource: &acp.BlobResourceContents{URI: "file:///a.pdf", MIMEType: "application/pdf", Blob: "JVBERi0="}},
				&acp.EmbeddedResource{Resource: &acp.BlobResourceContents{URI: "file:///a.webp", MIMEType: "image/webp", Blob: pixel}},
			),
			[]modeltest.Said{{Role: "user", Images: 5}},
		},
		"calls and results": {
			[]model.Message{
				user("hello"),
				assistant("I read.", call("a", `{"path":"a<b"}`), call("b", `{}`)),
				{Role: model.RoleUser, Content: said(&acp.TextContent{Text: "hurry"})[0].Content, Results: []model.Result{
					{CallID: "a", Name: "read", Text: "package a", Images: []*acp.ImageContent{{Data: pixel, MIMEType: "image/png"}}},
					{CallID: "b", Name: "read", Text: "no such file", Failed: true},
				}},
			},
			[]modeltest.Said{
				hello,
				{Role: "assistant", Text: "I read.", Calls: []modeltest.Called{{ID: "a", Name: "read", Input: `{"path":"a<b"}`}, {ID: "b", Name: "read", Input: `{}`}}},
				{Role: "user", Text: "hurry", Results: []modeltest.Returned{{ID: "a", Text: "package a", Images: 1}, {ID: "b", Text: "no such file", Failed: true}}},
			},
		},
		"results without a word": {
			[]model.Message{
				user("hello"), assistant("", call("a", `{}`), call("b", `{}`)),
				results(model.Result{CallID: "a"}, model.Result{CallID: "b", Text: "\n", Failed: true}),
			},
			[]modeltest.Said{
				hello, {Role: "assistant", Calls: []modeltest.Called{{ID: "a", Name: "read", Input: `{}`}, {ID: "b", Name: "read", Input: `{}`}}},
				{Role: "user", Results: []modeltest.Returned{{ID: "a"}, {ID: "b", Text: "The tool failed and gave no reason.", Failed: true}}},
			},
		},
		"names of calls of other providers": {
			[]model.Message{
				user("hello"),
				assistant("", call("", `{}`), call("functions.read:0", `{}`), call("functions_read_0", `{}`)),
				results(model.Result{CallID: "", Text: "1"}, model.Result{CallID: "functions.read:0", Text: "2"}, model.Result{CallID: "functions_read_0", Text: "3"}),
				assistant("", call("", `{}`)),
				results(model.Result{CallID: "", Text: "4"}),
			},
			[]modeltest.Said{
				hello,
				{Role: "assistant", Calls: []modeltest.Called{{ID: "call", Name: "read", Input: `{}`}, {ID: "functions_read_0", Name: "read", Input: `{}`}, {ID: "functions_read_0_2", Name: "read", Input: `{}`}}},
				{Role: "user", Results: []modeltest.Returned{{ID: "call", Text: "1"}, {ID: "functions_read_0", Text: "2"}, {ID: "functions_read_0_2", Text: "3"}}},
				{Role: "assistant", Calls: []modeltest.Called{{ID: "call_2", Name: "read", Input: `{}`}}},
				{Role: "user", Results: []modeltest.Returned{{ID: "call_2", Text: "4"}}},
			},
		},
		"a memo of another provider": {
			[]model.Message{
				user("hello"),
				{Role: model.RoleAssistant, Content: assistant("well").Content, Memo: &model.Memo{Provider: "openai", Data: acp.Raw(`{"x":1}`)}},
				user("go on"),
			},
			[]modeltest.Said{hello, {Role: "assistant", Text: "well"}, {Role: "user", Text: "go on"}},
		},
		"a memo that is no memo": {
			[]model.Message{
				user("hello"),
				{Role: model.RoleAssistant, Content: assistant("well").Content, Memo: &model.Memo{Provider: "anthropic", Data: acp.Raw(`{"x":1}`)}},
				user("go on"),
			},
			[]modeltest.Said{hello, {Role: "assistant", Text: "well"}, {Role: "user", Text: "go on"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, s := serve(t, modeltest.Answer{Text: "yes"})
			if h := listen(t.Context(), m, &model.Request{Messages: c.messages}); h.err != nil {
				t.Fatal(h.err)
			}
			if d := cmp.Diff(c.want, s.Last().Messages); d != "" {
				t.Error(d)
			}
		})
	}
}

// What the model can't take is refused before a byte is sent.
func TestWhatIsNotSent(t *testing.T) {
	image := &acp.ImageContent{Data: pixel, MIMEType: "image/png"}
	for name, c := range map[string]struct {
		messages []model.Message
		blind    bool // the model takes no images
		want     string
	}{
		"audio":                    {messages: said(&acp.AudioContent{Data: "AAAA", MIMEType: "audio/wav"}), want: "takes no audio"},
		"images":                   {messages: said(image), blind: true, want: "takes no images"},
		"images of a tool":         {messages: []model.Message{user("x"), assistant("", call("a", `{}`)), results(model.Result{CallID: "a", Name: "shot", Images: []*acp.ImageContent{image}})}, blind: true, want: "the result of shot: the model takes no images"},
		"images of another kind":   {messages: said(&acp.ImageContent{Data: pixel, MIMEType: "image/tiff"}), want: `"image/tiff"`},
		"images of no base64":      {messages: said(&acp.ImageContent{Data: "?", MIMEType: "image/png"}), want: "no base64"},
		"images of this machine":   {messages: said(&acp.ImageContent{URI: "file:///a.png", MIMEType: "image/png"}), want: "not on the web"},
		"PDFs of no base64":        {messages: said(&acp.EmbeddedResource{Resource: &acp.BlobResourceContents{MIMEType: "application/pdf", Blob: "?"}}), want: "no base64"},
		"other files":              {messages: said(&acp.EmbeddedResource{Resource: &acp.BlobResourceContents{URI: "file:///a.zip", MIMEType: "application/zip"}}), want: "application/zip"},
		"kinds that nobody knows":  {messages: said(&acp.UnknownContent{Type: "smell"}), want: `"smell"`},
		"a call without a result":  {messages: []model.Message{user("x"), assistant("", call("a", `{}`)), user("y")}, want: "message 3 of the conversation: there are 0 results for the 1 calls"},
		"a call at the end":        {messages: []model.Message{user("x"), assistant("", call("a", `{}`))}, want: "calls that have no results"},
		"a call and no answer":     {messages: []model.Message{user("x"), assistant("", call("a", `{}`)), assistant("y"), user("z")}, want: "0 results"},
		"a result without a call":  {messages: []model.Message{user("x"), assistant("y"), results(model.Result{CallID: "a"})}, want: "1 results for the 0 calls"},
		"two calls of a name":      {messages: []model.Message{user("x"), assistant("", call("a", `{}`), call("a", `{}`)), user("y")}, want: `two calls are named "a"`},
		"a call that is no object": {messages: []model.Message{user("x"), assistant("", call("a", `[]`)), results(model.Result{CallID: "a"})}, want: "no JSON object"},
		"an assistant's last word": {messages: []model.Message{user("x"), assistant("y")}, want: "does not end with"},
		"nothing":                  {want: "does not end with"},
		"nothing but space":        {messages: []model.Message{user(" ")}, want: "does not end with"},
		"a third side":             {messages: []model.Message{{Role: "system"}}, want: `"system"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "yes"}))
			o := options(s.URL)
			o.Prompt.Image = !c.blind
			e := listen(t.Context(), newModel(t, o), &model.Request{Messages: c.messages}).failure(t)
			if !strings.Contains(e.Message, c.want) || !e.Final || len(s.Heard()) != 0 {
				t.Errorf("got %q, final %t, %d requests", e.Message, e.Final, len(s.Heard()))
			}
		})
	}
}

func TestSystemAndTools(t *testing.T) {
	m, s := serve(t, modeltest.Answer{Text: "yes"})
	schema := `{"type":"object","properties":{"path":{"type":"string","description":"a<b"}},"required":["path"],"additionalProperties":false,"$defs":{"x":{}}}`
	r := &model.Request{
		System:   "Be brief.",
		Messages: []model.Message{user("hello")},
		Tools:    []model.Tool{{Name: "read", Description: "Reads.", Schema: acp.Raw(schema)}, {Name: "list"}},
	}
	if h := listen(t.Context(), m, r); h.err != nil {
		t.Fatal(h.err)
	}
	got := s.Last()
	if got.System != "Be brief." || got.Model != "claude-opus-5-5" || !cmp.Equal(got.Tools, []string{"read", "list"}) {
		t.Errorf("got %+v", got)
	}
	sameJSON(t, schema, got.Schemas["read"])
	sameJSON(t, `{"type":"object"}`, got.Schemas["list"])
}

func sameJSON(t *testing.T, want string, got acp.Raw) {
	t.Helper()
	var w, g any
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(got, &g); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(w, g); d != "" {
		t.Error(d)
	}
}

// The tools, the instructions and the last two messages of the user are marked for the cache, and nothing else.
func TestCacheMarks(t *testing.T) {
	m, s := serve(t, modeltest.Answer{Text: "yes"})
	r := &model.Request{
		System: "Be brief.",
		Messages: []model.Message{
			user("one"), assistant("two"), user("three"),
			assistant("", call("a", `{}`), call("b", `{}`)),
			results(model.Result{CallID: "a", Text: "x"}, model.Result{CallID: "b", Text: "y"}),
		},
		Tools: []model.Tool{{Name: "read"}, {Name: "list"}},
	}
	if h := listen(t.Context(), m, r); h.err != nil {
		t.Fatal(h.err)
	}
	type marked struct {
		Mark *struct{ Type string } `json:"cache_control"`
	}
	var body struct {
		System, Tools []marked
		Messages      []struct{ Content []marked }
	}
	if err := json.Unmarshal(s.Last().Body, &body, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	var got []string
	note := func(where string, marks ...marked) {
		for _, m := range marks {
			if m.Mark != nil {
				where += " " + m.Mark.Type
			} else {
				where += " -"
			}
		}
		got = append(got, where)
	}
	note("tools", body.Tools...)
	note("system", body.System...)
	for _, m := range body.Messages {
		note("message", m.Content...)
	}
	want := []string{"tools - ephemeral", "system ephemeral", "message -", "message -", "message ephemeral", "message - -", "message - ephemeral"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestMaxTokens(t *testing.T) {
	for _, c := range []struct{ wanted, limit, want int }{{0, 0, 32_000}, {0, 64_000, 64_000}, {500, 0, 500}, {500, 64_000, 500}, {100_000, 64_000, 64_000}} {
		s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "yes"}))
		o := options(s.URL)
		o.MaxTokens = c.limit
		listen(t.Context(), newModel(t, o), &model.Request{Messages: []model.Message{user("x")}, MaxTokens: c.wanted})
		var body struct {
			MaxTokens int `json:"max_tokens"`
		}
		if err := json.Unmarshal(s.Last().Body, &body); err != nil || body.MaxTokens != c.want {
			t.Errorf("wanted %d of %d: %d, %v", c.wanted, c.limit, body.MaxTokens, err)
		}
	}
}
