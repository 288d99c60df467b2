package offline

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// Model is the model that needs nothing: no network, no key. It reads the user's last message as steps of a small
// command language and calls a tool for each; what it answers depends on the conversation alone. A step that fails
// doesn't keep the next ones from being tried.
//
// It knows the tools by name: list, grep, read, write, edit, shell, plan and task.
type Model struct{}

const (
	offlineContext = 200_000 // tokens; a usual size, since there is no real one

	estimate = "one token for each four bytes of text"

	// A result is repeated in the answer up to this many bytes; the tool call shows all of it.
	maxRepeat = 4 << 10

	greeting = "I am the offline interpreter of `patchbay agent`: there is no language model behind me, only a small " +
		"command language and real tools.\n\n"
)

// Info says what the model is.
func (Model) Info() model.Info {
	return model.Info{
		Name: "offline", Provider: "offline", Title: "Offline interpreter", ContextTokens: offlineContext,
		Prompt: acp.PromptCapabilities{EmbeddedContext: true}, // files count as their paths
	}
}

// Stream carries on with the first step that has no result yet. It fails only with ctx.
func (Model) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		output := 0
		for _, event := range answer(r) {
			if err := ctx.Err(); err != nil {
				yield(nil, err)
				return
			}
			output += eventBytes(event)
			if stop, ok := event.(model.Stop); ok {
				usage := model.Usage{InputTokens: model.Tokens(requestBytes(r)), OutputTokens: model.Tokens(output), Estimate: estimate}
				if yield(usage, nil) {
					yield(stop, nil)
				}
				return
			}
			if !yield(event, nil) {
				return
			}
		}
	}
}

// answer is everything that the model says next. The last event is a Stop.
func answer(r *model.Request) []model.Event {
	a := &answering{number: lastCall(r.Messages)}
	prompt, attached, results := exchange(r.Messages)
	if len(results) == 0 {
		if !spoken(r.Messages) {
			a.say(greeting)
		}
		if len(attached) > 0 {
			a.say("I take note of what came with your message, and do nothing with it: " + strings.Join(attached, ", ") + ".\n\n")
		}
		if strings.TrimSpace(prompt) == "" {
			a.say("There is no text in your message. I can't look at images or listen to sounds.\n\n" + Help())
			return a.stop(model.StopEnd)
		}
	}
	steps, err := parse(prompt)
	if err != nil {
		a.say(err.Error() + "\n\n" + Help())
		return a.stop(model.StopEnd)
	}
	return a.carryOn(steps, results)
}

// An answering is an answer that is being put together.
type answering struct {
	events []model.Event
	number int // of the last call
}

func (a *answering) say(text string) { a.events = append(a.events, model.Text(text)) }
func (a *answering) stop(reason model.StopReason) []model.Event {
	return append(a.events, model.Stop{Reason: reason})
}

// carryOn reports the last result, and calls for the first step that has none.
func (a *answering) carryOn(steps []command, results []model.Result) []model.Event {
	failed, done := 0, 0
	for i, step := range steps {
		if step.verb == "help" {
			// It needs no tool: it is said together with the call that follows it, or at the end.
			if done == len(results) {
				a.say(Help())
			}
			continue
		}
		if done == len(results) {
			a.call(step, i, len(steps))
			return a.stop(model.StopCalls)
		}
		result := results[done]
		done++
		if result.Failed {
			failed++
		}
		if done == len(results) {
			a.report(step, result)
		}
	}
	if len(steps) > 1 {
		a.say(fmt.Sprintf("Done: %d of %d steps succeeded.\n", len(steps)-failed, len(steps)))
	}
	return a.stop(model.StopEnd)
}

func (a *answering) call(step command, i, n int) {
	a.number++
	name, input := step.call()
	thought := fmt.Sprintf("The next step calls the tool %s.", name)
	if n > 1 {
		thought = fmt.Sprintf("Step %d of %d calls the tool %s.", i+1, n, name)
	}
	a.events = append(a.events, model.Thought(thought), &model.Call{ID: "call_" + strconv.Itoa(a.number), Name: name, Input: input})
}

// report says what came of a step: the first line as it is, the others as a block.
func (a *answering) report(step command, r model.Result) {
	if r.Failed {
		a.say(fmt.Sprintf("`%s` was not done: %s\n\n", step.verb, r.Text))
		return
	}
	text, _, _ := strings.Cut(r.Text, "\n\n<task_metadata>") // which says nothing to people
	first, rest, _ := strings.Cut(strings.TrimRight(text, "\n"), "\n")
	if rest == "" {
		a.say(first + "\n\n")
		return
	}
	if shown := clip(rest, maxRepeat); shown != rest {
		rest = shown + "\n(cut here; the tool call shows more)"
	}
	a.say(first + "\n\n" + fenced(rest) + "\n\n")
}

// call says which tool a step needs, and its input.
func (c command) call() (name string, input acp.Raw) {
	var v any
	name = c.verb
	switch c.verb {
	case "list":
		v = struct {
			Path string `json:"path,omitempty"`
		}{c.path}
	case "find":
		name = "grep"
		v = struct {
			Pattern string `json:"pattern"`
			Literal bool   `json:"literal"`
			Path    string `json:"path,omitempty"`
		}{c.text, true, c.path}
	case "read":
		v = struct {
			Path string `json:"path"`
		}{c.path}
	case "write":
		v = struct {
			Path string `json:"path"`
			Text string `json:"text"`
		}{c.path, c.text}
	case "replace":
		name = "edit"
		v = struct {
			Path  string        `json:"path"`
			Edits []replacement `json:"edits"`
		}{c.path, []replacement{{c.old, c.text, true}}}
	case "run":
		name = "shell"
		v = struct {
			Command string `json:"command"`
		}{c.text}
	case "plan":
		v = struct {
			Entries []planEntry `json:"entries"`
		}{planEntries(c.entries)}
	case "task":
		v = struct {
			Description string `json:"description"`
			Prompt      string `json:"prompt"`
			Type        string `json:"subagent_type"`
		}{clip(c.text, 60), c.text, c.kind}
	}
	return name, marshal(v)
}

type replacement struct {
	Old string `json:"old"`
	New string `json:"new"`
	All bool   `json:"all"`
}

type planEntry struct {
	Content  string `json:"content"`
	Priority string `json:"priority"`
	Status   string `json:"status"`
}

func planEntries(list []string) []planEntry {
	entries := make([]planEntry, len(list))
	for i, content := range list {
		entries[i] = planEntry{content, "medium", "pending"}
	}
	return entries
}
