package main

import "errors"

// A given is a word of the command line that says which one is meant, of sessions or files. An empty one is refused: in a script whose
// variable is empty, it would silently mean none, and so begin a new session, or leave out a file, a policy or a log.
type given string

// UnmarshalText takes what was typed.
func (g *given) UnmarshalText(text []byte) error {
	if *g = given(text); *g == "" {
		return errors.New("what is named is empty")
	}
	return nil
}
