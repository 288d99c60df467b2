// Package anthropic speaks with the models of Anthropic, and with whatever else speaks the Messages API, on the vendor's own
// library.
//
//	m, err := anthropic.New(anthropic.Options{
//		Model:    "claude-opus-5-5",
//		Key:      os.Getenv("ANTHROPIC_API_KEY"),
//		Thinking: true,
//		Prompt:   acp.PromptCapabilities{Image: true, EmbeddedContext: true},
//	})
//
// The library's own retries and its reading of the environment are off: model.WithRetry and the configuration do that.
//
// # Thinking
//
// The models differ in how they are told to think, and refuse what the others take, so the name of the model decides
// (thinking.go has the table). Their thoughts are signed; an answer that has some ends with a Memo, which is the answer
// in the provider's own blocks, and goes back unchanged. A provider that doesn't accept a thought any more, since
// something before it has changed, is asked once more without the thoughts.
//
// # Caching
//
// The tools, the system prompt and the last two messages of the user are marked for the provider's cache, so a
// conversation that only grows is read from it, whatever the number of calls in a turn.
//
// # How an answer ends
//
//	end_turn, stop_sequence                     StopEnd, or StopCalls if there are calls
//	tool_use                                    StopCalls
//	max_tokens, model_context_window_exceeded   StopMaxTokens; a call that was cut off is left out
//	refusal                                     StopRefusal, with the provider's category and explanation, if it has some
//	pause_turn                                  no end: the model is asked to go on, up to 8 times
//
// A reason that nobody knows yet counts as end_turn if something was said, and is an error if not.
//
// # Servers that imitate the API
//
// They may leave out the names of events, an index, the end of a block and what they have counted before; their calls may
// have one name or none, which they get then, and an input that is no JSON, which makes the call a broken one.
package anthropic
