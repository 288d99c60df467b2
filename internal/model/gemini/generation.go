package gemini

import (
	"strings"

	"google.golang.org/genai"

	"github.com/patchbay-dev/patchbay/internal/model"
)

// signing is the first generation of models that thinks by levels, sees the images of results as parts of them, and takes
// no call of its own back without a signature.
const signing = 3

// generation is the number in a model's name: 2 for "gemini-2.5-pro". A name that always means the newest model has one
// that signs; a name of another family has none.
func generation(name string) int {
	version, ok := strings.CutPrefix(strings.TrimPrefix(name, "models/"), "gemini-")
	if !ok {
		return 0
	}
	n := 0
	for len(version) > 0 && version[0] >= '0' && version[0] <= '9' && n < 1000 {
		n = 10*n + int(version[0]-'0')
		version = version[1:]
	}
	if n == 0 {
		return signing
	}
	return n
}

// signs reports whether the model refuses its calls without their signatures.
func (m *gemini) signs() bool { return m.generation >= signing }

// thinking says how much the model is to think, or nil if it isn't to be told.
func (m *gemini) thinking(t model.Thinking) *genai.ThinkingConfig {
	if !m.o.Thinking {
		return nil
	}
	config := &genai.ThinkingConfig{IncludeThoughts: t != model.ThinkingOff}
	if m.generation == 1 || m.generation == 2 {
		config.ThinkingBudget = m.budget(t)
		return config
	}
	switch t {
	case model.ThinkingOff, model.ThinkingLow: // none of them stops thinking, and "minimal" is not everyone's
		config.ThinkingLevel = genai.ThinkingLevelLow
	case model.ThinkingMedium:
		config.ThinkingLevel = genai.ThinkingLevelMedium
	case model.ThinkingHigh:
		config.ThinkingLevel = genai.ThinkingLevelHigh
	}
	return config
}

// budget is how many tokens an older model may think for; the numbers are those of Google's own compatible API. nil leaves
// it to the model.
func (m *gemini) budget(t model.Thinking) *int32 {
	switch t {
	case model.ThinkingOff:
		if strings.Contains(m.o.Model, "pro") {
			return genai.Ptr[int32](128) // it takes no less
		}
		return genai.Ptr[int32](0)
	case model.ThinkingLow:
		return genai.Ptr[int32](1024)
	case model.ThinkingMedium:
		return genai.Ptr[int32](8192)
	case model.ThinkingHigh:
		return genai.Ptr[int32](24576)
	}
	return nil
}
