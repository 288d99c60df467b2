package tool

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"runtime/debug"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/policy"
)

// A Tool is something that a model can have done.
type Tool struct {
	Name        string
	Description string       // for the model
	Schema      acp.Raw      // JSON Schema of the input, an object, which its Go type says
	Kind        acp.ToolKind // for people

	// ReadOnly is set for a tool that changes nothing and asks nobody, so that several calls may be carried out at once.
	ReadOnly bool

	prepare func(env Env, input acp.Raw) (*Job, error)
}

// A Job is a call of a tool that has been understood and not begun.
type Job struct {
	// Title says what it does, for people, on a line: "Read main.go". It hides and disguises nothing (see OneLine).
	Title string

	// Locations are the files it is about, with absolute paths.
	Locations []acp.ToolCallLocation

	// Call is what it wants to do, for a policy to decide about; where is for the caller to say. A tool that says nothing is
	// one that nothing is known of.
	Call policy.Call

	tool    *Tool
	preview func(ctx context.Context) ([]acp.ToolCallContent, error)
	run     func(ctx context.Context) (*Result, error)
}

// harmless is what a job wants that touches nothing outside of the session.
var harmless = policy.Call{Tool: policy.Think}

// A Result is what came of a job.
type Result struct {
	// Text is the result as the model reads it. Its first line can stand alone.
	Text string

	// Content is the result as people see it. Nil means that the client shows it already.
	Content []acp.ToolCallContent

	// Images are for the model, beside Text, if it takes any.
	Images []*acp.ImageContent

	// Locations are the files that it turned out to be about. Nil means those of the job.
	Locations []acp.ToolCallLocation

	// Metadata is for programs, beside Text: anything that can be written as JSON, nil for nothing.
	Metadata any

	// Failed is set if the work was done and ended badly, such as a command with a status other than 0. What could not
	// be done at all is an error instead.
	Failed bool
}

// All returns the tools, in the order in which to offer them.
func All() []*Tool {
	return []*Tool{List(), Glob(), Grep(Ripgrep()), Read(), Write(), Edit(), Shell(), BackgroundJob(), Fetch(), Plan(), Ask(), Task(), Propose()}
}

// Prepare reads the input of a call. It touches no file's content; its errors say what is wrong with the input, for the
// model.
func (t *Tool) Prepare(env Env, input acp.Raw) (job *Job, err error) {
	defer t.guard(&err)
	if job, err = t.prepare(env, input); err != nil {
		return nil, err
	}
	job.tool = t
	job.Call.Name, job.Call.Kind = t.Name, t.Kind
	job.Title = inLine(job.Title, maxTitle) // paths are in it, too
	return job, nil
}

// Preview says what the job would change, to be shown before the user is asked: nil if there is nothing to show. An error
// means that the job can't be done.
func (j *Job) Preview(ctx context.Context) (content []acp.ToolCallContent, err error) {
	defer j.tool.guard(&err)
	if j.preview == nil {
		return nil, nil
	}
	return j.preview(ctx)
}

// Run does the job. If ctx ends, so does the job, with ctx's error.
func (j *Job) Run(ctx context.Context) (result *Result, err error) {
	defer j.tool.guard(&err)
	return j.run(ctx)
}

// guard makes a panic an error: what a tool does on a goroutine of its caller's must not end the process, and with it every
// session (F88).
func (t *Tool) guard(err *error) {
	if p := recover(); p != nil {
		slog.Error("a tool panicked", "tool", t.Name, "panic", p, "stack", string(debug.Stack()))
		*err = fmt.Errorf("the tool %s failed: %v", t.Name, p)
	}
}

// define makes a tool whose input is a T, which also says what its schema is (see input).
func define[T any](t Tool, prepare func(env Env, in T) (*Job, error)) *Tool {
	form, err := inputOf(reflect.TypeFor[T]())
	if err != nil {
		t.prepare = func(Env, acp.Raw) (*Job, error) { return nil, fmt.Errorf("the tool %s is of no use: %w", t.Name, err) }
		return &t
	}
	t.Schema = form.schema
	t.prepare = func(env Env, input acp.Raw) (*Job, error) {
		var in T
		if err := form.decode(input, &in); err != nil {
			return nil, fmt.Errorf("the input doesn't fit its schema: %w", err)
		}
		return prepare(env, in)
	}
	return &t
}

// Foreign makes a tool for one call of something that is not ours, such as a tool of an MCP server. Its input is passed on as
// it is, the title says whose it is, and call what a policy knows of it.
func Foreign(t Tool, title string, call policy.Call, run func(ctx context.Context, input acp.Raw) (*Result, error)) *Tool {
	t.prepare = func(_ Env, input acp.Raw) (*Job, error) {
		return &Job{Title: title, Call: call, run: func(ctx context.Context) (*Result, error) { return run(ctx, input) }}, nil
	}
	return &t
}

// textResult shows people what the model reads: the first line as it is, the rest as a block.
func textResult(summary, body string) *Result {
	if body == "" {
		return &Result{Text: summary + "\n", Content: shown(summary)}
	}
	return &Result{Text: summary + "\n" + body, Content: shown(summary + "\n\n" + fenced(body))}
}

func shown(text string) []acp.ToolCallContent {
	return []acp.ToolCallContent{acp.ToolContent(acp.Text(text))}
}
