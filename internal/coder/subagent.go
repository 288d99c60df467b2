package coder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// A task is the work of a subagent that is under way.
type task struct {
	*env
	tool.Subtask
	kind     *subagentType
	child    *agent.Session
	state    *session
	progress *progress
	reason   string // why the client has cancelled it
}

// Task has a subagent do something. What goes wrong with its work is a result, since there is a session to go on with or to look
// at; an error means that it has not begun.
func (e *env) Task(ctx context.Context, t tool.Subtask) (*tool.Result, error) {
	types := subagentTypes(e.session.roots[0], e.session.config.UserFile, e.session.hides)
	kind := typeNamed(types, t.Type)
	if kind == nil {
		return nil, fmt.Errorf("there is no type of subagents named %q; there are %s", t.Type, typeNames(types))
	}
	depth := e.session.depth() + 1
	if depth > maxSubagentDepth {
		return nil, errors.New("a subagent of a subagent can't have any: do it yourself")
	}
	user := e.session.user()
	end, err := user.brood.begin(ctx, depth)
	if err != nil {
		return nil, err
	}
	defer end()
	w := &task{env: e, Subtask: t, kind: kind}
	if err := w.open(ctx, &subagent{parent: e.session, kind: kind, depth: depth, bill: &e.exchange.subagents}); err != nil {
		return nil, err
	}
	defer w.state.end()
	return w.run(ctx)
}

// open makes the subagent's session, or opens that of one that goes on.
func (w *task) open(ctx context.Context, a *subagent) error {
	w.child = w.turn.NewChild(agent.Child{SessionID: acp.SessionID(w.Session), Title: w.title(), Description: w.Description, Call: w.call})
	var err error
	if w.Session != "" {
		w.state, err = w.sameChild(ctx, w.child, a)
	} else {
		user := w.session.user()
		if err = user.brood.count(ctx, user.desk.keep); err == nil {
			w.state, err = w.newChild(ctx, w.child, w.title(), a)
		}
	}
	if err != nil {
		if w.state != nil {
			w.state.end()
		}
		return err
	}
	w.child.SetValue(w.state)
	w.progress = &progress{call: w.call}
	if k := w.state.desk.keep; k != nil {
		w.progress.to = recorder{k, w.state}
		w.child.ForgetHistory()
	}
	w.child.SetRecorder(w.progress)
	return w.call.Meta(aboutChild(w.child.ID(), w.turn.Session().ID()))
}

// title is what the user knows the subagent by.
func (w *task) title() string { return fmt.Sprintf("%s (@%s subagent)", w.Description, w.kind.name) }

// run has the subagent work, and makes a result of it.
func (w *task) run(ctx context.Context) (*tool.Result, error) {
	prompt := []acp.ContentBlock{acp.Text(w.Prompt)}
	stop, err := w.child.Run(ctx, prompt, func(ctx context.Context, t *agent.Turn) (acp.StopReason, error) {
		if w.state.desk.keep == nil {
			w.coder.recent.put(w.child, w.state, w.title())
		}
		stop, err := w.coder.exchange(ctx, t, w.state, prompt)
		w.reason = t.CancelReason()
		return stop, err
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	words, failed := w.outcome(stop, err)
	return w.result(words, failed)
}

// outcome is how the work has ended, in words for the model that asked for it.
func (w *task) outcome(stop acp.StopReason, err error) (words string, failed bool) {
	said := w.state.lastWords()
	switch {
	case err != nil:
		return "The subagent has failed: " + brief(errors.New(plain(err))), true
	case stop == acp.StopReasonEndTurn:
		return cmp.Or(said, "The subagent has done its work and says nothing about it."), false
	case stop == acp.StopReasonCancelled && w.reason != "":
		return "The user has cancelled the subagent: " + w.reason + "\nWhat it had done until then is done.", true
	case stop == acp.StopReasonCancelled:
		return "The user has cancelled the subagent. What it had done until then is done.", true
	case stop == acp.StopReasonRefusal:
		return "The subagent's model has refused the work.", true
	}
	return fmt.Sprintf("The subagent was stopped before it was done (%s). It said last:\n%s", stop, said), true
}

// maxReport is how much of what a subagent says its parent's model reads, in bytes.
const maxReport = 64 << 10

// A taskMetadata is what programs can know of a subagent's work (S004.12).
type taskMetadata struct {
	SessionID acp.SessionID  `json:"sessionId"`
	Summary   []summaryEntry `json:"summary"`
	Truncated bool           `json:"truncated"`
	Model     taskModel      `json:"model"`
}

type taskModel struct {
	ModelID    string `json:"modelID"`
	ProviderID string `json:"providerID"`
}

// result is the outcome as the model reads it, and as people and programs see it.
func (w *task) result(words string, failed bool) (*tool.Result, error) {
	id, info := w.child.ID(), w.state.chosen().engine.Info()
	report := strings.ReplaceAll(shortened(words, maxReport), "<task_metadata>", "(task_metadata)") // of its own subagents, perhaps
	summary, cut := w.progress.summary()
	text := fmt.Sprintf("%s\n\n<task_metadata>\nsession_id: %s\n</task_metadata>", report, id)
	if err := w.call.SetText(text); err != nil {
		return nil, err
	}
	return &tool.Result{
		Text: text, Content: []acp.ToolCallContent{}, Failed: failed,
		Metadata: taskMetadata{
			SessionID: id, Summary: summary, Truncated: cut || len(words) > maxReport,
			Model: taskModel{strings.TrimPrefix(info.Name, info.Provider+"/"), info.Provider},
		},
	}, nil
}
