package tool

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
)

type sample struct {
	Path  string `json:"path" minLength:"1" jsonschema:"The file, absolute or not."`
	Mode  string `json:"mode,omitzero" enum:"all,some" jsonschema:"How much."`
	Limit *int   `json:"limit,omitzero" minimum:"1" maximum:"9"`
	Edits []struct {
		Old string `json:"old"`
		All bool   `json:"all,omitzero"`
	} `json:"edits,omitzero" minItems:"1"`
}

func sampleTool(got *sample) *Tool {
	return define(Tool{Name: "sample"}, func(_ Env, in sample) (*Job, error) {
		*got = in
		return &Job{}, nil
	})
}

// A tool's schema says all that its input struct does.
func TestSchemaFollowsTheStruct(t *testing.T) {
	want := `{"type":"object","properties":{` +
		`"path":{"type":"string","description":"The file, absolute or not.","minLength":1},` +
		`"mode":{"type":"string","description":"How much.","enum":["all","some"]},` +
		`"limit":{"type":"integer","minimum":1,"maximum":9},` +
		`"edits":{"type":"array","items":{"type":"object","properties":{"old":{"type":"string"},"all":{"type":"boolean"}},` +
		`"required":["old"],"additionalProperties":false},"minItems":1}},` +
		`"required":["path"],"additionalProperties":false}`
	if diff := cmp.Diff(want, string(sampleTool(new(sample)).Schema)); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
}

// What doesn't fit is refused in words that name the member, so that the model can put it right.
func TestInputHasToFitTheSchema(t *testing.T) {
	var got sample
	tool := sampleTool(&got)
	for input, want := range map[string]string{
		`{}`:                                 `required: missing properties: ["path"]`,
		`{"path":""}`:                        `path: minLength: "" contains 0 Unicode code points, fewer than 1`,
		`{"path":7}`:                         `path: type: 7 has type "integer", want "string"`,
		`{"path":null}`:                      `required: missing properties: ["path"]`,
		`{"path":"a","line":7}`:              `unexpected additional properties ["line"]`,
		`{"path":"a","limit":0}`:             `limit: minimum: 0 is less than 1`,
		`{"path":"a","limit":10}`:            `limit: maximum: 10 is greater than 9`,
		`{"path":"a","limit":1.5}`:           `limit: type: 1.5 has type "number", want "integer"`,
		`{"path":"a","mode":"none"}`:         `mode: enum: none does not equal any of: [all some]`,
		`{"path":"a","edits":[]}`:            `edits: minItems: array length 0 is less than 1`,
		`{"path":"a","edits":[{"new":"b"}]}`: `edits: `,
		`{"path":"a","edits":[{"old":1}]}`:   `edits: old: type: 1 has type "integer", want "string"`,
		`["a"]`:                              `want "object"`,
		`{"path":"a"`:                        `it is no JSON: `,
		"{\"path\":\"\xff\"}":                `it is no JSON: `,
		`{"path":"a","path":"b"}`:            `it is no JSON: `,
		`{"path":"\ud800"}`:                  `it is no JSON: `,
	} {
		_, err := tool.Prepare(nil, acp.Raw(input))
		if err == nil || !strings.HasPrefix(err.Error(), "the input doesn't fit its schema: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want one with %s", input, err, want)
		}
	}
}

// A member that is null was left out, as models do that have to give every member.
func TestInputIsDecoded(t *testing.T) {
	var got sample
	if _, err := sampleTool(&got).Prepare(nil, acp.Raw(`{"path":"é\n","mode":null,"limit":9.0,"edits":[{"old":"","all":null}]}`)); err != nil {
		t.Fatal(err)
	}
	nine := 9
	want := sample{Path: "é\n", Limit: &nine}
	want.Edits = append(want.Edits, struct {
		Old string `json:"old"`
		All bool   `json:"all,omitzero"`
	}{})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("input (-want +got):\n%s", diff)
	}
}

// A struct that makes no schema is told by every call, rather than by a panic.
func TestInputThatHasNoSchema(t *testing.T) {
	for _, each := range []*Tool{
		define(Tool{Name: "sample"}, func(Env, struct{ F func() }) (*Job, error) { return nil, nil }),
		define(Tool{Name: "sample"}, func(Env, struct {
			N int `json:"n" minimum:"one"`
		}) (*Job, error) {
			return nil, nil
		}),
	} {
		if _, err := each.Prepare(nil, acp.Raw(`{}`)); err == nil || !strings.Contains(err.Error(), "the tool sample is of no use") {
			t.Errorf("got error %v", err)
		}
	}
}
