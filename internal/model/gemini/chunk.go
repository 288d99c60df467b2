package gemini

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// lenient is how we read what servers write.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// A chunk is an event of an answer. Its parts are kept as they came: the API wants some of them again.
type chunk struct {
	Candidates []struct {
		Index   int `json:"index"`
		Content struct {
			Parts []acp.Raw `json:"parts"`
		} `json:"content"`
		FinishReason  string   `json:"finishReason"`
		FinishMessage string   `json:"finishMessage"`
		Ratings       []rating `json:"safetyRatings"`
	} `json:"candidates"`
	Feedback struct {
		BlockReason  string   `json:"blockReason"`
		BlockMessage string   `json:"blockReasonMessage"`
		Ratings      []rating `json:"safetyRatings"`
	} `json:"promptFeedback"`
	Usage *usage  `json:"usageMetadata"`
	Error acp.Raw `json:"error"`
}

// A rating says that a filter has stepped in, if it is Blocked.
type rating struct {
	Category string `json:"category"`
	Blocked  bool   `json:"blocked"`
}

// why puts together what a provider says about a refusal.
func why(reason, message string, ratings []rating) string {
	said := []string{reason}
	for _, r := range ratings {
		if r.Blocked {
			said = append(said, r.Category)
		}
	}
	if message != "" {
		said = append(said, message)
	}
	return strings.Join(said, ": ")
}

// A usage counts the tokens of all that has been said so far.
type usage struct {
	Prompt     int64 `json:"promptTokenCount"`
	ToolPrompt int64 `json:"toolUsePromptTokenCount"`
	Candidates int64 `json:"candidatesTokenCount"`
	Thoughts   int64 `json:"thoughtsTokenCount"`
	Cached     int64 `json:"cachedContentTokenCount"`
}

func (u *usage) event() model.Usage {
	return model.Usage{
		InputTokens:      count(u.Prompt) + count(u.ToolPrompt),
		OutputTokens:     count(u.Candidates) + count(u.Thoughts),
		ThoughtTokens:    count(u.Thoughts),
		CachedReadTokens: count(u.Cached),
	}
}

func count(n int64) uint64 { return uint64(max(0, n)) }

// A part is a piece of an answer: text, a thought or a call.
type part struct {
	raw       acp.Raw
	Text      string `json:"text"`
	Thought   bool   `json:"thought"`
	Signature string `json:"thoughtSignature"`
	Call      *struct {
		ID   string  `json:"id"`
		Name string  `json:"name"`
		Args acp.Raw `json:"args"`
	} `json:"functionCall"`
}

func partOf(raw acp.Raw) (*part, error) {
	p := &part{raw: raw}
	return p, json.Unmarshal(raw, p, lenient)
}

// written is what the model has written for the input of the part's call: an object, or a string that has one in it.
func (p *part) written() string {
	var text string
	if p.Call.Args.Kind() == '"' && json.Unmarshal(p.Call.Args, &text, lenient) == nil {
		return text
	}
	return string(p.Call.Args)
}

// named changes the raw part to what has become of its call. The API never sees an id that is only ours.
func (p *part) named(c *model.Call) {
	var whole, call map[string]acp.Raw
	if json.Unmarshal(p.raw, &whole, lenient) != nil || json.Unmarshal(whole["functionCall"], &call, lenient) != nil {
		return // it was an object with an object in it a moment ago
	}
	call["name"], call["args"] = quote(c.Name), c.Input
	delete(call, "id")
	if id := apiID(c.ID); id != "" {
		call["id"] = quote(id)
	}
	whole["functionCall"] = marshal(call)
	p.raw = marshal(whole)
}

func quote(s string) acp.Raw { return marshal(s) }

// marshal writes strings, and objects of what has been read, which can't fail.
func marshal(v any) acp.Raw {
	data, err := json.Marshal(v, json.Deterministic(true), lenient)
	if err != nil {
		return acp.Raw("null")
	}
	return data
}
