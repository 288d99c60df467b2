package tool_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// F145: what the user answers, or that they don't, is a result for the model.
func TestF145_Ask(t *testing.T) {
	for _, c := range []struct {
		answer tool.Answer
		want   string
	}{
		{tool.Answer{Chosen: []string{"Red"}}, "The user chose: Red\n"},
		{tool.Answer{Chosen: []string{"Red", "Blue"}, Text: "dark ones"}, "The user chose: Red; Blue\ndark ones"},
		{tool.Answer{Text: "none"}, "The user answered\nnone"},
		{tool.Answer{}, "The user chose nothing\n"},
		{tool.Answer{Refused: "declined to answer"}, "The user declined to answer\n"},
	} {
		p, a := before(t)
		a.answer = func(*tool.Question) (*tool.Answer, error) { return &c.answer, nil }
		job, err := p.prepare(tool.Ask(), `{'question':' Which?\n','options':[{'label':' Red ','description':'like blood'},{'label':'Blue'}],'multiple':true,'free_text':true}`)
		if err != nil {
			t.Fatal(err)
		}
		if job.Title != "Ask: Which?" {
			t.Errorf("title %q", job.Title)
		}
		r, err := job.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		p.wantText(r, c.want)
		if r.Failed {
			t.Error("it failed")
		}
		want := []*tool.Question{{Text: "Which?", Multiple: true, FreeText: true, Options: []tool.QuestionOption{{Label: "Red", Description: "like blood"}, {Label: "Blue"}}}}
		if diff := cmp.Diff(want, a.asked); diff != "" {
			t.Errorf("asked (-want +got):\n%s", diff)
		}
	}
}

// F145: a model that can't ask is told so, and what to do instead.
func TestF145_CannotAsk(t *testing.T) {
	p := at(t)
	r := p.must(tool.Ask(), `{'question':'Why?'}`)
	if !r.Failed || !strings.HasPrefix(r.Text, "Can't ask: the client has no way to ask the user this\n") || !strings.Contains(r.Text, "end your turn") {
		t.Errorf("failed %t: %q", r.Failed, r.Text)
	}
}

func TestAskFails(t *testing.T) {
	p, a := before(t)
	a.answer = func(*tool.Question) (*tool.Answer, error) { return nil, errors.New("the wire is cut") }
	p.wantError(tool.Ask(), `{'question':'Why?'}`, "asking the user: the wire is cut")
	for input, want := range map[string]string{
		`{}`:               `missing properties: ["question"]`,
		`{'question':' '}`: "no question",
		`{'question':'a','options':[{'label':'b'},{'label':' '}]}`:                               "option 2 of the question has no label",
		`{'question':'a','options':[{'label':'b'},{'label':' b'}]}`:                              `the option "b" twice`,
		`{'question':'a','options':[` + strings.Repeat(`{'label':'b'},`, 20) + `{'label':'c'}]}`: "at most 20",
	} {
		p.wantError(tool.Ask(), input, want)
	}
}

// A plan replaces the one before, as a whole.
func TestPlan(t *testing.T) {
	p, a := before(t)
	r := p.must(tool.Plan(), `{'entries':[{'content':'look','status':'completed','priority':'high'},{'content':'do','status':'in_progress'},{'content':'rest'}]}`)
	p.wantText(r, "The plan has 3 steps\n1. look (completed)\n2. do (in_progress)\n3. rest (pending)\n")
	r = p.must(tool.Plan(), `{'entries':[{'content':'do','status':'in_progress'},{'content':'rest','status':'in_progress'}]}`)
	if !strings.Contains(r.Text, "2 steps are in progress at once") || r.Failed {
		t.Errorf("failed %t: %q", r.Failed, r.Text)
	}
	want := [][]acp.PlanEntry{
		{{Content: "look", Priority: "high", Status: "completed"}, {Content: "do", Priority: "medium", Status: "in_progress"}, {Content: "rest", Priority: "medium", Status: "pending"}},
		{{Content: "do", Priority: "medium", Status: "in_progress"}, {Content: "rest", Priority: "medium", Status: "in_progress"}},
	}
	if diff := cmp.Diff(want, a.plans); diff != "" {
		t.Errorf("plans (-want +got):\n%s", diff)
	}
	p.wantError(tool.Plan(), `{'entries':[`+strings.Repeat(`{'content':'a'},`, 100)+`{'content':'a'}]}`, "nobody reads more than 100")
}
