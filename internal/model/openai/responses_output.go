package openai

import (
	"encoding/json"
	"fmt"

	"github.com/openai/openai-go/v3/responses"

	"github.com/patchbay-dev/patchbay/internal/model"
)

// A responsesReader understands the events of Responses.
type responsesReader struct {
	a       *answer
	spoken  map[string]bool // the items whose text has come in pieces
	items   []object        // that are complete, for the memo
	held    []*model.Call   // that wait for the end
	refused bool
}

// event reads one event.
func (rd *responsesReader) event(data []byte) (done bool, err error) {
	var e responses.ResponseStreamEventUnion
	if err := json.Unmarshal(data, &e); err != nil {
		return false, rd.a.m.garbage(data, err)
	}
	switch e.Type {
	case "response.output_text.delta":
		return false, rd.text(e.ItemID, e.Delta)
	case "response.refusal.delta":
		rd.refused = true
		return false, rd.text(e.ItemID, e.Delta)
	case "response.reasoning_summary_text.delta":
		return false, rd.a.think(fmt.Sprint(e.ItemID, " ", e.SummaryIndex), e.Delta)
	case "response.reasoning_text.delta":
		return false, rd.a.think(fmt.Sprint(e.ItemID, " text"), e.Delta)
	case "response.output_item.done":
		return false, rd.item(e.Item)
	case "response.completed", "response.incomplete", "response.failed", "response.cancelled":
		return true, rd.finish(e.Type[len("response."):], e.Response)
	}
	return false, nil
}

// end is called when no event has been the last one.
func (rd *responsesReader) end(cause error) error { return rd.a.m.cut(cause) }

func (rd *responsesReader) text(item, text string) error {
	rd.spoken[item] = true
	return rd.a.say(item, text)
}

// item reads a complete item of the answer.
func (rd *responsesReader) item(item responses.ResponseOutputItemUnion) error {
	raw, ok := parseObject([]byte(item.RawJSON()))
	if !ok {
		return rd.a.m.garbage([]byte(item.RawJSON()), nil)
	}
	rd.items = append(rd.items, raw)
	switch item.Type {
	case "message":
		return rd.message(item)
	case "function_call":
		if item.Status == "incomplete" {
			return nil // the answer was too long
		}
		return rd.call(item, raw)
	}
	return nil
}

// call takes a complete call. One whose input is half there may have been cut off, by a server that doesn't say so; it waits
// for the end, as does what comes after it.
func (rd *responsesReader) call(item responses.ResponseOutputItemUnion, raw object) error {
	written := raw.text("arguments")
	call := rd.a.made.New(item.CallID, item.Name, written)
	raw["call_id"], raw["name"] = quote(call.ID), quote(call.Name)
	if !model.IsObject([]byte(written)) {
		raw["arguments"] = quote(string(call.Input))
	}
	if call.Broken != "" || len(rd.held) > 0 {
		rd.held = append(rd.held, call)
		return nil
	}
	return rd.a.call(call)
}

// release passes on the calls that have waited for the end of the answer, or drops the last one if the end has cut it off.
func (rd *responsesReader) release(reason model.StopReason) error {
	if n, last := len(rd.held), len(rd.items)-1; reason == model.StopMaxTokens && n > 0 &&
		rd.held[n-1].Broken != "" && rd.items[last].text("call_id") == rd.held[n-1].ID {
		rd.held, rd.items = rd.held[:n-1], rd.items[:last]
	}
	for _, call := range rd.held {
		if err := rd.a.call(call); err != nil {
			return err
		}
	}
	return nil
}

// message tells a message of which no pieces have come: some servers send it in one.
func (rd *responsesReader) message(item responses.ResponseOutputItemUnion) error {
	for _, c := range item.Content {
		rd.refused = rd.refused || c.Type == "refusal"
		if rd.spoken[item.ID] {
			continue
		}
		if err := rd.a.say(item.ID, c.Text+c.Refusal); err != nil {
			return err
		}
	}
	return nil
}

// finish reads how the answer has ended. The response's own status counts more than the event's name.
func (rd *responsesReader) finish(status string, r responses.Response) error {
	if r.Status != "" {
		status = string(r.Status)
	}
	stop := model.Stop{Reason: model.StopEnd}
	switch why := r.IncompleteDetails.Reason; {
	case status == "failed":
		return rd.failed(r)
	case status == "incomplete" && why == "content_filter":
		stop = model.Stop{Reason: model.StopRefusal, Why: why}
	case status == "incomplete" && why == "max_output_tokens":
		stop.Reason = model.StopMaxTokens
	case status != "completed":
		return rd.a.m.final("the answer is %s: %s", status, why)
	case rd.refused:
		stop.Reason = model.StopRefusal
	}
	if err := rd.release(stop.Reason); err != nil {
		return err
	}
	if stop.Reason == model.StopEnd && rd.a.calls > 0 {
		stop.Reason = model.StopCalls
	}
	return rd.a.end(memoOf(rd.items), rd.usage(r), stop)
}

func (rd *responsesReader) failed(r responses.Response) error {
	if o, ok := parseObject([]byte(r.RawJSON())); ok && o.has("error") {
		return rd.a.m.described(o.object("error"), o["error"])
	}
	return &model.Error{Provider: rd.a.m.o.Provider, Message: "the answer has failed"}
}

func (rd *responsesReader) usage(r responses.Response) *model.Usage {
	if !r.JSON.Usage.Valid() {
		return nil
	}
	u := r.Usage
	return &model.Usage{
		InputTokens:       count(u.InputTokens),
		OutputTokens:      count(u.OutputTokens),
		ThoughtTokens:     count(u.OutputTokensDetails.ReasoningTokens),
		CachedReadTokens:  count(u.InputTokensDetails.CachedTokens),
		CachedWriteTokens: count(u.InputTokensDetails.CacheWriteTokens),
	}
}

// count is a number of tokens.
func count(n int64) uint64 { return uint64(max(n, 0)) }
