package coder

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// crowdedAt is the part of the model's window, in percent, from which on the conversation is compacted. What is left is for
// the answer, and for what the tools say until the next request.
const crowdedAt = 80

// summaryRequest asks a model for a summary that it can go on from.
const summaryRequest = `The conversation is about to be shortened: of all that was said until now you will keep only what you write down here. Write
a summary from which you can go on without loss: what the user wants and has decided, in their words where these matter; what was done and found
out, with the paths of files, names and line numbers; what failed and why; what is being done right now; and what is left to do. Write nothing
else, and call no tools.`

// crowded reports whether the conversation should be compacted before the model is asked again.
func (x *exchange) crowded() bool {
	window := x.window()
	return window > 0 && x.canCompact() && x.tokens() > window*crowdedAt/100
}

// tokens says how long the conversation is, with what goes with it: as the provider has counted it, and by estimate since
// then. Tools may have come since then, too.
func (x *exchange) tokens() uint64 {
	total, fixed, messages := x.counted.tokens, x.fixed(), x.counted.messages
	switch {
	case total == 0: // nobody has counted
		total, messages = fixed, 0
	case x.counted.fixed > 0 && fixed > x.counted.fixed:
		total += fixed - x.counted.fixed
	}
	for _, m := range x.conversation()[messages:] {
		total += m.Tokens()
	}
	return total
}

// canCompact reports whether there is anything to summarise, by a model that can.
func (x *exchange) canCompact() bool {
	return !x.session.chosen().engine.scripted() && len(x.before)+len(x.messages) > 2
}

// compact puts a summary in the place of all that was said before, and repeats the prompt of this turn. The client sees it
// happen.
//
// Spec: session/update, compaction_update.
func (x *exchange) compact(ctx context.Context) error {
	id := acp.CompactionID("compaction_" + strings.ToLower(rand.Text()))
	if err := x.turn.Compaction(acp.CompactionUpdate{CompactionID: id, Status: acp.CompactionStatusInProgress}); err != nil {
		return err
	}
	summary, err := x.summarise(ctx)
	if err != nil {
		update := acp.CompactionUpdate{CompactionID: id, Status: acp.CompactionStatusFailed, Error: acp.Some(err.Error())}
		if ctx.Err() != nil {
			update = acp.CompactionUpdate{CompactionID: id, Status: acp.CompactionStatusCancelled}
		}
		return errors.Join(err, x.turn.Compaction(update))
	}
	x.before = summarised(summary)
	x.messages = slices.Clone(x.messages[:min(1, len(x.messages))])
	x.compacted, x.counted = true, count{}
	x.session.forgetFiles()
	err = x.saveAll()
	err = errors.Join(err, x.turn.Compaction(acp.CompactionUpdate{
		CompactionID: id, Status: acp.CompactionStatusCompleted,
		Summary: acp.Some([]acp.ContentBlock{acp.Text(summary)}),
	}))
	return errors.Join(err, x.showTokens(x.tokens()))
}

// summarised is the conversation that a summary stands for. The prompt that is being worked on comes after it once more.
func summarised(summary string) []model.Message {
	return []model.Message{
		{Role: model.RoleUser, Content: []acp.ContentBlock{acp.Text("The conversation until now, as you have summarised it. " +
			"What it says is done is done, even if the next message asks for it.\n\n" + summary)}},
		{Role: model.RoleAssistant, Content: []acp.ContentBlock{acp.Text("I go on from there.")}},
	}
}

// summarise has the model summarise the conversation. If even that is too long, it gets only the later half.
func (x *exchange) summarise(ctx context.Context) (string, error) {
	said := readable(x.conversation())
	for {
		summary, err := x.summary(ctx, said)
		var tooLong *model.Error
		if err == nil || !errors.As(err, &tooLong) || !tooLong.TooLong || len(said) < 1000 {
			return summary, err
		}
		half := strings.ToValidUTF8(said[len(said)/2:], "")
		said = "(the beginning is lost)\n" + half
	}
}

func (x *exchange) summary(ctx context.Context, said string) (string, error) {
	now := x.session.chosen()
	request := &model.Request{
		System: "You summarise the conversation of a coding agent with its user, for the agent.",
		Messages: []model.Message{{Role: model.RoleUser, Content: []acp.ContentBlock{
			acp.Text("<conversation>\n" + said + "</conversation>\n\n" + summaryRequest),
		}}},
		Thinking: model.ThinkingOff,
	}
	var b strings.Builder
	ended := false
	for event, err := range now.engine.Stream(ctx, request) {
		if err != nil {
			return "", err
		}
		switch event := event.(type) {
		case model.Text:
			b.WriteString(string(event))
		case model.Usage:
			add(&x.usage, event)
			usd, known := now.engine.facts.Price.Cost(event)
			x.session.charge(event, usd, known)
		case model.Stop:
			ended = event.Reason == model.StopEnd || event.Reason == model.StopMaxTokens
		}
	}
	if !ended || strings.TrimSpace(b.String()) == "" {
		return "", &model.Error{Provider: now.engine.Info().Provider, Message: "the model gave no summary of the conversation"}
	}
	return b.String(), nil
}

// maxResultShown is how much of a tool's result goes into a summary, in bytes: what a file says can be read again.
const maxResultShown = 4 << 10

// readable writes a conversation as text.
func readable(messages []model.Message) string {
	var b strings.Builder
	for _, m := range messages {
		for _, r := range m.Results {
			fmt.Fprintf(&b, "[result of %s] %s\n", r.Name, shortened(r.Text, maxResultShown))
		}
		if text := textOf(m.Content); text != "" {
			fmt.Fprintf(&b, "[%s] %s\n", m.Role, text)
		}
		for _, c := range m.Calls {
			fmt.Fprintf(&b, "[call of %s] %s\n", c.Name, shortened(string(c.Input), maxResultShown))
		}
	}
	return b.String()
}

// shortened returns the beginning of a text that is longer than n bytes, and says so.
func shortened(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return cutAt(s, n) + "…(cut)"
}
