package anthropic_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// Signed thoughts go back as they came: the server takes no others.
func TestMemoGoesRound(t *testing.T) {
	m, s := serve(t,
		modeltest.Answer{Thought: "Let me <think> & read.", Text: "I read.", Calls: []modeltest.Called{{Name: "read", Input: `{"path":"a"}`}}},
		modeltest.Answer{Thought: "Now I know.", Text: "It is a program."},
		modeltest.Answer{Text: "Bye."})
	first := ask(t, m, "what is it?")
	messages := []model.Message{user("what is it?"), first.message(), results(model.Result{CallID: first.calls[0].ID, Text: "package a"})}
	second := listen(t.Context(), m, &model.Request{Messages: messages})
	messages = append(messages, second.message(), user("bye"))
	if third := listen(t.Context(), m, &model.Request{Messages: messages}); third.err != nil || third.text != "Bye." || third.memo != nil {
		t.Fatalf("got %+v", third)
	}
	body := string(s.Last().Body)
	if n := strings.Count(body, `"type":"thinking"`); n != 2 {
		t.Errorf("%d thoughts went back: %s", n, body)
	}
	if len(s.Heard()) != 3 {
		t.Errorf("%d requests", len(s.Heard()))
	}
}

// Whoever keeps the conversation may leave calls out, say those of a turn that was too long: then the memo doesn't fit.
func TestMemoThatDoesNotFitIsLeftOut(t *testing.T) {
	m, s := serve(t, modeltest.Answer{Thought: "hm", Text: "I read.", Calls: []modeltest.Called{{Name: "read", Input: `{"path":"a"}`}}}, modeltest.Answer{Text: "Bye."})
	first := ask(t, m, "hello").message()
	first.Calls = nil
	if h := listen(t.Context(), m, &model.Request{Messages: []model.Message{user("hello"), first, user("go on")}}); h.err != nil {
		t.Fatal(h.err)
	}
	if body := string(s.Last().Body); strings.Contains(body, "thinking\":\"hm") || !strings.Contains(body, "I read.") {
		t.Errorf("got %s", body)
	}
}

// Thoughts are bound to what was said before them. When that has changed, they are refused, and left out.
func TestThoughtsThatAreRefusedAreLeftOut(t *testing.T) {
	m, s := serve(t, modeltest.Answer{Thought: "hm", Text: "I read.", Calls: []modeltest.Called{{Name: "read", Input: `{"path":"a"}`}}}, modeltest.Answer{Text: "Bye."})
	first := ask(t, m, "hello")
	first.memo.Data = acp.Raw(strings.Replace(string(first.memo.Data), `"thinking":"hm"`, `"thinking":"ha"`, 1))
	messages := []model.Message{user("hello"), first.message(), results(model.Result{CallID: first.calls[0].ID, Text: "x"})}
	h := listen(t.Context(), m, &model.Request{Messages: messages})
	if h.err != nil || h.text != "Bye." {
		t.Fatalf("got %+v", h)
	}
	if body := string(s.Last().Body); strings.Contains(body, "signature") || !strings.Contains(body, "tool_use") {
		t.Errorf("got %s", body)
	}
}

// A refusal of thoughts is no reason to ask twice when there are none.
func TestRefusedThoughtsWithoutThoughts(t *testing.T) {
	m, s := serve(t, modeltest.Answer{Fault: modeltest.Fault{Status: 400, Message: "messages.1.content.0: Invalid `signature` in `thinking` block."}})
	ask(t, m, "hello").failure(t)
	if n := len(s.Heard()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// The streams of a single message, in pieces.
const (
	start = `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"usage":{"input_tokens":10,"output_tokens":1}}}`
	stop  = `{"type":"message_stop"}`
)

func blockStart(i int, block string) string {
	return fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, i, block)
}

func blockDelta(i int, delta string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, i, delta)
}

func blockStop(i int) string { return fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, i) }

func ends(reason string) string {
	return fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q},"usage":{"output_tokens":5}}`, reason)
}

// Thoughts between calls, hidden ones, and empty text: all goes back in its place, save what the API would refuse.
func TestMemoOfInterleavedThoughts(t *testing.T) {
	m, bodies := wire(t, events(start,
		blockStart(0, `{"type":"thinking","thinking":"","signature":""}`), blockDelta(0, `{"type":"thinking_delta","thinking":"first"}`),
		blockDelta(0, `{"type":"signature_delta","signature":"s1"}`), blockStop(0),
		blockStart(1, `{"type":"text","text":""}`), blockStop(1),
		blockStart(2, `{"type":"tool_use","id":"a","name":"read","input":{}}`), blockDelta(2, `{"type":"input_json_delta","partial_json":"{\"p\":1.50}"}`), blockStop(2),
		blockStart(3, `{"type":"redacted_thinking","data":"secret"}`), blockStop(3),
		blockStart(4, `{"type":"tool_use","id":"b","name":"list","input":{}}`), blockStop(4),
		blockStart(5, `{"type":"thinking","thinking":"","signature":""}`), blockDelta(5, `{"type":"thinking_delta","thinking":"no signature"}`), blockStop(5),
		ends("tool_use"), stop))
	first := ask(t, m, "hello")
	if first.err != nil || first.memo == nil || len(first.calls) != 2 || first.stop != model.StopCalls {
		t.Fatalf("got %+v", first)
	}
	listen(t.Context(), m, &model.Request{Messages: []model.Message{
		user("hello"), first.message(), results(model.Result{CallID: "a", Text: "x"}, model.Result{CallID: "b", Text: "y"}),
	}})
	want := `[{"type":"thinking","thinking":"first","signature":"s1"},{"type":"tool_use","id":"a","name":"read","input":{"p":1.50}},` +
		`{"type":"redacted_thinking","data":"secret"},{"type":"tool_use","id":"b","name":"list","input":{}}]`
	if body := (*bodies)[1]; !strings.Contains(body, want) {
		t.Errorf("got %s", body)
	}
}

// A call whose input was cut off is never passed on, not even one that was cut off before its input began.
func TestCallsThatAreCutOff(t *testing.T) {
	whole := []string{blockStart(0, `{"type":"tool_use","id":"a","name":"list","input":{}}`), blockStop(0)}
	for name, last := range map[string][]string{
		"in its input":     {blockStart(1, `{"type":"tool_use","id":"b","name":"edit","input":{}}`), blockDelta(1, `{"type":"input_json_delta","partial_json":"{\"p"}`), blockStop(1)},
		"before its input": {blockStart(1, `{"type":"tool_use","id":"b","name":"edit","input":{}}`), blockStop(1)},
		"without an end":   {blockStart(1, `{"type":"tool_use","id":"b","name":"edit","input":{}}`)},
	} {
		for _, reason := range []string{"max_tokens", "model_context_window_exceeded"} {
			t.Run(name, func(t *testing.T) {
				all := append([]string{start}, whole...)
				m, _ := wire(t, events(append(append(all, last...), ends(reason), stop)...))
				h := ask(t, m, "hello")
				if h.err != nil || h.stop != model.StopMaxTokens || len(h.calls) != 1 || h.calls[0].ID != "a" {
					t.Errorf("got %+v", h)
				}
			})
		}
	}
}

// A call without an end in an answer that has one is passed on: some servers forget to say it.
func TestCallWithoutAnEnd(t *testing.T) {
	m, _ := wire(t, events(start, blockStart(0, `{"type":"tool_use","id":"a","name":"read","input":{}}`),
		blockDelta(0, `{"type":"input_json_delta","partial_json":"{\"p\":1}"}`), ends("tool_use"), stop))
	if h := ask(t, m, "hello"); h.err != nil || len(h.calls) != 1 || string(h.calls[0].Input) != `{"p":1}` {
		t.Errorf("got %+v", h)
	}
}

// A model that pauses is asked to go on with what it has said, and the answer is one.
func TestPause(t *testing.T) {
	paused := events(start, blockStart(0, `{"type":"server_tool_use","id":"s","name":"web_search","input":{}}`),
		blockDelta(0, `{"type":"input_json_delta","partial_json":"{\"query\":\"x\"}"}`), blockStop(0),
		blockStart(1, `{"type":"text","text":"I search. "}`), blockStop(1), ends("pause_turn"), stop)
	over := events(start, blockStart(0, `{"type":"text","text":"Found."}`), blockStop(0), ends("end_turn"), stop)
	m, bodies := wire(t, paused, over)
	h := ask(t, m, "hello")
	if h.err != nil || h.text != "I search. Found." || h.stop != model.StopEnd || h.usage.OutputTokens != 10 || h.memo == nil {
		t.Fatalf("got %+v", h)
	}
	block := `{"type":"server_tool_use","id":"s","name":"web_search","input":{"query":"x"}}`
	if len(*bodies) != 2 || !strings.Contains((*bodies)[1], block) || !strings.Contains(string(h.memo.Data), block+`,{"type":"text","text":"I search. "},{"type":"text","text":"Found."}`) {
		t.Errorf("got %s and the memo %s", *bodies, h.memo.Data)
	}

	m, bodies = wire(t, paused)
	if e := ask(t, m, "hello").failure(t); !strings.Contains(e.Message, "paused") || len(*bodies) != 9 {
		t.Errorf("got %v after %d requests", e, len(*bodies))
	}
}
