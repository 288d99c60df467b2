package coder

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/tool"
	"github.com/patchbay-dev/patchbay/policy"
)

// errRejected is what the model is told about a call that the user doesn't want.
var errRejected = errors.New("the user has rejected it; nothing was done")

// What the model is told about calls of a turn that ended before they did.
const (
	unmade   = "nothing was done: the turn ended before this call was made"
	cutShort = "the turn ended while this call was carried out: what it was to do may be done in part"
)

// A work is a call that the client has been told of.
type work struct {
	env   *env
	call  *model.Call
	tool  *tool.Tool
	job   *tool.Job
	wrong error // why there is no job
	shown *agent.ToolCall
	begun bool // it runs, or has run

	wants    policy.Call // what is decided about
	decision policy.Decision
}

// calls makes the calls of the last answer, and adds the results in the same order. Those that follow each other and only
// read are made at once. When the turn ends in between, the rest gets results that say so: a conversation must not have a
// call without one.
func (x *exchange) calls(ctx context.Context) error {
	calls := x.messages[len(x.messages)-1].Calls
	results := noResults(calls)
	var failed error
	for i := 0; i < len(calls) && failed == nil; {
		n := 1
		for x.readsOnly(calls[i]) && i+n < len(calls) && x.readsOnly(calls[i+n]) {
			n++
		}
		if failed = x.together(ctx, calls[i:i+n], results[i:i+n]); failed == nil {
			failed = ctx.Err() // the last call may have ended well all the same
		}
		i += n
	}
	x.messages = append(x.messages, model.Message{Role: model.RoleUser, Results: results})
	return errors.Join(failed, x.save())
}

// noResults are the results of calls that are not made.
func noResults(calls []*model.Call) []model.Result {
	results := make([]model.Result, len(calls))
	for i, c := range calls {
		results[i] = model.Result{CallID: c.ID, Name: c.Name, Text: unmade, Failed: true}
	}
	return results
}

func (x *exchange) readsOnly(c *model.Call) bool {
	t := x.coder.tools[c.Name]
	return t != nil && t.ReadOnly
}

// together makes calls at the same time. The client is told of them in their order.
func (x *exchange) together(ctx context.Context, calls []*model.Call, results []model.Result) error {
	works := make([]*work, len(calls))
	atOnce(len(calls), func(i int) { works[i] = x.begin(calls[i]) })
	if err := x.announce(works); err != nil {
		return err
	}
	failed := make([]error, len(calls))
	atOnce(len(calls), func(i int) { failed[i] = x.call(ctx, works[i], &results[i]) })
	return errors.Join(failed...)
}

// atOnce does n things, the first of them itself.
func atOnce(n int, do func(i int)) {
	var all sync.WaitGroup
	for i := 1; i < n; i++ {
		all.Go(func() { do(i) })
	}
	do(0)
	all.Wait()
}

// begin prepares a call.
func (x *exchange) begin(c *model.Call) *work {
	w := &work{call: c, env: &env{Local: x.session.local, coder: x.coder, session: x.session, turn: x.turn, exchange: x}}
	w.tool, w.job, w.wrong = x.prepare(w.env, c)
	return w
}

// announce tells the client of calls.
func (x *exchange) announce(works []*work) error {
	announcements := make([]acp.ToolCall, len(works))
	for i, w := range works {
		announcements[i] = announcement(w.tool, w.job, w.call)
	}
	shown, err := x.turn.ToolCalls(announcements...)
	if err != nil {
		return err
	}
	for i, w := range works {
		w.shown, w.env.call = shown[i], shown[i]
	}
	return nil
}

// call makes a call. What goes wrong with it is a text for the model; an error means that the turn can't go on.
func (x *exchange) call(ctx context.Context, w *work, r *model.Result) error {
	var result *tool.Result
	problem := w.wrong
	if problem == nil {
		result, problem = x.carryOut(ctx, w)
	}
	if w.begun {
		r.Text = cutShort // unless there is more to say
	}
	switch {
	case ctx.Err() != nil && (problem != nil || result == nil):
		return ctx.Err() // the turn's end closes the call (T2)
	case errors.Is(problem, agent.ErrCancelled):
		return errors.Join(problem, w.shown.Fail("the permission was cancelled"))
	case problem != nil:
		r.Text = brief(problem)
		return w.shown.Fail(r.Text)
	}
	r.Text, r.Failed = result.Text+x.moreInstructions(w.job, result), result.Failed
	if x.session.chosen().engine.Info().Prompt.Image {
		r.Images = result.Images
	}
	return w.finish(result)
}

func (x *exchange) prepare(e *env, c *model.Call) (*tool.Tool, *tool.Job, error) {
	t := x.coder.tools[c.Name]
	if t == nil {
		t = e.serverTool(c.Name)
	}
	switch {
	case t == nil || !x.session.offers(c.Name):
		return &tool.Tool{Name: c.Name, Kind: acp.ToolKindOther}, nil, fmt.Errorf("there is no tool named %q", c.Name)
	case c.Broken != "":
		return t, nil, errors.New(c.Broken)
	}
	if err := x.refuse(t.Name); err != nil {
		return t, nil, err
	}
	job, err := t.Prepare(e, c.Input)
	return t, job, err
}

// refuse says why a mode has a tool not: that in which the model was asked, so that it wasn't offered, or the one that the
// user has chosen meanwhile.
func (x *exchange) refuse(tool string) error {
	if err := x.session.mode().refuse(tool); err != nil {
		return err
	}
	return x.modeAsked().refuse(tool)
}

// modeAsked is the mode of the last request to the model, or the one that the first would be in.
func (x *exchange) modeAsked() *mode {
	if x.mode != nil {
		return x.mode
	}
	return x.session.chosen().mode
}

// announcement is what the client is told about a call at first. A call that can't be understood has only a name.
func announcement(t *tool.Tool, job *tool.Job, c *model.Call) acp.ToolCall {
	call := acp.ToolCall{Title: tool.OneLine(t.Name, maxCovered), Name: t.Name, Kind: t.Kind, RawInput: c.Input, Status: acp.ToolCallStatusPending}
	if job != nil {
		call.Title, call.Locations = job.Title, job.Locations
	}
	return call
}

// carryOut has a job decided about, shows what it would change, asks if it has to, and runs it.
func (x *exchange) carryOut(ctx context.Context, w *work) (*tool.Result, error) {
	if err := x.judge(w); err != nil {
		return nil, err
	}
	preview, err := w.job.Preview(ctx)
	if err != nil {
		return nil, err
	}
	if len(preview) > 0 {
		if err := w.shown.Output(preview...); err != nil {
			return nil, err
		}
	}
	if w.decision.Verdict == policy.Ask {
		if err := x.permit(ctx, w); err != nil {
			return nil, err
		}
		w.env.asked = w.decision.Source == policy.SourceAsk
	}
	if err := x.session.mode().refuse(w.tool.Name); err != nil { // the user has chosen another one while the question was open
		return nil, err
	}
	if err := w.shown.Start(); err != nil {
		return nil, err
	}
	w.begun = true
	return w.job.Run(ctx)
}

// finish shows a result, to people and, as the model reads it, to programs.
func (w *work) finish(r *tool.Result) error {
	raw := struct {
		Output   string `json:"output"`
		Error    string `json:"error,omitempty"`
		Metadata any    `json:"metadata,omitempty"`
	}{Output: r.Text, Metadata: r.Metadata}
	end := agent.Outcome{Failed: r.Failed, Content: r.Content, Locations: r.Locations}
	if r.Failed {
		raw.Error = firstLine(r.Text)
		if r.Content == nil && w.env.remote { // the client shows the output and no more
			end.Reason = raw.Error
		}
	}
	end.RawOutput = raw
	return w.shown.End(end)
}
