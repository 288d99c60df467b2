package anthropic

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/wire"
)

// errLeft says that nobody listens any more. It never leaves the package.
var errLeft = errors.New("the listener has left")

// An answer is what the model says, as it comes.
type answer struct {
	yield func(model.Event, error) bool
	made  *model.Calls
	from  string // the provider, as memos name it

	begun   bool // something was passed on
	opened  bool // the message has begun
	message message
	calls   int // passed on

	// held are the calls that are not passed on before the reason of the end is known: one without input, or with half of
	// it, may have been cut off, and whatever comes after it must not overtake it.
	held []*part

	paused   bool    // the model wants to be asked to go on
	pausedAt []block // what it said since it was asked the last time
	blocks   []block // what it said before it paused

	usage model.Usage
}

// read passes on what comes. It ends with the end of the message, or with an error if there is none. It looks at the events
// itself: the library's Stream knows them by a name that some servers don't give.
func (a *answer) read(body io.Reader) error {
	a.opened, a.message, a.held, a.paused = false, message{}, nil, false
	var event sdk.MessageStreamEventUnion // it has eight kilobytes, so that all share it
	for e, err := range wire.Events(body) {
		switch {
		case err != nil:
			return a.early(err)
		case e.Name == "error":
			return failed(e.Data)
		case e.Name == "ping":
			continue
		case bytes.Equal(e.Data, []byte("[DONE]")): // OpenAI's last word, which some servers say here too
			return a.early(nil)
		}
		event = sdk.MessageStreamEventUnion{}
		if err := stdjson.Unmarshal(e.Data, &event); err != nil {
			return garbled(err)
		}
		if event.Type == "error" {
			return failed(e.Data)
		}
		if err := a.take(&event); err != nil {
			return err
		}
		if event.Type == "message_stop" {
			return a.finish()
		}
	}
	return a.early(nil)
}

// early says why an answer has no end.
func (a *answer) early(err error) error {
	var known *model.Error
	var page wire.NoStream
	switch {
	case err == nil:
		return &model.Error{Message: "the answer ends before it is complete"}
	case errors.As(err, &page):
		return &model.Error{Final: true, Message: "it answers with what is no stream of events: " + string(page)}
	case errors.As(err, &known), !a.opened:
		return err
	}
	return fmt.Errorf("the answer breaks off: %w", err)
}

func garbled(err error) error {
	return &model.Error{Message: "the answer is garbled: " + err.Error(), Cause: err}
}

func (a *answer) take(event *sdk.MessageStreamEventUnion) error {
	switch event.Type {
	case "message_start":
		if a.opened {
			return garbled(errors.New("a message begins within another"))
		}
		a.opened, a.message.usage = true, event.Message.Usage
	case "message_delta":
		a.message.count(event.Usage)
		a.message.end(&event.Delta)
	case "content_block_start":
		p := a.message.begin(event)
		return a.say(p.text.String(), p.thinking.String())
	case "content_block_delta":
		p, err := a.message.part(event)
		if err != nil {
			return err
		}
		p.add(&event.Delta)
		if event.Delta.Text == "" && event.Delta.Thinking == "" {
			return a.pass(model.Alive{})
		}
		return a.say(event.Delta.Text, event.Delta.Thinking)
	case "content_block_stop":
		p, err := a.message.part(event)
		if err != nil {
			return err
		}
		return a.end(p)
	case "message_stop": // it ends all blocks, since some servers forget to
		for _, p := range a.message.parts {
			if err := a.end(p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *answer) say(text, thought string) error {
	if thought != "" {
		if err := a.pass(model.Thought(thought)); err != nil {
			return err
		}
	}
	if text != "" {
		return a.pass(model.Text(text))
	}
	return nil
}

func (a *answer) pass(event model.Event) error {
	a.begun = true
	if !a.yield(event, nil) {
		return errLeft
	}
	return nil
}

// end passes on a call when its block has ended.
func (a *answer) end(p *part) error {
	if p.ended || p.kind != "tool_use" {
		return nil
	}
	p.ended = true
	p.call = a.made.New(p.id, p.name, p.written())
	if len(a.held) > 0 || p.doubtful() {
		a.held = append(a.held, p)
		return nil
	}
	return a.call(p)
}

// doubtful reports whether a call may have been cut off.
func (p *part) doubtful() bool { return p.call.Broken != "" || string(p.call.Input) == "{}" }

func (a *answer) call(p *part) error {
	a.calls++
	return a.pass(p.call)
}

// finish passes on what had to wait for the end, and says how the answer ended.
func (a *answer) finish() error {
	reason := a.message.reason
	cut := a.cutOff(reason)
	for _, p := range a.held {
		if p == cut {
			break
		}
		if err := a.call(p); err != nil {
			return err
		}
	}
	a.count()
	if reason == sdk.StopReasonPauseTurn {
		a.paused, a.pausedAt = true, a.said(cut)
		a.blocks = append(a.blocks, a.pausedAt...)
		return nil
	}
	stop, err := a.stop(reason)
	if err != nil {
		return err
	}
	return a.last(stop, cut)
}

// cutOff returns the part with a call that the end of the answer has cut off, or nil.
func (a *answer) cutOff(reason sdk.StopReason) *part {
	switch reason {
	case sdk.StopReasonMaxTokens, sdk.StopReasonModelContextWindowExceeded, sdk.StopReasonRefusal:
	default:
		return nil
	}
	n := len(a.message.parts)
	if n == 0 {
		return nil
	}
	if last := a.message.parts[n-1]; last.call != nil && last.doubtful() {
		return last
	}
	return nil
}

// last passes on what comes after the last word.
func (a *answer) last(stop model.StopReason, cut *part) error {
	end := model.Stop{Reason: stop}
	if a.message.reason == sdk.StopReasonModelContextWindowExceeded {
		end.Why = "the conversation fills the model's context window"
	}
	if stop == model.StopRefusal {
		end.Why = a.message.whyRefused()
	} else if memo := memoOf(a.from, append(a.blocks, a.said(cut)...)); memo != nil {
		if err := a.pass(memo); err != nil {
			return err
		}
	}
	if err := a.pass(a.usage); err != nil {
		return err
	}
	return a.pass(end)
}

// whyRefused is what the provider says of a refusal.
func (m *message) whyRefused() string {
	category, why := string(m.why.Category), m.why.Explanation
	if category != "" && why != "" {
		category += ": "
	}
	return category + why
}

// said returns those of the message's blocks, as they came, that the API will take back.
func (a *answer) said(cut *part) []block {
	var blocks []block
	for _, p := range a.message.parts {
		if b, ok := p.block(); ok && p != cut && b.returnable() {
			blocks = append(blocks, b)
		}
	}
	return blocks
}

func (a *answer) stop(reason sdk.StopReason) (model.StopReason, error) {
	switch reason {
	case sdk.StopReasonMaxTokens, sdk.StopReasonModelContextWindowExceeded:
		return model.StopMaxTokens, nil
	case sdk.StopReasonRefusal:
		return model.StopRefusal, nil
	case "":
		return "", &model.Error{Message: "the answer ends without a reason"}
	case sdk.StopReasonToolUse:
		if a.calls == 0 {
			return "", &model.Error{Message: "the answer ends for the sake of calls that it doesn't have"}
		}
	case sdk.StopReasonEndTurn, sdk.StopReasonStopSequence:
	default:
		if !a.begun {
			return "", &model.Error{Message: fmt.Sprintf("the answer is empty and ends for an unknown reason, %q", reason)}
		}
	}
	if a.calls > 0 {
		return model.StopCalls, nil
	}
	return model.StopEnd, nil
}

// count adds the message's tokens. The API counts those that have to do with its cache apart.
func (a *answer) count() {
	u := a.message.usage
	read, written := tokens(u.CacheReadInputTokens), tokens(u.CacheCreationInputTokens)
	a.usage.InputTokens += tokens(u.InputTokens) + read + written
	a.usage.OutputTokens += tokens(u.OutputTokens)
	a.usage.ThoughtTokens += tokens(u.OutputTokensDetails.ThinkingTokens)
	a.usage.CachedReadTokens += read
	a.usage.CachedWriteTokens += written
}

func tokens(n int64) uint64 { return uint64(max(0, n)) }
