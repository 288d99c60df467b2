package openai_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
	"github.com/patchbay-dev/patchbay/internal/model/openai"
)

// body is the last request as it came.
func body(t *testing.T, s *modeltest.Server) map[string]acp.Raw {
	t.Helper()
	members := map[string]acp.Raw{}
	if err := json.Unmarshal(s.Last().Body, &members); err != nil {
		t.Fatal(err)
	}
	return members
}

func TestConversationIsHeard(t *testing.T) {
	picture := &acp.ImageContent{Data: "AAAA", MIMEType: "image/png"}
	pdf := acp.BlobResource("file:///a.pdf", "application/pdf", []byte("%PDF"))
	text := acp.TextResource("file:///a.go", "", "package a\n")
	note := acp.BlobResource("file:///note", "", []byte("hello"))
	drawing := acp.BlobResource("file:///a.png", "image/png", make([]byte, 3))
	calls := []*model.Call{{ID: "call_a", Name: "read", Input: acp.Raw(`{"path": "a"}`)}, {ID: "call_b", Name: "shell"}}
	r := &model.Request{
		System: "You are a coding agent.",
		Messages: []model.Message{
			user(acp.Text("Look at "), acp.Link("b.go", "file:///b.go"), text, picture, acp.Text("now"), pdf, note, drawing,
				&acp.ImageContent{URI: "https://example.com/a.png"}),
			{Role: model.RoleAssistant, Content: []acp.ContentBlock{acp.Text("I look.")}, Calls: calls},
			{
				Role: model.RoleUser, Content: []acp.ContentBlock{acp.Text("And hurry.")},
				Results: []model.Result{
					{CallID: "call_a", Name: "read", Text: "an image", Images: []*acp.ImageContent{picture}},
					{CallID: "call_b", Name: "shell", Text: "exit 1", Failed: true},
				},
			},
			{Role: model.RoleAssistant},
			user(acp.Text("Go on.")),
		},
		Tools: []model.Tool{
			{Name: "read", Description: "Reads.", Schema: acp.Raw(`{"type":"object","properties":{"z":{"type":"string"},"a":{"maximum":1e400}}}`)},
			{Name: "shell"},
		},
	}
	both(t, func(t *testing.T, api string) {
		s := serve(t, modeltest.Answer{Text: "ok"})
		if got := stream(t.Context(), open(t, s.OpenAIURL(), api), r); got.err != nil {
			t.Fatal(got.err)
		}
		h := s.Last()
		if h.Format != api || h.Model != "stub" || h.System != r.System {
			t.Errorf("heard %s, %s, %q", h.Format, h.Model, h.System)
		}
		results := []modeltest.Returned{{ID: "call_a", Text: "an image", Images: 1}, {ID: "call_b", Text: "Error: exit 1"}}
		last := modeltest.Said{Role: "user", Text: "And hurry.Go on.", Results: results}
		if api == openai.APIChat { // where results are text, and what they show comes after them
			last.Text, last.Images, results[0].Images = "The result of read (call_a) shows:\n"+last.Text, 1, 0
		}
		want := []modeltest.Said{
			{
				Role: "user", Images: 4,
				Text: "Look at [b.go](file:///b.go)\n<resource uri=\"file:///a.go\">\npackage a\n</resource>\nnow" +
					"\n<resource uri=\"file:///note\">\nhello\n</resource>\n",
			},
			{Role: "assistant", Text: "I look.", Calls: []modeltest.Called{{ID: "call_a", Name: "read", Input: `{"path": "a"}`}, {ID: "call_b", Name: "shell", Input: "{}"}}},
			last,
		}
		if diff := cmp.Diff(want, h.Messages); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"read", "shell"}, h.Tools); diff != "" {
			t.Error(diff)
		}
		if got := string(h.Schemas["read"]); !strings.Contains(got, `{"z":{"type":"string"},"a":{"maximum":1e400}}`) {
			t.Errorf("the schema has become %s", got)
		}
	})
}

// A prompt that is only text is a string, not a list: some servers take nothing else.
func TestPlainTextIsAString(t *testing.T) {
	s := serve(t, modeltest.Answer{Text: "ok"})
	stream(t.Context(), open(t, s.OpenAIURL(), "chat"), &model.Request{Messages: []model.Message{user(acp.Text("a"), acp.Text("b"))}})
	if got := string(body(t, s)["messages"]); got != `[{"content":"ab","role":"user"}]` {
		t.Errorf("got %s", got)
	}
}

func TestAudio(t *testing.T) {
	s := serve(t, modeltest.Answer{Text: "ok"})
	m := open(t, s.OpenAIURL(), "chat")
	got := stream(t.Context(), m, &model.Request{Messages: []model.Message{user(acp.Audio("audio/wav", []byte("x")), acp.Audio("audio/mpeg", []byte("x")))}})
	if got.err != nil || s.Last().Messages[0].Audio != 2 {
		t.Errorf("got %v, %+v", got.err, s.Last().Messages)
	}
}

// What the model doesn't take is refused before a byte is sent.
func TestContentThatTheModelDoesNotTake(t *testing.T) {
	image := acp.Image("image/png", []byte("png"))
	sound := acp.Audio("audio/ogg", []byte("x"))
	blob := acp.BlobResource("file:///a.zip", "application/zip", make([]byte, 3))
	pdf := acp.BlobResource("file:///a.pdf", "application/pdf", make([]byte, 3))
	blind := func(o *openai.Options) { o.Prompt, o.PDF = acp.PromptCapabilities{}, false }
	for _, c := range []struct {
		api    string
		change func(*openai.Options)
		block  acp.ContentBlock
		want   string
	}{
		{"chat", blind, image, "stub takes no images"},
		{"responses", blind, image, "stub takes no images"},
		{"responses", blind, pdf, `stub takes no files of the type "application/pdf": file:///a.pdf`},
		{"responses", func(*openai.Options) {}, sound, "stub takes no audio"},
		{"chat", func(*openai.Options) {}, sound, `stub takes WAV and MP3, but no audio of the type "audio/ogg"`},
		{"chat", func(*openai.Options) {}, blob, `stub takes no files of the type "application/zip": file:///a.zip`},
		{"chat", func(*openai.Options) {}, &acp.ImageContent{URI: "file:///a.png"}, "an image has neither data nor an address on the web"},
		{"chat", func(*openai.Options) {}, &acp.UnknownContent{Type: "smell"}, "stub takes no content of the type *acp.UnknownContent"},
	} {
		s := serve(t, modeltest.Answer{Text: "ok"})
		e := stream(t.Context(), open(t, s.OpenAIURL(), c.api, c.change), &model.Request{Messages: []model.Message{user(c.block)}}).failure(t)
		if e.Message != c.want || !e.Final || len(s.Heard()) > 0 {
			t.Errorf("got %v, want %q; %d requests", e, c.want, len(s.Heard()))
		}
	}
}

// A call without its result is refused by both APIs, in words that help nobody.
func TestCallsNeedResults(t *testing.T) {
	call := model.Message{Role: model.RoleAssistant, Calls: []*model.Call{{ID: "1", Name: "read"}}}
	both(t, func(t *testing.T, api string) {
		for _, next := range [][]model.Message{
			{}, {user(acp.Text("never mind"))}, {{Role: model.RoleUser, Results: []model.Result{{CallID: "2"}}}},
		} {
			s := serve(t, modeltest.Answer{Text: "ok"})
			r := &model.Request{Messages: append([]model.Message{user(acp.Text("?")), call}, next...)}
			if e := stream(t.Context(), open(t, s.OpenAIURL(), api), r).failure(t); !e.Final || len(s.Heard()) > 0 {
				t.Errorf("got %v", e)
			}
		}
	})
}

func TestToolSchemaIsAnObject(t *testing.T) {
	both(t, func(t *testing.T, api string) {
		r := ask("?")
		r.Tools = []model.Tool{{Name: "read", Schema: acp.Raw(`true`)}}
		if e := stream(t.Context(), open(t, "http://127.0.0.1:1", api), r).failure(t); !e.Final || !strings.Contains(e.Message, "read") {
			t.Errorf("got %v", e)
		}
	})
}

func TestSettings(t *testing.T) {
	for _, c := range []struct {
		api, provider string
		thinking      model.Thinking
		can           bool
		tokens        int
		want          string
		absent        string
	}{
		{"responses", "openai", model.ThinkingHigh, true, 9000, `"effort":"high","summary":"auto" "include":["reasoning.encrypted_content"] "max_output_tokens":4096 "store":false "prompt_cache_key":"patchbay-`, ""},
		{"responses", "openai", model.ThinkingDefault, true, 100, `"reasoning":{"summary":"auto"} "max_output_tokens":100`, "effort"},
		{"responses", "openai", model.ThinkingHigh, false, 0, `"store":false`, "reasoning include max_output_tokens"},
		{"responses", "openai", model.ThinkingOff, true, 0, `"effort":"none"`, ""},
		{"chat", "openai", model.ThinkingLow, true, 9000, `"reasoning_effort":"low" "stream_options":{"include_usage":true} "max_completion_tokens":4096`, "max_tokens"},
		{"chat", "ollama", model.ThinkingOff, true, 9000, `"reasoning_effort":"none" "max_tokens":4096`, "max_completion_tokens prompt_cache_key"},
		{"chat", "ollama", model.ThinkingHigh, false, 0, `"model":"stub"`, "reasoning max_tokens"},
	} {
		s := serve(t, modeltest.Answer{Text: "ok"})
		m := open(t, s.OpenAIURL(), c.api, func(o *openai.Options) { o.Provider, o.Thinking, o.MaxTokens = c.provider, c.can, 4096 })
		r := ask("?")
		r.Thinking, r.MaxTokens = c.thinking, c.tokens
		stream(t.Context(), m, r)
		got := string(s.Last().Body)
		for _, want := range strings.Fields(c.want) {
			if !strings.Contains(got, want) {
				t.Errorf("%s lacks %s", got, want)
			}
		}
		for _, absent := range strings.Fields(c.absent) {
			if strings.Contains(got, absent) {
				t.Errorf("%s has %s", got, absent)
			}
		}
	}
}

// The key for OpenAI's cache belongs to the conversation: it stays the same while that goes on.
func TestCacheKey(t *testing.T) {
	both(t, func(t *testing.T, api string) {
		s := serve(t, modeltest.Answer{Text: "ok"})
		m := open(t, s.OpenAIURL(), api)
		key := func(r *model.Request) string {
			stream(t.Context(), m, r)
			return string(body(t, s)["prompt_cache_key"])
		}
		first := key(ask("one"))
		longer := ask("one")
		longer.Messages = append(longer.Messages, (&reply{text: "ok"}).message(), user(acp.Text("two")))
		if key(longer) != first || key(ask("two")) == first || first == "" {
			t.Errorf("the key is %s", first)
		}
	})
}

// Files and shells have all kinds of bytes; a request is UTF-8 whatever they are.
func TestBytesThatAreNoText(t *testing.T) {
	r := &model.Request{System: "s\xff", Messages: []model.Message{
		user(acp.Text("a\xffb\x00<&>\u2028")),
		{Role: model.RoleAssistant, Calls: []*model.Call{{ID: "1", Name: "read", Input: acp.Raw("{\"path\":\"\xfe\"}")}}},
		{Role: model.RoleUser, Results: []model.Result{{CallID: "1", Name: "read", Text: "\xc3("}}},
	}}
	both(t, func(t *testing.T, api string) {
		s := serve(t, modeltest.Answer{Text: "ok"})
		if got := stream(t.Context(), open(t, s.OpenAIURL(), api), r); got.err != nil {
			t.Fatal(got.err)
		}
		h := s.Last()
		if !utf8.Valid(h.Body) || h.System != "s\uFFFD" || h.Messages[0].Text != "a\uFFFDb\x00<&>\u2028" ||
			h.Messages[1].Calls[0].Input != "{\"path\":\"\uFFFD\"}" || h.Messages[2].Results[0].Text != "\uFFFD(" {
			t.Errorf("heard %q, %+v", h.System, h.Messages)
		}
	})
}
