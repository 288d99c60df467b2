package interop_test

import "github.com/patchbay-dev/patchbay/internal/model/modeltest"

// A fault is a way in which a model's provider fails, and what comes of it: docs/patchbay-agent.md says what the error is,
// docs/run.md with which status the command ends.
type fault struct {
	name    string
	answers []modeltest.Answer // one after the other, the last one again and again; none where nobody listens
	flags   []string           // of `patchbay run`

	code     int
	stop     string // the reason, where it is none of the usual ones
	data     failed // what programs are told, where the code is 1
	message  string // in the error
	said     string // what the user has read by then
	calls    int    // tool calls that were made by then
	requests int    // 0 is any number
	garbage  bool   // whether it is worth another try is the format's to say
}

// failed is the data of an error that a provider is to blame for.
type failed struct {
	Provider           string
	Status, RetryAfter int
	Retryable          bool
}

// fails makes an answer end in a fault.
func fails(a modeltest.Answer, f modeltest.Fault) []modeltest.Answer {
	a.Fault = f
	return []modeltest.Answer{a}
}

var (
	words   = modeltest.Answer{Text: "one two three"}
	calling = modeltest.Answer{Text: "Writing.", Calls: []modeltest.Called{{Name: "write", Input: `{"path":"new.txt","text":"never"}`}}}
	looking = modeltest.Answer{Text: "Looking.", Calls: []modeltest.Called{{Name: "list", Input: `{"path":"."}`}}}
)

// final are the faults that end a turn as soon as they happen, or after pauses that the provider sets.
var final = []fault{
	{
		name: "a wrong key", answers: fails(words, modeltest.Fault{Status: 401, Message: "no such key: a-key"}),
		code: 1, data: failed{Status: 401}, message: "failed with status 401: no such key", requests: 1,
	},
	{
		name: "too much, for an hour", answers: fails(words, modeltest.Fault{Status: 429, RetryAfter: "3600"}),
		code: 1, data: failed{Status: 429, RetryAfter: 3600, Retryable: true}, message: "status 429: stub says no", requests: 1,
	},
	{
		name: "too much, for a moment, five times", answers: fails(words, modeltest.Fault{Status: 429, RetryAfter: "0.01"}),
		code: 1, data: failed{Status: 429, RetryAfter: 1, Retryable: true}, message: "status 429: stub says no", requests: 5,
	},
	{
		name: "a broken server, five times", answers: fails(words, modeltest.Fault{Status: 500, RetryAfter: "0.01"}),
		code: 1, data: failed{Status: 500, RetryAfter: 1, Retryable: true}, message: "status 500: stub says no", requests: 5,
	},
	{
		name: "cut in mid-word", answers: fails(words, modeltest.Fault{At: 1, Cut: true}),
		code: 1, data: failed{Retryable: true}, message: "failed", said: "one", requests: 1,
	},
	{
		name: "cut at the last word", answers: fails(words, modeltest.Fault{At: 2, Cut: true}),
		code: 1, data: failed{Retryable: true}, message: "failed", said: "one two", requests: 1,
	},
	{
		name: "cut before a call", answers: fails(calling, modeltest.Fault{At: 1, Cut: true}),
		code: 1, data: failed{Retryable: true}, message: "failed", said: "Writing.", requests: 1,
	},
	{
		name: "cut in mid-call", answers: fails(calling, modeltest.Fault{At: 2, Cut: true}),
		code: 1, data: failed{Retryable: true}, message: "failed", said: "Writing.", requests: 1,
	},
	{
		name: "garbage in mid-word", answers: fails(words, modeltest.Fault{At: 1, Garbage: true}), garbage: true,
		code: 1, message: "failed", said: "one", requests: 1,
	},
	{
		name: "garbage in mid-call", answers: fails(calling, modeltest.Fault{At: 2, Garbage: true}), garbage: true,
		code: 1, message: "failed", said: "Writing.", requests: 1,
	},
	{
		name: "a wrong key after a call", answers: append([]modeltest.Answer{looking}, fails(words, modeltest.Fault{Status: 401})...),
		code: 1, data: failed{Status: 401}, message: "failed with status 401", said: "Looking.", calls: 1, requests: 2,
	},
	{
		name: "cut in mid-word after a call", answers: append([]modeltest.Answer{looking}, fails(words, modeltest.Fault{At: 1, Cut: true})...),
		code: 1, data: failed{Retryable: true}, message: "failed", said: "Looking.\n\none", calls: 1, requests: 2,
	},
}

// passing are faults that another request gets over.
var passing = []fault{
	{
		name: "too much at first", answers: append(fails(words, modeltest.Fault{Status: 429}), words),
		said: "one two three", requests: 2,
	},
	{
		name: "cut before the first word", answers: append(fails(words, modeltest.Fault{Cut: true}), words),
		said: "one two three", requests: 2,
	},
}

// lasting are the faults that the agent tries to get over in vain, with pauses of 7.5 s in all.
var lasting = []fault{
	{
		name: "nobody listens",
		code: 1, data: failed{Retryable: true}, message: "refused",
	},
	{
		name: "too much, nobody says how long", answers: fails(words, modeltest.Fault{Status: 429}),
		code: 1, data: failed{Status: 429, Retryable: true}, message: "status 429: stub says no", requests: 5,
	},
	{
		name: "always cut before the first word", answers: fails(words, modeltest.Fault{Cut: true}),
		code: 1, data: failed{Retryable: true}, message: "failed", requests: 5,
	},
	{
		name: "garbage before the first word", answers: fails(words, modeltest.Fault{Garbage: true}), garbage: true,
		code: 1, message: "failed",
	},
}

// silent are providers that say nothing more. The agent gives them five minutes, the user as long as --timeout says.
var silent = []fault{
	{
		name: "silent from the start", answers: fails(words, modeltest.Fault{Silent: true}), flags: []string{"--timeout", "3s"},
		code: 124, message: "--timeout", requests: 1,
	},
	{
		name: "silent in mid-word", answers: fails(words, modeltest.Fault{At: 1, Silent: true}), flags: []string{"--timeout", "3s"},
		code: 124, message: "--timeout", said: "one", requests: 1,
	},
	{
		name: "silent in mid-call", answers: fails(calling, modeltest.Fault{At: 2, Silent: true}), flags: []string{"--timeout", "3s"},
		code: 124, message: "--timeout", said: "Writing.", requests: 1,
	},
}

// odd are ends of a turn that are no faults, and that scripts have to tell from success.
var odd = []fault{
	{
		name: "a refusal", answers: []modeltest.Answer{{Text: "I won't.", Stop: "refusal"}},
		code: 7, stop: "refusal", message: "refused", said: "I won't.", requests: 1,
	},
	{
		name: "no more tokens", answers: []modeltest.Answer{{Text: "one two", Stop: "max_tokens"}},
		code: 8, stop: "max_tokens", message: "limit of tokens", said: "one two", requests: 1,
	},
	{
		name: "no end of calls", answers: []modeltest.Answer{looking},
		code: 9, stop: "max_turn_requests", message: "limit of model requests", calls: 200, requests: 200,
	},
}
