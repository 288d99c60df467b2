package coder

import (
	"context"
	"errors"
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// errRejected is what the model is told about a call that the user doesn't want.
var errRejected = errors.New("the user has rejected it; nothing was done")

// call makes a call. What goes wrong with it is a text for the model; an error means that the turn can't go on.
func (x *exchange) call(ctx context.Context, c *model.Call) (text string, failed bool, err error) {
	e := &env{Local: x.session.local, turn: x.turn}
	t, job, problem := x.prepare(e, c)
	shown, err := x.turn.ToolCall(announcement(t, job, c))
	if err != nil {
		return "", false, err
	}
	e.call = shown
	var result *tool.Result
	if problem == nil {
		result, problem = x.carryOut(ctx, t, job, shown)
	}
	switch {
	case ctx.Err() != nil:
		return "", false, ctx.Err() // the turn's end closes the call (T2)
	case errors.Is(problem, agent.ErrCancelled):
		return "", false, errors.Join(problem, shown.Fail("the permission was cancelled"))
	case problem != nil:
		return problem.Error(), true, shown.Fail(problem)
	}
	return result.Text, result.Failed, finish(shown, result)
}

func (x *exchange) prepare(e *env, c *model.Call) (*tool.Tool, *tool.Job, error) {
	t, ok := x.coder.tools[c.Name]
	if !ok {
		return &tool.Tool{Name: c.Name, Kind: acp.ToolKindOther}, nil, fmt.Errorf("there is no tool named %q", c.Name)
	}
	job, err := t.Prepare(e, c.Input)
	return t, job, err
}

// announcement is what the client is told about a call at first. A call that can't be understood has only a name.
func announcement(t *tool.Tool, job *tool.Job, c *model.Call) acp.ToolCall {
	call := acp.ToolCall{Title: t.Name, Name: t.Name, Kind: t.Kind, RawInput: c.Input, Status: acp.ToolCallStatusPending}
	if job != nil {
		call.Title, call.Locations = job.Title, job.Locations
	}
	return call
}

// carryOut shows what a job would change, asks if it has to, and runs it.
func (x *exchange) carryOut(ctx context.Context, t *tool.Tool, job *tool.Job, shown *agent.ToolCall) (*tool.Result, error) {
	preview, err := job.Preview(ctx)
	if err != nil {
		return nil, err
	}
	if len(preview) > 0 {
		if err := shown.Output(preview...); err != nil {
			return nil, err
		}
	}
	if t.Asks {
		if err := x.permit(ctx, t, shown); err != nil {
			return nil, err
		}
	}
	if err := shown.Start(); err != nil {
		return nil, err
	}
	return job.Run(ctx)
}

// finish shows a result, to people and, as the model reads it, to programs.
func finish(shown *agent.ToolCall, r *tool.Result) error {
	raw := struct {
		Output string `json:"output"`
		Error  string `json:"error,omitempty"`
	}{Output: r.Text}
	if r.Failed {
		raw.Error = firstLine(r.Text)
	}
	if err := shown.RawOutput(raw); err != nil {
		return err
	}
	if r.Locations != nil {
		if err := shown.Locations(r.Locations...); err != nil {
			return err
		}
	}
	if !r.Failed {
		return shown.Complete(r.Content...)
	}
	if len(r.Content) > 0 {
		if err := shown.Output(r.Content...); err != nil {
			return err
		}
	}
	return shown.Fail(firstLine(r.Text))
}
