package anthropic

import (
	"regexp"
	"strconv"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/shared/constant"

	"github.com/patchbay-dev/patchbay/internal/model"
)

// A style is how a model is told to think.
type style int

const (
	styleForeign  style = iota // not of this vendor: a budget, without the vendor's extras
	styleNone                  // before 3.7: it can't
	styleBudget                // 3.7 to 4.5: a budget of tokens, and no thoughts without one
	styleAdaptive              // 4.6 to 4.8: adaptive and an effort; no thoughts unless asked
	styleDefault               // 5 and later: adaptive unless told otherwise
)

// An off is how a model that thinks by default is told not to.
type off int

const (
	offDisabled     off = iota // "disabled"
	offBetweenTools            // "between_tools": it writes notes between its calls and thinks no further
	offNever                   // it can't be told; the least effort comes closest
)

// A generation is what the name of a model says about its thinking. What the vendor's documentation lists per model, and
// assumes of the models to come what holds for the last of their line:
//
//	3.7 … 4.5                             budget
//	4.6 … 4.8                             adaptive, off unless asked, disabled
//	Opus 5, Sonnet 5, Haiku 5 and later   adaptive, disabled
//	Sonnet 5.5 and later                  adaptive, between_tools
//	Opus 5.5 and later, Fable, Mythos     adaptive, always
type generation struct {
	style style
	off   off
}

// modelName finds the line and the version in the names of the models: claude-opus-4-5-20251101, claude-3-7-sonnet-latest,
// anthropic/claude-sonnet-4.6. A date is no version.
var modelName = regexp.MustCompile(`claude-(?:(opus|sonnet|haiku|fable|mythos)-)?(\d{1,2})(?:[-.](\d{1,2}))?(?:\D|$)`)

func generationOf(name string) generation {
	name = strings.ToLower(name)
	match := modelName.FindStringSubmatch(name)
	if match == nil {
		if strings.Contains(name, "claude") {
			return generation{styleDefault, offNever} // a preview, or a name that is yet to come
		}
		return generation{style: styleForeign}
	}
	line := match[1]
	major, _ := strconv.Atoi(match[2])
	minor, _ := strconv.Atoi(match[3])
	switch version := 100*major + minor; {
	case version < 307:
		return generation{style: styleNone}
	case version < 406:
		return generation{style: styleBudget}
	case version < 500:
		return generation{style: styleAdaptive}
	case line == "haiku", version < 505 && (line == "opus" || line == "sonnet"):
		return generation{styleDefault, offDisabled}
	case line == "sonnet":
		return generation{styleDefault, offBetweenTools}
	}
	return generation{styleDefault, offNever}
}

// budgets are the tokens for thinking of the models that want a number.
var budgets = map[model.Thinking]int64{
	model.ThinkingLow:    4_000,
	model.ThinkingMedium: 12_000,
	model.ThinkingHigh:   24_000,
}

// minBudget is the least that the API takes.
const minBudget = 1024

// efforts are the names of the levels for the models that are told an effort.
var efforts = map[model.Thinking]sdk.OutputConfigEffort{
	model.ThinkingLow:    sdk.OutputConfigEffortLow,
	model.ThinkingMedium: sdk.OutputConfigEffortMedium,
	model.ThinkingHigh:   sdk.OutputConfigEffortHigh,
}

// think says in a request how much to think. The request has its limit of tokens already.
func (g generation) think(level model.Thinking, body *sdk.MessageNewParams) {
	switch g.style {
	case styleForeign, styleBudget:
		g.budget(level, body)
	case styleAdaptive:
		if level != model.ThinkingDefault {
			g.adapt(level, body)
		}
	case styleDefault:
		g.adapt(level, body)
	}
}

// budget leaves at least a quarter of the answer for what is said: a budget must be below the limit.
func (g generation) budget(level model.Thinking, body *sdk.MessageNewParams) {
	switch level {
	case model.ThinkingDefault:
	case model.ThinkingOff:
		body.Thinking.OfDisabled = disabled()
	default:
		if tokens := min(budgets[level], body.MaxTokens/4*3); tokens >= minBudget {
			body.Thinking = sdk.ThinkingConfigParamOfEnabled(tokens)
		}
	}
}

// adapt asks for the thoughts too: the later models keep them to themselves unless told to show a summary.
func (g generation) adapt(level model.Thinking, body *sdk.MessageNewParams) {
	if level == model.ThinkingOff {
		switch g.off {
		case offDisabled:
			body.Thinking.OfDisabled = disabled()
			return
		case offBetweenTools:
			body.Thinking.OfBetweenTools = &sdk.ThinkingConfigBetweenToolsParam{Type: constant.ValueOf[constant.BetweenTools]()}
			return
		}
		level = model.ThinkingLow
	}
	body.Thinking.OfAdaptive = &sdk.ThinkingConfigAdaptiveParam{Display: sdk.ThinkingConfigAdaptiveDisplaySummarized}
	body.OutputConfig.Effort = efforts[level]
}

func disabled() *sdk.ThinkingConfigDisabledParam {
	d := sdk.NewThinkingConfigDisabledParam()
	return &d
}
