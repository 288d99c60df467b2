// Package modeltest has language models for tests: a local HTTP server that streams scripted answers in the wire formats of
// the real providers, faults included.
//
//	s := modeltest.New(t, modeltest.Script(
//		modeltest.Answer{Calls: []modeltest.Called{{Name: "read", Input: `{"path":"main.go"}`}}},
//		modeltest.Answer{Text: "It is a program."},
//	))
//	t.Setenv("ANTHROPIC_BASE_URL", s.URL)
package modeltest
