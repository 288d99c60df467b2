package openai_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/openai"
)

// call is a delta with pieces of calls.
func call(pieces ...string) string {
	return delta(`{"tool_calls":[` + strings.Join(pieces, ",") + `]}`)
}

// Servers that have copied Chat Completions have habits of their own.
func TestHabits(t *testing.T) {
	hello := delta(`{"content":"hello"}`)
	for name, c := range map[string]struct{ body, want string }{
		"no [DONE]":                         {chunks(hello, finish("stop")), "hello | end"},
		"nothing after [DONE] counts":       {chunks(hello, finish("stop"), "[DONE]", "{garbage"), "hello | end"},
		"no finish_reason":                  {chunks(hello, "[DONE]"), "hello | end"},
		"no finish_reason, a call":          {chunks(call(`{"index":0,"id":"a","function":{"name":"read","arguments":"{}"}}`), "[DONE]"), "read{} | calls"},
		"T6: nothing but [DONE]":            {chunks(delta(`{"role":"assistant","content":""}`), "[DONE]"), "error"},
		"T6: half a call and [DONE]":        {chunks(hello, call(`{"index":0,"id":"a","function":{"name":"read","arguments":"{\"a\":"}}`), "[DONE]"), "hello | error"},
		"T6: a thought and [DONE]":          {chunks(delta(`{"reasoning":"hm"}`), "[DONE]"), "(hm) | error"},
		"neither reason nor [DONE]":         {chunks(hello), "hello | error"},
		"all is well in each chunk":         {chunks(`{"error":null,"code":0,"message":"success","choices":[{"delta":{"content":"hello"}}]}`, finish("stop")), "hello | end"},
		"a reason in each chunk, but empty": {chunks(`{"choices":[{"delta":{"content":"hello"},"finish_reason":""}]}`), "hello | error"},
		"another reason":                    {chunks(hello, finish("eos")), "hello | end"},
		"aborted":                           {chunks(hello, finish("abort")), "hello | error"},
		"comments":                          {": OPENROUTER PROCESSING\n\n" + chunks(hello) + ": OPENROUTER PROCESSING\n\n: x\n" + chunks(finish("stop")), "hello | end"},
		"CRLF":                              {strings.ReplaceAll(chunks(hello, finish("stop"), "[DONE]"), "\n", "\r\n"), "hello | end"},
		"no space after the colon":          {strings.ReplaceAll(chunks(hello, finish("stop")), "data: ", "data:"), "hello | end"},
		"names of events":                   {"event: message\nid: 1\nretry: 5\n" + chunks(hello, finish("stop")), "hello | end"},
		"empty events":                      {"data:\n\n" + chunks(hello, finish("stop")), "hello | end"},
		"null error":                        {chunks(`{"error":null,"choices":[{"delta":{"content":"hello"}}]}`, finish("stop")), "hello | end"},
		"empty error":                       {chunks(`{"error":{},"choices":[{"delta":{"content":"hello"}}]}`, finish("stop")), "hello | end"},
		"null and empty deltas":             {chunks(delta(`{}`), delta(`null`), delta(`{"content":null,"tool_calls":null}`), hello, `{"choices":null}`, `{}`, finish("stop")), "hello | end"},
		"content in the last chunk":         {chunks(`{"choices":[{"delta":{"content":"hello"},"finish_reason":"stop"}]}`), "hello | end"},
		"another choice":                    {chunks(hello, `{"choices":[{"index":1,"delta":{"content":"bye"},"finish_reason":"length"}]}`, finish("stop")), "hello | end"},

		"reasoning_content":      {chunks(delta(`{"reasoning_content":"hm"}`), hello, finish("stop")), "(hm) | hello | end"},
		"reasoning":              {chunks(delta(`{"reasoning":"hm","content":""}`), hello, finish("stop")), "(hm) | hello | end"},
		"reasoning of two names": {chunks(delta(`{"reasoning":"hm","reasoning_content":"hm"}`), hello, finish("stop")), "(hm) | hello | end"},
		"no reasoning":           {chunks(delta(`{"reasoning":null,"reasoning_content":"","content":"hello"}`), finish("stop")), "hello | end"},
		"Mistral's list": {chunks(delta(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}`),
			delta(`{"content":[{"type":"text","text":"hel"},{"type":"text","text":"lo"}]}`), finish("stop")), "(hm) | hello | end"},

		"an error in the stream":     {chunks(hello, `{"error":{"code":502,"message":"Provider disconnected"},"choices":[{"delta":{"content":""},"finish_reason":"error"}]}`), "hello | error"},
		"an error of words":          {chunks(hello, `{"error":"out of memory"}`), "hello | error"},
		"an error in the choice":     {chunks(hello, `{"choices":[{"delta":{},"error":{"code":502,"message":"gone"},"finish_reason":"stop"}]}`), "hello | error"},
		"llama.cpp's error":          {chunks(hello) + "error: {\"code\":500,\"message\":\"out of slots\",\"type\":\"server_error\"}\n\n" + chunks("[DONE]"), "hello | error"},
		"an error in other words":    {"event: error\n" + chunks(`"gone"`), "error"},
		"an event of the type error": {"event: error\n" + chunks(`{"type":"error","message":"gone"}`), "error"},

		"a call with stop":        {chunks(call(`{"index":0,"id":"a","function":{"name":"read","arguments":"{}"}}`), finish("stop")), "read{} | calls"},
		"a call in many pieces":   {chunks(call(`{"index":0,"id":"a","function":{"name":"read","arguments":""}}`), call(`{"index":0,"function":{"arguments":"{\"a\""}}`), call(`{"index":0,"function":{"arguments":":1}"}}`), finish("tool_calls")), `read{"a":1} | calls`},
		"two calls in turns":      {chunks(call(`{"index":0,"id":"a","function":{"name":"read"}}`, `{"index":1,"id":"b","function":{"name":"list"}}`), call(`{"index":1,"function":{"arguments":"{\"b\":1}"}}`, `{"index":0,"function":{"arguments":"{\"a\":1}"}}`), finish("tool_calls")), `read{"a":1} | list{"b":1} | calls`},
		"whole calls, no index":   {chunks(call(`{"id":"a","function":{"name":"read","arguments":"{\"a\":1}"}}`, `{"id":"b","function":{"name":"read","arguments":"{\"b\":1}"}}`), finish("stop")), `read{"a":1} | read{"b":1} | calls`},
		"neither index nor id":    {chunks(call(`{"function":{"name":"read","arguments":"{}"}}`), call(`{"function":{"name":"list","arguments":"{\"b\":1}"}}`), finish("stop")), `read{} | list{"b":1} | calls`},
		"pieces without an index": {chunks(call(`{"id":"a","function":{"name":"read","arguments":"{\"a\""}}`), call(`{"function":{"arguments":":1}"}}`), finish("stop")), `read{"a":1} | calls`},
		"the same index for all":  {chunks(call(`{"index":0,"id":"a","function":{"name":"read","arguments":"{\"a\":1}"}}`), call(`{"index":0,"id":"b","function":{"name":"list","arguments":"{}"}}`), finish("stop")), `read{"a":1} | list{} | calls`},
		"another id each time":    {chunks(call(`{"index":0,"id":"a","function":{"name":"read","arguments":"{\"a\""}}`), call(`{"index":0,"id":"b","function":{"arguments":":1}"}}`), finish("stop")), `read{"a":1} | calls`},
		"the name each time":      {chunks(call(`{"index":0,"id":"a","function":{"name":"read","arguments":"{\"a\""}}`), call(`{"index":0,"id":"a","function":{"name":"read","arguments":":1}"}}`), finish("stop")), `read{"a":1} | calls`},
		"no index, id or input":   {chunks(call(`{"function":{"name":"list"}}`, `{"function":{"name":"read","arguments":"{\"a\":1}"}}`), finish("stop")), `list{} | read{"a":1} | calls`},
		"everything each time":    {chunks(call(`{"index":0,"id":"a","function":{"name":"read","arguments":"{\"a\":1}"}}`), call(`{"index":0,"id":"a","function":{"name":"read","arguments":""}}`), finish("stop")), `read{"a":1} | calls`},
		"input that is an object": {chunks(call(`{"index":0,"id":"a","function":{"name":"read","arguments":{"a":1}}}`), finish("stop")), `read{"a":1} | calls`},
		"null input":              {chunks(call(`{"index":0,"id":"a","function":{"name":"read","arguments":null}}`), finish("stop")), `read{} | calls`},
		"a call without a name":   {chunks(call(`{"index":0,"id":"a","function":{"arguments":"{}"}}`), finish("stop")), `unnamed{} | calls`},
		"a call cut by the limit": {chunks(call(`{"index":0,"id":"a","function":{"name":"write","arguments":""}}`), finish("length")), `max_tokens`},
		"a call that is filtered": {chunks(call(`{"index":0,"id":"a","function":{"name":"write","arguments":"{}"}}`), finish("content_filter")), `refusal`},
	} {
		t.Run(name, func(t *testing.T) {
			got := stream(t.Context(), open(t, raw(t, 200, "text/event-stream", c.body), "chat"), ask("?"))
			if got.told() != c.want {
				t.Errorf("got %s (%v), want %s", got.told(), got.err, c.want)
			}
			for i, call := range got.calls {
				if call.ID == "" || i > 0 && call.ID == got.calls[i-1].ID {
					t.Errorf("the id is %q", call.ID)
				}
			}
			if got.err == nil && !strings.HasSuffix(got.order, "us") {
				t.Errorf("the events came as %s", got.order)
			}
		})
	}
}

// A refusal says why, if the server does.
func TestWhyItIsRefused(t *testing.T) {
	filtered := `{"choices":[{"index":0,"delta":{},"finish_reason":"content_filter","content_filter_results":{"hate":{"filtered":false},"violence":{"filtered":true,"severity":"high"},"jailbreak":{"detected":true,"filtered":true}}}]}`
	for _, c := range []struct{ api, body, want string }{
		{"chat", chunks(filtered), "content_filter: jailbreak, violence"},
		{"chat", chunks(finish("content_filter")), "content_filter"},
		{"chat", chunks(delta(`{"refusal":"I won't."}`), finish("stop")), ""}, // which it has said already
		{"chat", chunks(finish("stop")), ""},
		{"responses", chunks(`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}}`), "content_filter"},
	} {
		if got := stream(t.Context(), open(t, raw(t, 200, "text/event-stream", c.body), c.api), ask("?")); got.err != nil || got.why != c.want {
			t.Errorf("%s: got %q, %v", c.body, got.why, got.err)
		}
	}
}

// A connection that breaks after the end of an answer doesn't take it back.
func TestCutAfterTheEnd(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, chunks(delta(`{"content":"hello"}`), finish("stop")))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(s.Close)
	if got := stream(t.Context(), open(t, s.URL, "chat"), ask("?")); got.told() != "hello | end" {
		t.Errorf("got %s, %v", got.told(), got.err)
	}
}

func TestUsage(t *testing.T) {
	for name, c := range map[string]struct {
		chunks []string
		want   model.Usage
	}{
		"its own chunk, empty choices": {
			[]string{finish("stop"), `{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":60},"completion_tokens_details":{"reasoning_tokens":5}}}`},
			model.Usage{InputTokens: 100, OutputTokens: 20, ThoughtTokens: 5, CachedReadTokens: 60},
		},
		"details that are null": {
			[]string{finish("stop"), `{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":null}}`},
			model.Usage{InputTokens: 100, OutputTokens: 20},
		},
		"in each chunk": {
			[]string{`{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":100,"completion_tokens":1}}`, `{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":2}}`},
			model.Usage{InputTokens: 100, OutputTokens: 2},
		},
		"null until the end": {
			[]string{`{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":2}}`, `{"choices":[],"usage":null}`},
			model.Usage{InputTokens: 100, OutputTokens: 2},
		},
		"xAI, with the reasoning in the total only": {
			[]string{finish("stop"), `{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":170,"completion_tokens_details":{"reasoning_tokens":50}}}`},
			model.Usage{InputTokens: 100, OutputTokens: 70, ThoughtTokens: 50},
		},
		"DeepSeek, with its own name for the cache": {
			[]string{finish("stop"), `{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_cache_hit_tokens":64}}`},
			model.Usage{InputTokens: 100, OutputTokens: 20, CachedReadTokens: 64},
		},
		"nobody counts": {
			[]string{delta(`{"content":"12345678"}`), finish("stop")},
			model.Usage{InputTokens: 3, OutputTokens: 2, Estimate: "one token for each four bytes of text, since the provider does not count"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := ask("12345678")
			r.System = "be"
			got := stream(t.Context(), open(t, raw(t, 200, "text/event-stream", chunks(c.chunks...)), "chat"), r)
			if diff := cmp.Diff(c.want, got.usage); diff != "" {
				t.Errorf("%v\n%s", got.err, diff)
			}
		})
	}
}

// The words of the provider behind OpenRouter, and its status, reach the user.
func TestErrorsBehindOpenRouter(t *testing.T) {
	body := chunks(`{"error":{"code":429,"message":"Provider returned error","metadata":{"provider_name":"Acme","raw":"rate-limited upstream"}}}`)
	e := stream(t.Context(), open(t, raw(t, 200, "text/event-stream", body), "chat", func(o *openai.Options) { o.Provider = "openrouter" }), ask("?")).failure(t)
	if e.Status != 429 || e.Message != "Provider returned error: rate-limited upstream" || e.Provider != "openrouter" || !e.Retryable() {
		t.Errorf("got %+v", e)
	}
}

// Some servers count their calls anew in each answer; the conversation needs different names.
func TestCallsAreNamedOnce(t *testing.T) {
	same := `{"index":%d,"id":"call_0","function":{"name":"read","arguments":"{\"n\":%d}"}}`
	url := raw(t, 200, "text/event-stream", chunks(call(fmt.Sprintf(same, 0, 0), fmt.Sprintf(same, 1, 1)), finish("tool_calls")))
	r := ask("?")
	r.Messages = append(r.Messages,
		model.Message{Role: model.RoleAssistant, Calls: []*model.Call{{ID: "call_0", Name: "read"}}},
		model.Message{Role: model.RoleUser, Results: []model.Result{{CallID: "call_0", Name: "read"}}})
	got := stream(t.Context(), open(t, url, "chat"), r)
	if len(got.calls) != 2 || got.calls[0].ID == "call_0" || got.calls[1].ID == "call_0" || got.calls[0].ID == got.calls[1].ID {
		t.Errorf("got %s, %v", got.told(), got.err)
	}
}

// Responses is spoken by others too, and not in full.
func TestHabitsOfResponses(t *testing.T) {
	done := `{"type":"response.completed","response":{"status":"completed"}}`
	for name, c := range map[string]struct{ body, want string }{
		"a message in one": {chunks(`{"type":"response.output_item.done","item":{"type":"message","content":[{"type":"output_text","text":"hello"}]}}`, done), "hello | end"},
		"two messages are paragraphs": {chunks(`{"type":"response.output_text.delta","item_id":"a","delta":"I look."}`,
			`{"type":"response.output_text.delta","item_id":"b","delta":"Do"}`, `{"type":"response.output_text.delta","item_id":"b","delta":"ne."}`, done), "I look.\n\nDone. | end"},
		"two summaries are paragraphs": {chunks(`{"type":"response.reasoning_summary_text.delta","item_id":"a","summary_index":0,"delta":"**One**"}`,
			`{"type":"response.reasoning_summary_text.delta","item_id":"a","summary_index":1,"delta":"**Two**"}`, done), "(**One**\n\n**Two**) | end"},
		"reasoning that is open":  {chunks(`{"type":"response.reasoning_text.delta","item_id":"a","delta":"hm"}`, done), "(hm) | end"},
		"events nobody knows":     {chunks(`{"type":"keepalive"}`, `{"type":"response.x.y","delta":{"a":1}}`, done), "end"},
		"failed":                  {chunks(`{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"gone"}}}`), "error"},
		"failed without a reason": {chunks(`{"type":"response.failed","response":{"status":"failed","error":null}}`), "error"},
		"completed, but failed":   {chunks(`{"type":"response.completed","response":{"status":"failed"}}`), "error"},
		"incomplete":              {chunks(`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"solar flares"}}}`), "error"},
		"an error in an object":   {chunks(`{"type":"error","error":{"type":"invalid_request_error","message":"gone"}}`), "error"},
		"only [DONE]":             {chunks(`{"type":"response.output_text.delta","delta":"hel"}`, "[DONE]"), "hel | error"},
		"no status":               {chunks(`{"type":"response.completed","response":{}}`), "end"},
	} {
		got := stream(t.Context(), open(t, raw(t, 200, "text/event-stream", c.body), "responses"), ask("?"))
		if got.told() != c.want {
			t.Errorf("%s: got %s (%v), want %s", name, got.told(), got.err, c.want)
		}
	}
}

// The provider's words reach the user however an answer fails.
func TestFailedResponseSaysWhy(t *testing.T) {
	body := chunks(`{"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"slow down"}}}`)
	if e := stream(t.Context(), open(t, raw(t, 200, "text/event-stream", body), "responses"), ask("?")).failure(t); e.Message != "slow down" || e.Status != 429 || !e.Retryable() {
		t.Errorf("got %+v", e)
	}
	body = chunks(`{"type":"response.failed","response":{"error":{"code":"invalid_prompt","message":"no"}}}`)
	if e := stream(t.Context(), open(t, raw(t, 200, "text/event-stream", body), "responses"), ask("?")).failure(t); e.Retryable() {
		t.Errorf("got %+v", e)
	}
}
