package catalog

import "regexp"

// AsOf is the day on which the table was last compared with what the vendors say.
const AsOf = "2026-11-28"

const million = 1_000_000

// table lists the main models of the vendors, the newest of each kind first. The names are those of the vendors' own Go
// libraries and model pages; limits and standard prices (short-lived caches, no batches, no priority) are from
//
//   - https://platform.claude.com/docs/en/about-claude/models/overview and .../about-claude/pricing,
//   - https://developers.openai.com/api/docs/models and .../docs/pricing,
//   - https://ai.google.dev/gemini-api/docs/models and .../docs/pricing.
//
// A price with a day at which it changes has two rows.
var table = []row{
	claude("claude-fable-5-2", "Claude Fable 5.2", million, 128_000, flat(8, 40, 0.20, 10)),
	claude("claude-fable-5-1", "Claude Fable 5.1", million, 128_000, flat(10, 50, 0.25, 12.50)),
	claude("claude-opus-5-5", "Claude Opus 5.5", million, 128_000, flat(4, 20, 0.20, 5)),
	claude("claude-opus-5", "Claude Opus 5", million, 128_000, flat(5, 25, 0.50, 6.25)),
	claude("claude-sonnet-5-5", "Claude Sonnet 5.5", million, 128_000, flat(2, 10, 0.10, 2.50)),
	claude("claude-sonnet-5", "Claude Sonnet 5", million, 128_000, flat(2, 10, 0.20, 2.50)),
	claude("claude-haiku-5-5", "Claude Haiku 5.5", million, 128_000,
		stepped(Rates{0.10, 0.50, 0.01, 0.125}, 100_000, Rates{0.50, 2.50, 0.05, 0.625})),
	claude("claude-haiku-4-5", "Claude Haiku 4.5", 200_000, 64_000, flat(1, 5, 0.10, 1.25)),
	claude("claude-opus-4-8", "Claude Opus 4.8", million, 128_000, flat(5, 25, 0.50, 6.25)),
	claude("claude-sonnet-4-6", "Claude Sonnet 4.6", million, 64_000, flat(3, 15, 0.30, 3.75)),

	gpt("gpt-6.2-astra", "GPT-6.2 Astra", 1_050_000, long(Rates{8, 40, 0.40, 10})),
	gpt("gpt-6.2-sol", "GPT-6.2 Sol", 1_050_000, long(Rates{2, 10, 0.10, 2.50})),
	gpt("gpt-6.1-sol", "GPT-6.1 Sol", 1_050_000, long(Rates{2, 10, 0.10, 2.50})),
	gpt("gpt-6.1-terra", "GPT-6.1 Terra", 1_050_000, long(Rates{1, 5, 0.05, 1.25})),
	gpt("gpt-6-astra", "GPT-6 Astra", 1_050_000, long(Rates{10, 50, 1, 12.50})),
	gpt("gpt-6-sol", "GPT-6 Sol", 1_050_000, long(Rates{2, 10, 0.20, 2.50})),
	gpt("gpt-6-luna", "GPT-6 Luna", 1_050_000, long(Rates{0.10, 0.50, 0.01, 0.125})),
	gpt("gpt-5.5", "GPT-5.5", 1_050_000, long(Rates{5, 30, 0.50, 0})),
	gpt("gpt-5.4", "GPT-5.4", 1_050_000, long(Rates{2.50, 15, 0.25, 0})),
	gpt("gpt-5.4-mini", "GPT-5.4 mini", 400_000, flat(0.75, 4.50, 0.075, 0)),

	gemini("gemini-4-neon", "", "Gemini 4 Neon", flat(3, 15, 0.15, 0)),
	gemini("gemini-4-argon", "", "Gemini 4 Argon", flat(2, 10, 0.10, 0)),
	gemini("gemini-4-argon", "2026-12-01", "Gemini 4 Argon", flat(4, 20, 0.20, 0)),
	gemini("gemini-3.8-flash", "", "Gemini 3.8 Flash", flat(0.75, 3.75, 0.075, 0)),
	gemini("gemini-3.8-flash", "2027-01-01", "Gemini 3.8 Flash", flat(1.50, 7.50, 0.15, 0)),
	gemini("gemini-3.1-pro-preview", "", "Gemini 3.1 Pro Preview", stepped(Rates{2, 12, 0.20, 0}, 200_000, Rates{4, 18, 0.40, 0})),
	gemini("gemini-2.5-pro", "", "Gemini 2.5 Pro", stepped(Rates{1.25, 10, 0.125, 0}, 200_000, Rates{2.50, 15, 0.25, 0})),
	gemini("gemini-2.5-flash", "", "Gemini 2.5 Flash", flat(0.30, 2.50, 0.03, 0)),
}

// maxTools are how many tools a request may offer, by the wire format: one with more is refused as a whole. OpenAI's number
// holds for whoever speaks its formats, as far as anybody knows; Anthropic names none.
var maxTools = map[string]int{"responses": 128, "chat": 128, "gemini": 512}

// families say what the models of a family take, for those that are newer than the table. They leave the numbers out.
var families = []struct {
	provider string
	pattern  *regexp.Regexp
	Model
}{
	{"anthropic", regexp.MustCompile(`^claude-`), Model{Images: true, PDF: true}},
	{"openai", regexp.MustCompile(`^gpt-([5-9]|\d\d)`), Model{Images: true}},
	{"gemini", regexp.MustCompile(`^gemini-`), Model{Images: true, Audio: true, PDF: true}},
}

func claude(name, title string, context uint64, answer int, price Price) row {
	return row{"anthropic", name, "", Model{Title: title, ContextTokens: context, MaxTokens: answer, Images: true, PDF: true, Thinking: true, Price: price}}
}

func gpt(name, title string, context uint64, price Price) row {
	return row{"openai", name, "", Model{Title: title, ContextTokens: context, MaxTokens: 128_000, Images: true, PDF: true, Thinking: true, Price: price}}
}

func gemini(name, from, title string, price Price) row {
	return row{"gemini", name, from, Model{Title: title, ContextTokens: 1_048_576, MaxTokens: 65_536, Images: true, Audio: true, PDF: true, Thinking: true, Price: price}}
}

func flat(input, output, read, write float64) Price {
	return Price{Rates: Rates{input, output, read, write}}
}

func stepped(r Rates, over uint64, beyond Rates) Price {
	return Price{Rates: r, Over: over, Beyond: beyond}
}

// long is OpenAI's rule for requests of more than 272,000 tokens: all input at twice its rate, output at one and a half.
func long(r Rates) Price {
	return stepped(r, 272_000, Rates{2 * r.Input, 1.5 * r.Output, 2 * r.CacheRead, 2 * r.CacheWrite})
}
