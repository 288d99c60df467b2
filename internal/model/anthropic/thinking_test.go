package anthropic_test

import (
	"fmt"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// The models refuse the ways of others, so each gets its own: the vendor's "Thinking support, defaults, and rejected
// configurations by model".
func TestThinkingByModel(t *testing.T) {
	const (
		adaptive = `{"display":"summarized","type":"adaptive"}`
		disabled = `{"type":"disabled"}`
		nothing  = ``
	)
	effort := func(thinking, level string) string { return thinking + ` {"effort":"` + level + `"}` }
	budget := func(n int) string { return fmt.Sprintf(`{"budget_tokens":%d,"type":"enabled"}`, n) }
	type levels struct{ def, off, low, high string }
	for name, want := range map[string]levels{
		"claude-opus-5-5":            {adaptive, effort(adaptive, "low"), effort(adaptive, "low"), effort(adaptive, "high")},
		"claude-fable-5-2":           {adaptive, effort(adaptive, "low"), effort(adaptive, "low"), effort(adaptive, "high")},
		"claude-fable-5":             {adaptive, effort(adaptive, "low"), effort(adaptive, "low"), effort(adaptive, "high")},
		"claude-mythos-preview":      {adaptive, effort(adaptive, "low"), effort(adaptive, "low"), effort(adaptive, "high")},
		"claude-sonnet-5-5":          {adaptive, `{"type":"between_tools"}`, effort(adaptive, "low"), effort(adaptive, "high")},
		"claude-haiku-5-5":           {adaptive, disabled, effort(adaptive, "low"), effort(adaptive, "high")},
		"claude-opus-5":              {adaptive, disabled, effort(adaptive, "low"), effort(adaptive, "high")},
		"claude-sonnet-5":            {adaptive, disabled, effort(adaptive, "low"), effort(adaptive, "high")},
		"claude-opus-6-1":            {adaptive, effort(adaptive, "low"), effort(adaptive, "low"), effort(adaptive, "high")},
		"claude-opus-4-8":            {nothing, disabled, effort(adaptive, "low"), effort(adaptive, "high")},
		"anthropic/claude-opus-4.6":  {nothing, disabled, effort(adaptive, "low"), effort(adaptive, "high")},
		"claude-opus-4-5":            {nothing, disabled, budget(4000), budget(24000)},
		"claude-haiku-4-5-20251001":  {nothing, disabled, budget(4000), budget(24000)},
		"claude-sonnet-4-20250514":   {nothing, disabled, budget(4000), budget(24000)},
		"claude-3-7-sonnet-latest":   {nothing, disabled, budget(4000), budget(24000)},
		"claude-3-5-haiku-20241022":  {nothing, nothing, nothing, nothing},
		"glm-4.6":                    {nothing, disabled, budget(4000), budget(24000)},
		"claude-haiku-4-5@20251001":  {nothing, disabled, budget(4000), budget(24000)},
		"Claude-Sonnet-4-5":          {nothing, disabled, budget(4000), budget(24000)},
		"us.anthropic.claude-opus-5": {adaptive, disabled, effort(adaptive, "low"), effort(adaptive, "high")},
	} {
		t.Run(name, func(t *testing.T) {
			for level, want := range map[model.Thinking]string{
				model.ThinkingDefault: want.def, model.ThinkingOff: want.off, model.ThinkingLow: want.low, model.ThinkingHigh: want.high,
			} {
				got, header := thinking(t, name, level, 0, true)
				if got != want {
					t.Errorf("%q: got %s, want %s", level, got, want)
				}
				if interleaved := want == budget(4000) && name != "glm-4.6"; interleaved && header != "interleaved-thinking-2025-05-14" {
					t.Errorf("%q: the header is %q", level, header)
				}
			}
		})
	}
}

// thinking returns what a request says of thinking and effort, and the features that its header asks for.
func thinking(t *testing.T, name string, level model.Thinking, maxTokens int, can bool) (said, header string) {
	t.Helper()
	s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "yes"}))
	o := options(s.URL)
	o.Model, o.Thinking = name, can
	h := listen(t.Context(), newModel(t, o), &model.Request{Messages: []model.Message{user("x")}, Thinking: level, MaxTokens: maxTokens})
	if h.err != nil {
		t.Fatal(h.err)
	}
	var body struct {
		Thinking jsontext.Value `json:"thinking"`
		Output   jsontext.Value `json:"output_config"`
	}
	if err := json.Unmarshal(s.Last().Body, &body); err != nil {
		t.Fatal(err)
	}
	said = string(body.Thinking)
	if body.Output != nil {
		said += " " + string(body.Output)
	}
	return said, s.Last().Header.Get("Anthropic-Beta")
}

// A budget is below the limit of the answer, and at least what the API takes; else there is none.
func TestBudgetFitsIntoTheAnswer(t *testing.T) {
	for limit, want := range map[int]string{
		8_000: `{"budget_tokens":6000,"type":"enabled"}`,
		1_366: ``,
		1_400: `{"budget_tokens":1050,"type":"enabled"}`,
	} {
		if got, _ := thinking(t, "claude-haiku-4-5", model.ThinkingHigh, limit, true); got != want {
			t.Errorf("%d: got %s, want %s", limit, got, want)
		}
	}
}

func TestModelThatCannotThinkIsNotAsked(t *testing.T) {
	for _, level := range []model.Thinking{model.ThinkingDefault, model.ThinkingOff, model.ThinkingHigh} {
		if got, _ := thinking(t, "claude-opus-5-5", level, 0, false); got != "" {
			t.Errorf("%q: got %s", level, got)
		}
	}
}
