package gemini_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/gemini"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// parts is an event with these parts.
func parts(p ...string) string {
	return `{"candidates":[{"index":0,"content":{"role":"model","parts":[` + strings.Join(p, ",") + `]}}]}`
}

// Gateways that offer the API have habits of their own.
func TestHabits(t *testing.T) {
	hi, end := parts(`{"text":"hi"}`), finished("STOP")
	plain := "data: " + hi + "\n\ndata: " + end + "\n\n"
	const want = "text:hi|usage:3/0/0/0|stop:end"
	for name, c := range map[string]struct{ body, want string }{
		"plain":                  {plain, want},
		"CRLF":                   {strings.ReplaceAll(plain, "\n", "\r\n"), want},
		"comments":               {": keep-alive\n\n" + strings.ReplaceAll(plain, "\n\n", "\n\n: keep-alive\n\n"), want},
		"names of events":        {strings.ReplaceAll(plain, "data:", "event: message\nid: 7\ndata:"), want},
		"no space":               {strings.ReplaceAll(plain, "data: ", "data:"), want},
		"several lines":          {strings.ReplaceAll(plain, `"candidates":`, "\ndata: \"candidates\":"), want},
		"empty lines":            {"\n\n\n" + plain, want},
		"no empty line at last":  {strings.TrimSpace(plain), want},
		"[DONE]":                 {plain + "data: [DONE]\n\n", want},
		"usage after the end":    {"data: " + hi + "\n\ndata: {\"candidates\":[{\"finishReason\":\"STOP\"}]}\n\ndata: {\"usageMetadata\":{\"promptTokenCount\":3}}\n\n", want},
		"no usage":               {strings.ReplaceAll(plain, `,"usageMetadata":{"promptTokenCount":3}`, ""), "text:hi|stop:end"},
		"no candidates":          {"data: {\"candidates\":[]}\n\ndata: {}\n\n" + plain, want},
		"another candidate":      {"data: {\"candidates\":[{\"index\":1,\"content\":{\"parts\":[{\"text\":\"bye\"}]},\"finishReason\":\"SAFETY\"}]}\n\n" + plain, want},
		"nulls":                  {"data: {\"candidates\":[{\"content\":{\"parts\":[null,{\"text\":null}]},\"finishReason\":null}],\"error\":null}\n\n" + plain, want},
		"parts of kinds to come": {"data: " + parts(`{"vibe":{"level":3}}`) + "\n\n" + plain, want},
		"all in one":             {"data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hi\"}]},\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":3}}\n\n", want},

		"arguments as a string":   {"data: " + parts(`{"functionCall":{"name":"read","args":"{\"path\":\"a\"}"}}`) + "\n\n" + plain, `call:read{"path":"a"}|text:hi|usage:3/0/0/0|stop:calls`},
		"arguments of null":       {"data: " + parts(`{"functionCall":{"name":"read","args":null}}`) + "\n\n" + plain, `call:read{}|text:hi|usage:3/0/0/0|stop:calls`},
		"numbers that are large":  {"data: " + parts(`{"functionCall":{"name":"read","args":{"n":9007199254740993}}}`) + "\n\n" + plain, `call:read{"n":9007199254740993}|text:hi|usage:3/0/0/0|stop:calls`},
		"a call without a name":   {"data: " + parts(`{"functionCall":{"args":{"a":1}}}`) + "\n\n" + plain, `call:unnamed{}(broken)|text:hi|usage:3/0/0/0|stop:calls`},
		"arguments as an array":   {"data: " + parts(`{"functionCall":{"name":"read","args":["a"]}}`) + "\n\n" + plain, `call:read{}(broken)|text:hi|usage:3/0/0/0|stop:calls`},
		"a string that is no use": {"data: " + parts(`{"functionCall":{"name":"read","args":"path=a"}}`) + "\n\n" + plain, `call:read{}(broken)|text:hi|usage:3/0/0/0|stop:calls`},
	} {
		t.Run(name, func(t *testing.T) {
			url := page(t, 200, map[string]string{"Content-Type": "text/event-stream"}, c.body)
			events, err := ask(t.Context(), newModel(t, url), says("hi"))
			if got := script(events); err != nil || got != c.want {
				t.Errorf("got  %s, %v\nwant %s", got, err, c.want)
			}
		})
	}
}

// A stream that ends in an event, without an error of the connection, is one that breaks off: it may be asked for again.
func TestT6_StreamThatEndsInAnEvent(t *testing.T) {
	whole := "data: " + parts(`{"text":"hi"}`) + "\n\ndata: " + finished("STOP")
	for n := len("data:"); n < len(whole); n++ {
		url := page(t, 200, map[string]string{"Content-Type": "text/event-stream"}, whole[:n])
		if _, failure := failed(t, newModel(t, url)); !failure.Retryable() {
			t.Fatalf("after %q: got %+v", whole[:n], failure)
		}
	}
}

// An event may say by its name that it is an error.
func TestErrorByName(t *testing.T) {
	for data, want := range map[string]string{`{"error":{"code":503,"message":"busy"}}`: "busy", `{"code":9}`: `{"code":9}`} {
		url := page(t, 200, map[string]string{"Content-Type": "text/event-stream"}, "data: "+parts(`{"text":"hi"}`)+"\n\nevent: error\ndata: "+data+"\n\n")
		if events, failure := failed(t, newModel(t, url)); failure.Message != want || script(events) != "text:hi" {
			t.Errorf("got %+v after %s", failure, script(events))
		}
	}
}

// stopOf is the last event of an answer.
func stopOf(t *testing.T, events ...string) model.Stop {
	t.Helper()
	told, err := ask(t.Context(), newModel(t, raw(t, events...)), says("hi"))
	if err != nil {
		t.Fatal(err)
	}
	return told[len(told)-1].(model.Stop)
}

// A refusal says why, in the provider's words.
func TestWhyItIsRefused(t *testing.T) {
	for event, want := range map[string]string{
		finished("RECITATION"): "RECITATION",
		`{"candidates":[{"finishReason":"SAFETY","finishMessage":"No weapons.","safetyRatings":[{"category":"HARM_CATEGORY_HATE_SPEECH","probability":"LOW"},{"category":"HARM_CATEGORY_DANGEROUS_CONTENT","probability":"HIGH","blocked":true}]}]}`: "SAFETY: HARM_CATEGORY_DANGEROUS_CONTENT: No weapons.",
		`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`:                                  "PROHIBITED_CONTENT",
		`{"promptFeedback":{"blockReason":"OTHER","blockReasonMessage":"The prompt is blocked."}}`: "OTHER: The prompt is blocked.",
	} {
		if got := stopOf(t, event); got.Reason != model.StopRefusal || got.Why != want {
			t.Errorf("%s: got %+v", event, got)
		}
	}
	if got := stopOf(t, parts(`{"text":"hi"}`), finished("STOP")); got.Why != "" {
		t.Errorf("an answer that is none says %q", got.Why)
	}
}

// conversation has a model make two rounds of calls, tell their results, and go on. It returns the last request.
func conversation(t *testing.T, s *modeltest.Server) *modeltest.Heard {
	t.Helper()
	m, r := newModel(t, s.GeminiURL()), says("go")
	for range 2 {
		answer := said(t, m, r)
		results := model.Message{Role: model.RoleUser}
		for _, c := range answer.Calls {
			results.Results = append(results.Results, model.Result{CallID: c.ID, Name: c.Name, Text: string(c.Input), Failed: c.Broken != ""})
		}
		r.Messages = append(r.Messages, answer, results)
	}
	if _, err := ask(t.Context(), m, r); err != nil {
		t.Fatal(err)
	}
	return s.Last()
}

// Whatever the ids of the calls, no two of them are the same, and each result stays with its call.
func TestNamesOfCalls(t *testing.T) {
	calls := []modeltest.Called{{ID: "call_0", Name: "read", Input: `{"n":1}`}, {ID: "call_0", Name: "functions/read", Input: `{"n":2}`}}
	h := conversation(t, modeltest.New(t, modeltest.Script(modeltest.Answer{Calls: calls}, modeltest.Answer{Calls: calls[:1]}, modeltest.Answer{Text: "done"})))
	seen := map[string]bool{}
	for i, told := range h.Messages {
		for j, c := range told.Calls {
			if seen[c.ID] || c.ID == "" {
				t.Errorf("the id %q comes twice", c.ID)
			}
			seen[c.ID] = true
			if got := h.Messages[i+1].Results[j]; got.ID != c.ID || got.Text != c.Input {
				t.Errorf("the result of %+v is %+v", c, got)
			}
		}
	}
	if len(seen) != 3 || signatures(h) != 2 {
		t.Errorf("got %v and %d signatures", seen, signatures(h))
	}
}

// signatures counts the parts that went back with the server's own signature.
func signatures(h *modeltest.Heard) int {
	return strings.Count(string(h.Body), `"thoughtSignature":"c2lnbmVk`)
}

// A call whose arguments can't be read goes back as one that can, signed as it was: the model may try again.
func TestBrokenArguments(t *testing.T) {
	for _, args := range []string{`["a"]`, `"path=a"`, `1`} {
		h := conversation(t, modeltest.New(t, modeltest.Script(
			modeltest.Answer{Calls: []modeltest.Called{{ID: "a", Name: "read", Input: args}}},
			modeltest.Answer{Calls: []modeltest.Called{{ID: "b", Name: "read", Input: `{"path":"a"}`}}}, modeltest.Answer{Text: "done"})))
		want := []modeltest.Called{{ID: "a", Name: "read", Input: "{}"}}
		if d := cmp.Diff(want, h.Messages[1].Calls); d != "" || !h.Messages[2].Results[0].Failed {
			t.Errorf("%s: %s", args, d)
		}
		if n := signatures(h); n != 2 {
			t.Errorf("%s: %d signatures went back: %s", args, n, h.Body)
		}
	}
}

// A call that the API itself could not read is one that says so. There is no memo, which would lack it.
func TestMalformedCall(t *testing.T) {
	malformed := `{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed function call: print(default_api.write(path='a'"}]}`
	signed := parts(`{"text":"I write.","thoughtSignature":"c2ln"}`)
	m := newModel(t, raw(t, signed, malformed))
	r := says("hi")
	r.Tools = []model.Tool{{Name: "read"}, {Name: "write"}}
	events, err := ask(t.Context(), m, r)
	if got, want := script(events), "text:I write.|call:write{}(broken)|stop:calls"; err != nil || got != want {
		t.Fatalf("got %s, %v", got, err)
	}
	r.Tools = nil
	events, err = ask(t.Context(), m, r)
	if got, want := script(events), "text:I write.|call:unnamed{}(broken)|stop:calls"; err != nil || got != want {
		t.Fatalf("got %s, %v", got, err)
	}
	var call *model.Call
	for _, e := range events {
		if c, ok := e.(*model.Call); ok {
			call = c
		}
	}
	if !strings.Contains(call.Broken, "print(default_api.write(path='a'") {
		t.Errorf("got %q", call.Broken)
	}
	r.Messages = append(r.Messages,
		model.Message{Role: model.RoleAssistant, Content: []acp.ContentBlock{acp.Text("I write.")}, Calls: []*model.Call{call}},
		model.Message{Role: model.RoleUser, Results: []model.Result{{CallID: call.ID, Name: call.Name, Text: call.Broken, Failed: true}}})
	if h := sent(t, r); len(h.Messages[1].Calls) != 1 || !h.Messages[2].Results[0].Failed {
		t.Errorf("got %+v", h.Messages)
	}
}

// A memo that lacks a call of its message, or has one more, is left out.
func TestMemoThatDoesNotFitIsLeftOut(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "I look.", Calls: []modeltest.Called{{Name: "read", Input: `{}`}}}, modeltest.Answer{Text: "x"}))
	m, r := newModel(t, s.GeminiURL()), says("go")
	answer := said(t, m, r)
	answer.Calls = nil
	r.Messages = append(r.Messages, answer, user(acp.Text("go on")))
	if _, err := ask(t.Context(), m, r); err != nil || len(s.Last().Messages[1].Calls) > 0 || s.Last().Messages[1].Text != "I look." {
		t.Errorf("got %+v, %v", s.Last().Messages, err)
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
		"a body":  {modeltest.Fault{Endless: modeltest.EndlessBody}, "its answer is longer than 262144 bytes"},
		"failure": {modeltest.Fault{Endless: modeltest.EndlessBody, Status: 400}, `{"error":"and so on`},
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: strings.Repeat("word ", 100), Fault: c.fault}))
			_, failure := failed(t, newModel(t, s.GeminiURL(), func(o *gemini.Options) { o.MaxBytes = 1 << 18 }))
			if failure.Retryable() || !strings.HasPrefix(failure.Message, c.want) {
				t.Errorf("got %+v", failure)
			}
		})
	}
}

// The path of a request is no part of what a redirection tells to configure.
func TestRedirections(t *testing.T) {
	for _, version := range []string{"", "/v1beta"} {
		to := "https://example.com/api/v1beta/models/gemini-3.5-flash:streamGenerateContent?alt=sse"
		url := page(t, http.StatusMovedPermanently, map[string]string{"Location": to}, "")
		_, failure := failed(t, newModel(t, url+version))
		if want := "the server redirects to https://example.com/api" + version + "; set base_url to it"; failure.Message != want || !failure.Final || failure.Status != 301 {
			t.Errorf("got %+v", failure)
		}
	}
}

// A provider of the user's own has the name that the user has given it, and its memos are not for others.
func TestProvidersName(t *testing.T) {
	mine := func(o *gemini.Options) { o.Provider = "mine" }
	s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "hi"}, modeltest.Answer{Fault: modeltest.Fault{Status: 500}}))
	m := newModel(t, s.GeminiURL(), mine)
	if info := m.Info(); info.Name != "mine/gemini-3.5-flash" || info.Provider != "mine" {
		t.Errorf("got %+v", info)
	}
	answer := said(t, m, says("hi"))
	if answer.Memo == nil || answer.Memo.Provider != "mine" {
		t.Errorf("got %+v", answer.Memo)
	}
	_, err := ask(t.Context(), m, says("hi"))
	var failure *model.Error
	if !errors.As(err, &failure) || !strings.HasPrefix(err.Error(), "the model's provider mine failed with status 500") {
		t.Errorf("got %v", err)
	}
	r := says("hi")
	r.Tools = []model.Tool{{Name: "x", Schema: acp.Raw("[]")}}
	if _, err := ask(t.Context(), m, r); !errors.As(err, &failure) || failure.Provider != "mine" {
		t.Errorf("got %v", err)
	}
	again := says("hi")
	again.Messages = append(again.Messages, answer, user(acp.Text("go on")))
	if body := string(sent(t, again).Body); strings.Contains(body, fmt.Sprintf("%q", "thoughtSignature")) {
		t.Errorf("the memo of another provider is sent: %s", body)
	}
}
