// Package gemini has Google's models, by the Gemini API.
//
//	m, err := gemini.New(gemini.Options{Model: "gemini-3.5-flash", Key: key, Thinking: true})
//
// What the API has of its own:
//
//   - An answer may have signed parts. They come as a model.Memo and go back as they were, as the API demands of the calls
//     of newer models.
//   - Calls often have no id. They get one here, for whoever runs them, and the API never sees it: it goes by the calls'
//     names and their order.
//   - Newer models are told how much to think by a level, older ones by a number of tokens.
//   - It answers in one of a dozen ways that it will not answer. All of them are a refusal, which says why. A call that it
//     calls malformed is a broken one, so that the model can try again.
//
// Google's library writes the requests. It does not send them, nor read the answers: see library.go.
package gemini
