package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3"

	"github.com/patchbay-dev/patchbay/internal/model"
)

// A chatReader understands the chunks of Chat Completions, and of those who have copied them.
type chatReader struct {
	a       *answer
	calls   []*chatCall
	said    strings.Builder
	memo    chatMemo
	usage   *model.Usage
	reason  string // why it has finished; empty until it has
	refused bool
	filters []string // those of the server that have stepped in
}

// event reads one chunk. The last one is nothing special: the usage may come after the reason to finish.
func (rd *chatReader) event(data []byte) (done bool, err error) {
	var chunk openai.ChatCompletionChunk
	if err := json.Unmarshal(data, &chunk); err != nil {
		return false, rd.a.m.garbage(data, err)
	}
	if chunk.JSON.Usage.Valid() {
		rd.usage = chatUsage(chunk.Usage) // some servers count in each chunk
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 {
			continue
		}
		if e, ok := choice.JSON.ExtraFields["error"]; ok { // OpenRouter
			if o, ok := parseObject([]byte(e.Raw())); ok && len(o) > 0 {
				return false, rd.a.m.described(o, []byte(e.Raw()))
			}
		}
		if err := rd.delta(choice.Delta); err != nil {
			return false, err
		}
		if choice.FinishReason != "" {
			rd.reason = choice.FinishReason
		}
		rd.filter(choice.JSON.ExtraFields["content_filter_results"].Raw())
	}
	return false, nil
}

// filter reads what Azure says about its filters: {"violence":{"filtered":true,"severity":"high"}}.
func (rd *chatReader) filter(results string) {
	all, _ := parseObject([]byte(results)) // not there elsewhere
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all.object(name).text("filtered") == "true" && !slices.Contains(rd.filters, name) {
			rd.filters = append(rd.filters, name)
		}
	}
}

func (rd *chatReader) delta(d openai.ChatCompletionChunkChoiceDelta) error {
	extra, _ := parseObject([]byte(d.RawJSON()))
	if err := rd.think(extra); err != nil {
		return err
	}
	if content := extra["content"]; content.Kind() == '[' {
		if err := rd.list(content); err != nil {
			return err
		}
	} else if err := rd.say(d.Content); err != nil {
		return err
	}
	rd.refused = rd.refused || d.Refusal != ""
	if err := rd.say(d.Refusal); err != nil {
		return err
	}
	for _, c := range d.ToolCalls {
		rd.call(c)
	}
	return nil
}

func (rd *chatReader) say(text string) error {
	rd.said.WriteString(text)
	return rd.a.say("", text)
}

// think reads the reasoning, for which everybody has a name of their own. Some servers say it under two names at once.
func (rd *chatReader) think(delta object) error {
	rd.memo.details(delta["reasoning_details"])
	for _, name := range []string{"reasoning_content", "reasoning"} {
		if v := delta[name]; v.Kind() == '"' && plain(v) != "" {
			rd.memo.reasoning(name, plain(v))
			return rd.a.think("", plain(v))
		}
	}
	return nil
}

// list reads content that is a list of parts, as Mistral's reasoning models have it.
func (rd *chatReader) list(data []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return rd.a.m.garbage(data, err)
	}
	for _, p := range parts {
		o, _ := parseObject(p)
		if err := rd.say(o.text("text")); err != nil {
			return err
		}
		var thoughts []json.RawMessage
		_ = json.Unmarshal(o["thinking"], &thoughts) // not there in most parts
		for _, t := range thoughts {
			o, _ := parseObject(t)
			if err := rd.a.think("", o.text("text")); err != nil {
				return err
			}
		}
	}
	return nil
}

// end is called when the stream is over. With a reason to finish the answer is complete, whatever happens to the connection
// after it.
func (rd *chatReader) end(cause error) error {
	if rd.reason == "" && !rd.over(cause) {
		return rd.a.m.cut(cause)
	}
	stop := model.Stop{Reason: model.StopEnd}
	switch rd.reason {
	case "error", "abort", "cancelled":
		return &model.Error{Provider: rd.a.m.o.Provider, Message: "the answer ended with the reason " + rd.reason}
	case "length", "max_tokens":
		stop.Reason = model.StopMaxTokens
	case "content_filter", "refusal", "safety":
		stop = model.Stop{Reason: model.StopRefusal, Why: rd.why()}
	}
	if rd.refused {
		stop.Reason = model.StopRefusal
	}
	if err := rd.complete(stop.Reason); err != nil {
		return err
	}
	if stop.Reason == model.StopEnd && rd.a.calls > 0 {
		stop.Reason = model.StopCalls // though many servers say "stop"
	}
	return rd.a.end(rd.memo.data(rd.said.String(), rd.calls), rd.usage, stop)
}

// over reports whether an answer without a reason to finish is complete all the same: some servers never give one, and say
// that the stream is done. There must be something in it, and no half of a call at its end (T6).
func (rd *chatReader) over(cause error) bool {
	n := len(rd.calls)
	return errors.Is(cause, errDone) && (n > 0 && rd.calls[n-1].whole() || n == 0 && rd.said.Len() > 0)
}

// why is what the server says about a refusal.
func (rd *chatReader) why() string {
	if len(rd.filters) == 0 {
		return rd.reason
	}
	return rd.reason + ": " + strings.Join(rd.filters, ", ")
}

// complete passes the calls on. If the answer was too long, the last one may be a part of a call, and is dropped.
func (rd *chatReader) complete(reason model.StopReason) error {
	if reason == model.StopRefusal {
		rd.calls = nil
	}
	if n := len(rd.calls); reason == model.StopMaxTokens && n > 0 && !rd.calls[n-1].whole() {
		rd.calls = rd.calls[:n-1]
	}
	for _, c := range rd.calls {
		c.made = rd.a.made.New(c.id, c.name, c.input.String())
		if err := rd.a.call(c.made); err != nil {
			return err
		}
	}
	return nil
}

func chatUsage(u openai.CompletionUsage) *model.Usage {
	usage := &model.Usage{
		InputTokens:       count(u.PromptTokens),
		OutputTokens:      count(max(u.CompletionTokens, u.TotalTokens-u.PromptTokens)), // xAI counts the reasoning in the total only
		ThoughtTokens:     count(u.CompletionTokensDetails.ReasoningTokens),
		CachedReadTokens:  count(u.PromptTokensDetails.CachedTokens),
		CachedWriteTokens: count(u.PromptTokensDetails.CacheWriteTokens),
	}
	if hit, ok := u.JSON.ExtraFields["prompt_cache_hit_tokens"]; ok && usage.CachedReadTokens == 0 { // DeepSeek
		var n int64
		if json.Unmarshal(bytes.TrimSpace([]byte(hit.Raw())), &n) == nil {
			usage.CachedReadTokens = count(n)
		}
	}
	return usage
}
