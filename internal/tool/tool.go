package tool

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Tool is something that a model can have done.
type Tool struct {
	Name        string
	Description string       // for the model
	Schema      acp.Raw      // JSON Schema of the input, an object
	Kind        acp.ToolKind // for people

	// Asks is set for a tool that changes or executes something, so that the user has to be asked. What only reads inside
	// the roots is no risk (S000.13).
	Asks bool

	prepare func(env Env, input acp.Raw) (*Job, error)
}

// A Job is a call of a tool that has been understood and not begun.
type Job struct {
	// Title says what it does, for people: "Read main.go".
	Title string

	// Locations are the files it is about, with absolute paths.
	Locations []acp.ToolCallLocation

	preview func(ctx context.Context) ([]acp.ToolCallContent, error)
	run     func(ctx context.Context) (*Result, error)
}

// A Result is what came of a job.
type Result struct {
	// Text is the result as the model reads it. Its first line can stand alone.
	Text string

	// Content is the result as people see it. Nil means that the client shows it already.
	Content []acp.ToolCallContent

	// Locations are the files that it turned out to be about. Nil means those of the job.
	Locations []acp.ToolCallLocation

	// Failed is set if the work was done and ended badly, such as a command with a status other than 0. What could not
	// be done at all is an error instead.
	Failed bool
}

// All returns the tools, in the order in which to offer them.
func All() []*Tool {
	return []*Tool{List(), Find(), Read(), Write(), Edit(), Run(), Plan()}
}

// Prepare reads the input of a call. It touches no file's content; its errors say what is wrong with the input, for the
// model.
func (t *Tool) Prepare(env Env, input acp.Raw) (*Job, error) {
	return t.prepare(env, input)
}

// Preview says what the job would change, to be shown before the user is asked: nil if there is nothing to show. An error
// means that the job can't be done.
func (j *Job) Preview(ctx context.Context) ([]acp.ToolCallContent, error) {
	if j.preview == nil {
		return nil, nil
	}
	return j.preview(ctx)
}

// Run does the job. If ctx ends, so does the job, with ctx's error.
func (j *Job) Run(ctx context.Context) (*Result, error) { return j.run(ctx) }

// define makes a tool whose input is a T.
func define[T any](t Tool, prepare func(env Env, in T) (*Job, error)) *Tool {
	t.prepare = func(env Env, input acp.Raw) (*Job, error) {
		var in T
		if err := json.Unmarshal(input, &in); err != nil {
			return nil, fmt.Errorf("the input of %s doesn't fit its schema: %w", t.Name, err)
		}
		return prepare(env, in)
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
