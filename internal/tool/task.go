package tool

import (
	"context"
	"errors"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/policy"
)

// ErrNoSubagents is returned by an Env where there are none.
var ErrNoSubagents = errors.New("there are no subagents here")

// A Subtask is work for a subagent: one that begins with it, or goes on with what it did in an earlier session.
type Subtask struct {
	Description string // a few words, for people
	Prompt      string
	Type        string // of subagent
	Session     string // that goes on; empty for a new one
}

// Task returns the tool that has a subagent do something. What the subagent does is asked about, if it is to be; that there is
// one is not, so that several may work at once.
func Task() *Tool {
	return define(Tool{
		Name: "task",
		Description: "Has a subagent do a piece of work and returns what it says at the end. It has a conversation of its own, which keeps yours " +
			"short, and knows nothing of yours: the prompt has to say all that it needs, and what to report. Several that don't depend " +
			"on each other can be called in one answer; they work at the same time.",
		Kind:     acp.ToolKindOther,
		ReadOnly: true,
	}, prepareTask)
}

type taskInput struct {
	Description string `json:"description" minLength:"1" jsonschema:"The work in three to five words, for the user."`
	Prompt      string `json:"prompt" minLength:"1" jsonschema:"What the subagent has to do and to report."`
	Type        string `json:"subagent_type" minLength:"1" jsonschema:"The type of subagent."`
	Session     string `json:"session_id,omitzero" jsonschema:"The session of an earlier subagent, to go on with it: it remembers what it did."`
}

func prepareTask(env Env, in taskInput) (*Job, error) {
	task := Subtask{
		Description: OneLine(in.Description, 200), Prompt: strings.TrimSpace(in.Prompt),
		Type: strings.TrimSpace(in.Type), Session: strings.TrimSpace(in.Session),
	}
	if task.Prompt == "" {
		return nil, errors.New("the prompt is empty: the subagent would have nothing to do")
	}
	return &Job{
		Title: task.Description,
		Call:  policy.Call{Tool: policy.Task},
		run:   func(ctx context.Context) (*Result, error) { return env.Task(ctx, task) },
	}, nil
}
