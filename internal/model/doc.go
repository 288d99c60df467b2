// Package model has the language models that the built-in agent can speak with, behind one small interface: a
// conversation and a list of tools go in, a stream of events comes out.
//
//	for event, err := range m.Stream(ctx, &model.Request{Messages: messages, Tools: tools}) {
//		if err != nil {
//			return err // the provider failed; nothing more comes
//		}
//		switch e := event.(type) {
//		case model.Text:
//			turn.Text(string(e))
//		case *model.Call:
//			calls = append(calls, e)
//		case model.Stop:
//			reason = e.Reason
//		}
//	}
//
// A model says what it wants done and never does it: running tools, asking for permission and telling the client are the
// business of whoever calls it.
//
// The models themselves are in packages of their own, a provider each: anthropic, openai, gemini, and offline, which has no
// network, no key and no intelligence, and carries out a small command language with the same tools that the others get.
// WithRetry makes any of them patient.
package model
