package gemini_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/gemini"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// user and assistant are messages of content.
func user(content ...acp.ContentBlock) model.Message {
	return model.Message{Role: model.RoleUser, Content: content}
}

func assistant(content ...acp.ContentBlock) model.Message {
	return model.Message{Role: model.RoleAssistant, Content: content}
}

// sent returns a request as the server has understood it.
func sent(t *testing.T, r *model.Request, change ...func(*gemini.Options)) *modeltest.Heard {
	t.Helper()
	s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "x"}))
	if _, err := ask(t.Context(), newModel(t, s.GeminiURL(), change...), r); err != nil {
		t.Fatal(err)
	}
	return s.Last()
}

var pixel = acp.Image("image/png", []byte("pixels"))

func TestRequests(t *testing.T) {
	looked := model.Message{Role: model.RoleAssistant, Content: []acp.ContentBlock{acp.Text("I look.")}, Calls: []*model.Call{
		{ID: "toolu_1", Name: "read", Input: acp.Raw(`{"path":"a"}`)}, {ID: "toolu_2", Name: "list"},
	}}
	found := model.Message{
		Role: model.RoleUser,
		Results: []model.Result{
			{CallID: "toolu_1", Name: "read", Text: "text", Images: []*acp.ImageContent{pixel.(*acp.ImageContent)}},
			{CallID: "toolu_2", Name: "list", Text: "no folder", Failed: true},
		},
		Content: []acp.ContentBlock{acp.Text("Go on.")},
	}
	for name, c := range map[string]struct {
		messages []model.Message
		want     []modeltest.Said
	}{
		"a conversation": {
			[]model.Message{user(acp.Text("hi"), acp.Text(" there")), assistant(acp.Text("hello")), user(acp.Text("bye"))},
			[]modeltest.Said{{Role: "user", Text: "hi there"}, {Role: "assistant", Text: "hello"}, {Role: "user", Text: "bye"}},
		},
		"neighbours are one": {
			[]model.Message{user(acp.Text("a")), user(acp.Text("b")), assistant(), user(acp.Text("")), user(acp.Text("c"))},
			[]modeltest.Said{{Role: "user", Text: "abc"}},
		},
		"calls and results, images within": {
			[]model.Message{user(acp.Text("look")), looked, found},
			[]modeltest.Said{
				{Role: "user", Text: "look"},
				{Role: "assistant", Text: "I look.", Calls: []modeltest.Called{
					{ID: "toolu_1", Name: "read", Input: `{"path":"a"}`}, {ID: "toolu_2", Name: "list", Input: `{}`},
				}},
				{Role: "user", Text: "Go on.", Results: []modeltest.Returned{
					{ID: "toolu_1", Text: "text", Images: 1}, {ID: "toolu_2", Text: "no folder", Failed: true},
				}},
			},
		},
		"files": {
			[]model.Message{user(
				pixel, &acp.ImageContent{MIMEType: "image/png", URI: "https://example.com/a.png"}, acp.Audio("audio/wav", []byte("la")),
				acp.BlobResource("file:///b.png", "image/png", []byte("pixels")), acp.BlobResource("file:///c.pdf", "application/pdf", []byte("%PDF")),
			)},
			[]modeltest.Said{{Role: "user", Images: 3, Audio: 1}},
		},
		"links and texts": {
			[]model.Message{user(acp.Link("main.go", "file:///main.go"), acp.TextResource("file:///a.txt", "text/plain", "body"))},
			[]modeltest.Said{{Role: "user", Text: "[main.go](file:///main.go)<resource uri=\"file:///a.txt\">\nbody\n</resource>"}},
		},
		"bytes that are no text": {
			[]model.Message{user(acp.Text("a\xffb"))}, []modeltest.Said{{Role: "user", Text: "a�b"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, sent(t, &model.Request{Messages: c.messages}).Messages); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What a tool shows is no reason to fail all requests that come after it.
func TestImagesOfResultsThatNoModelTakes(t *testing.T) {
	gif := &acp.ImageContent{MIMEType: "image/gif", Data: "R0lGODlh"}
	web := &acp.ImageContent{MIMEType: "image/png", URI: "https://example.com/a.png"}
	h := sent(t, &model.Request{Messages: []model.Message{
		user(acp.Text("look")),
		{Role: model.RoleAssistant, Calls: []*model.Call{{ID: "c", Name: "read"}}},
		{Role: model.RoleUser, Results: []model.Result{{CallID: "c", Name: "read", Text: "a.gif", Images: []*acp.ImageContent{gif, web}}}},
	}})
	want := []modeltest.Returned{{ID: "c", Text: "a.gif\n[an image of the type image/gif, which you can't see]", Images: 1}}
	if diff := cmp.Diff(want, h.Messages[2].Results); diff != "" {
		t.Error(diff)
	}
}

// Older models take the images of results only beside them.
func TestImagesOfResultsBesideThem(t *testing.T) {
	r := &model.Request{Messages: []model.Message{
		user(acp.Text("look")),
		{Role: model.RoleAssistant, Calls: []*model.Call{{ID: "c", Name: "read"}}},
		{Role: model.RoleUser, Results: []model.Result{{CallID: "c", Name: "read", Images: []*acp.ImageContent{pixel.(*acp.ImageContent)}}}},
	}}
	h := sent(t, r, func(o *gemini.Options) { o.Model = "gemini-2.5-pro" })
	want := modeltest.Said{Role: "user", Images: 1, Results: []modeltest.Returned{{ID: "c"}}}
	if diff := cmp.Diff(want, h.Messages[2]); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(string(h.Body), "thoughtSignature") {
		t.Errorf("an older model got a signature: %s", h.Body)
	}
}

func TestSystemAndTools(t *testing.T) {
	r := says("hi")
	r.System = "You are <brief>."
	schema := `{"type":"object","properties":{"n":{"type":"integer","maximum":9007199254740991}},"required":["n"],"additionalProperties":false}`
	r.Tools = []model.Tool{{Name: "count", Description: "Counts.", Schema: acp.Raw(schema)}, {Name: "now"}}
	h := sent(t, r)
	if h.System != r.System || h.Model != "gemini-3.5-flash" || h.Format != "gemini" {
		t.Errorf("got %+v", h)
	}
	if diff := cmp.Diff([]string{"count", "now"}, h.Tools); diff != "" {
		t.Error(diff)
	}
	if got, want := decoded(t, h.Schemas["count"]), decoded(t, acp.Raw(schema)); !cmp.Equal(got, want) {
		t.Error(cmp.Diff(want, got))
	}
}

func decoded(t *testing.T, raw acp.Raw) (v any) {
	t.Helper()
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// config is what a request says of thinking and of limits.
type config struct {
	MaxOutputTokens int `json:"maxOutputTokens"`
	Thinking        *struct {
		Include bool   `json:"includeThoughts"`
		Budget  *int   `json:"thinkingBudget"`
		Level   string `json:"thinkingLevel"`
	} `json:"thinkingConfig"`
}

func configured(t *testing.T, h *modeltest.Heard) config {
	t.Helper()
	var body struct {
		Config config `json:"generationConfig"`
	}
	if err := json.Unmarshal(h.Body, &body); err != nil {
		t.Fatal(err)
	}
	return body.Config
}

// Newer models are told a level, older ones a number of tokens, and none of them both.
func TestThinking(t *testing.T) {
	const none = -1
	for _, c := range []struct {
		model   string
		level   model.Thinking
		include bool
		budget  int
		said    string
	}{
		{"gemini-3.5-flash", model.ThinkingDefault, true, none, ""},
		{"gemini-3.5-flash", model.ThinkingOff, false, none, "LOW"},
		{"gemini-3.5-flash", model.ThinkingLow, true, none, "LOW"},
		{"gemini-3.5-flash", model.ThinkingMedium, true, none, "MEDIUM"},
		{"gemini-flash-latest", model.ThinkingHigh, true, none, "HIGH"},
		{"gemini-12-pro", model.ThinkingHigh, true, none, "HIGH"},
		{"gemma-4-31b-it", model.ThinkingHigh, true, none, "HIGH"},
		{"gemini-2.5-flash", model.ThinkingDefault, true, none, ""},
		{"gemini-2.5-flash", model.ThinkingOff, false, 0, ""},
		{"gemini-2.5-pro", model.ThinkingOff, false, 128, ""},
		{"gemini-2.5-flash", model.ThinkingLow, true, 1024, ""},
		{"gemini-2.5-flash", model.ThinkingMedium, true, 8192, ""},
		{"gemini-2.5-flash", model.ThinkingHigh, true, 24576, ""},
	} {
		r := says("hi")
		r.Thinking = c.level
		got := configured(t, sent(t, r, func(o *gemini.Options) { o.Model = c.model })).Thinking
		if got == nil || got.Include != c.include || got.Level != c.said || (got.Budget == nil) != (c.budget == none) ||
			got.Budget != nil && *got.Budget != c.budget {
			t.Errorf("%s, %q: got %+v", c.model, c.level, got)
		}
	}
	r := says("hi")
	r.Thinking = model.ThinkingHigh
	if got := configured(t, sent(t, r, func(o *gemini.Options) { o.Thinking = false })).Thinking; got != nil {
		t.Errorf("a model that can't think got %+v", got)
	}
}

func TestMaxTokens(t *testing.T) {
	for _, c := range []struct{ asked, limit, want int }{{0, 0, 0}, {0, 500, 0}, {100, 0, 100}, {100, 500, 100}, {900, 500, 500}, {1 << 40, 0, 1<<31 - 1}} {
		r := says("hi")
		r.MaxTokens = c.asked
		if got := configured(t, sent(t, r, func(o *gemini.Options) { o.MaxTokens = c.limit })).MaxOutputTokens; got != c.want {
			t.Errorf("asked for %d of %d: got %d", c.asked, c.limit, got)
		}
	}
}

// What the model doesn't take is refused before a byte is sent.
func TestUnsendable(t *testing.T) {
	broken := &acp.ImageContent{MIMEType: "image/png", Data: "?"}
	with := func(r *model.Request, change func(*model.Request)) *model.Request { change(r); return r }
	content := func(b acp.ContentBlock) *model.Request { return &model.Request{Messages: []model.Message{user(b)}} }
	for want, c := range map[string]struct {
		takes acp.PromptCapabilities
		r     *model.Request
	}{
		"takes no images":             {acp.PromptCapabilities{}, content(pixel)},
		"takes no audio":              {acp.PromptCapabilities{}, content(acp.Audio("audio/wav", []byte("la")))},
		"takes no embedded resources": {acp.PromptCapabilities{}, content(acp.TextResource("file:///a", "", "x"))},
		`content of the type "smell"`: {every, content(&acp.UnknownContent{Type: "smell"})},
		`the type "application/zip"`:  {every, content(acp.BlobResource("file:///a.zip", "application/zip", []byte("PK")))},
		`files of the type "image/png"`: {
			acp.PromptCapabilities{EmbeddedContext: true}, content(acp.BlobResource("file:///a.png", "image/png", []byte("pixels"))),
		},
		`files of the type "audio/wav"`: {
			acp.PromptCapabilities{EmbeddedContext: true}, content(acp.BlobResource("file:///a.wav", "audio/wav", []byte("la"))),
		},
		"no base64":                      {every, content(broken)},
		`images of the type "image/gif"`: {every, content(acp.Image("image/gif", []byte("GIF89a")))},
		`files of the type "image/gif"`:  {every, content(acp.BlobResource("file:///a.gif", "image/gif", []byte("GIF89a")))},
		"no data":                        {every, content(&acp.ImageContent{MIMEType: "image/png"})},
		"no media type":                  {every, content(&acp.ImageContent{Data: "AAAA"})},
		"is empty":                       {every, &model.Request{}},
		"schema of the tool": {every, with(says("hi"), func(r *model.Request) {
			r.Tools = []model.Tool{{Name: "read", Schema: acp.Raw(`[1]`)}}
		})},
		"is no JSON object": {every, with(says("hi"), func(r *model.Request) {
			r.Messages = append(r.Messages, model.Message{Role: model.RoleAssistant, Calls: []*model.Call{{Name: "read", Input: acp.Raw(`{`)}}})
		})},
		"data of an image": {every, with(says("hi"), func(r *model.Request) {
			r.Messages = append(r.Messages, model.Message{Role: model.RoleAssistant, Calls: []*model.Call{{ID: "a", Name: "read"}}},
				model.Message{Role: model.RoleUser, Results: []model.Result{{CallID: "a", Name: "read", Images: []*acp.ImageContent{broken}}}})
		})},
		"there are 1 results for the 0 calls": {every, with(says("hi"), func(r *model.Request) {
			r.Messages = append(r.Messages, model.Message{Role: model.RoleUser, Results: []model.Result{{CallID: "a"}}})
		})},
	} {
		t.Run(want, func(t *testing.T) {
			s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "x"}))
			_, err := ask(t.Context(), newModel(t, s.GeminiURL(), func(o *gemini.Options) { o.Prompt = c.takes }), c.r)
			var failure *model.Error
			if !errors.As(err, &failure) || !failure.Final || failure.Status != 0 || !strings.Contains(failure.Message, want) {
				t.Errorf("got %v", err)
			}
			if len(s.Heard()) > 0 {
				t.Error("something was sent")
			}
		})
	}
}

// A conversation goes round: the calls' signatures come back as they were, on the parts that had them, whatever the calls
// are named here.
func TestMemoGoesRound(t *testing.T) {
	for name, id := range map[string]string{"without ids": "", "with ids": "their-id"} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, modeltest.Script(
				modeltest.Answer{Thought: "hm", Text: "I look.", Calls: []modeltest.Called{{ID: id, Name: "read", Input: `{"path":"a"}`}, {Name: "list", Input: `{}`}}},
				modeltest.Answer{Text: "Fine, fine."}, modeltest.Answer{Text: "Bye."},
			))
			m := newModel(t, s.GeminiURL())
			r := says("look")
			first := said(t, m, r)
			if len(first.Calls) != 2 || first.Calls[0].ID == first.Calls[1].ID || first.Calls[0].ID == "" {
				t.Fatalf("got %+v", first.Calls)
			}
			if id != "" && first.Calls[0].ID != id {
				t.Errorf("the call has the id %s", first.Calls[0].ID)
			}
			results := model.Message{Role: model.RoleUser}
			for _, c := range first.Calls {
				results.Results = append(results.Results, model.Result{CallID: c.ID, Name: c.Name, Text: "done"})
			}
			r.Messages = append(r.Messages, first, results)
			second := said(t, m, r)
			r.Messages = append(r.Messages, second, user(acp.Text("bye")))
			said(t, m, r)

			want := []modeltest.Said{
				{Role: "user", Text: "look"},
				{Role: "assistant", Text: "I look.", Calls: []modeltest.Called{{ID: id, Name: "read", Input: `{"path":"a"}`}, {Name: "list", Input: `{}`}}},
				{Role: "user", Results: []modeltest.Returned{{ID: id, Text: "done"}, {Text: "done"}}},
				{Role: "assistant", Text: "Fine, fine."},
				{Role: "user", Text: "bye"},
			}
			h := s.Last()
			if diff := cmp.Diff(want, h.Messages); diff != "" {
				t.Error(diff)
			}
			for _, what := range []string{"read", "text"} {
				if n := strings.Count(string(h.Body), signature("gemini-3.5-flash", what)); n != 1 {
					t.Errorf("the signature of %s is there %d times: %s", what, n, h.Body)
				}
			}
			if strings.Contains(string(h.Body), `"hm"`) {
				t.Error("the thought's summary went back")
			}
		})
	}
}

// said is a model's answer as a message.
func said(t *testing.T, m model.Model, r *model.Request) model.Message {
	t.Helper()
	events, err := ask(t.Context(), m, r)
	if err != nil {
		t.Fatal(err)
	}
	message := model.Message{Role: model.RoleAssistant}
	for _, event := range events {
		switch e := event.(type) {
		case model.Text:
			message.Content = append(message.Content, acp.Text(string(e)))
		case *model.Call:
			message.Calls = append(message.Calls, e)
		case *model.Memo:
			message.Memo = e
		}
	}
	return message
}

// signature is how the server signs.
func signature(model, what string) string {
	return base64.StdEncoding.EncodeToString([]byte("signed by " + model + ": " + what))
}

// A memo of another provider, of another model, or one that nobody can read doesn't exist: the message says what was said,
// and its calls have the signature that stands for any.
func TestMemoOfOthers(t *testing.T) {
	parts := acp.Raw(`[{"text":"theirs","thoughtSignature":"c2ln"}]`)
	for name, c := range map[string]struct {
		memo *model.Memo
		want string
	}{
		"none":             {nil, "ours"},
		"another provider": {&model.Memo{Provider: "anthropic", Model: "gemini-3.5-flash", Data: parts}, "ours"},
		"another model":    {&model.Memo{Provider: "gemini", Model: "gemini-2.5-pro", Data: parts}, "ours"},
		"broken":           {&model.Memo{Provider: "gemini", Model: "gemini-3.5-flash", Data: acp.Raw(`{"a":1}`)}, "ours"},
		"its own":          {&model.Memo{Provider: "gemini", Model: "gemini-3.5-flash", Data: parts}, "theirs"},
	} {
		t.Run(name, func(t *testing.T) {
			r := says("hi")
			r.Messages = append(r.Messages, model.Message{Role: model.RoleAssistant, Content: []acp.ContentBlock{acp.Text("ours")}, Memo: c.memo}, user(acp.Text("go on")))
			if got := sent(t, r).Messages[1].Text; got != c.want {
				t.Errorf("got %q", got)
			}
		})
	}
	r := says("hi")
	r.Messages = append(r.Messages,
		model.Message{Role: model.RoleAssistant, Calls: []*model.Call{{ID: "toolu_1", Name: "read"}}},
		model.Message{Role: model.RoleUser, Results: []model.Result{{CallID: "toolu_1", Name: "read"}}})
	any := base64.StdEncoding.EncodeToString([]byte("skip_thought_signature_validator"))
	if h := sent(t, r); !strings.Contains(string(h.Body), any) {
		t.Errorf("got %s", h.Body)
	}
}
