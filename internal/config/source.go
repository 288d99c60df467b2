package config

import (
	"fmt"
)

// A Kind is a place that values come from.
type Kind string

// The places, from the weakest to the strongest.
const (
	Default     Kind = "default"
	UserFile    Kind = "user file"
	ProjectFile Kind = "project file"
	KeysFile    Kind = "keys file"
	PolicyFile  Kind = "policy file" // which only Patchbay's client reads
	Environment Kind = "environment"
	Flag        Kind = "flag"
)

// A Source says where a value came from. The zero Source is the default.
type Source struct {
	Kind Kind

	// Name is the variable's or the flag's: "OPENAI_BASE_URL", "--model".
	Name string

	// File, Line and Column are where a file says it. Line and Column count from 1, Column in bytes; both are 0 for the keys
	// file.
	File         string
	Line, Column int
}

// String says it for people: "default", "environment OPENAI_BASE_URL", "project file /p/patchbay.toml:3".
func (s Source) String() string {
	switch {
	case s.Kind == "":
		return string(Default)
	case s.Line > 0:
		return fmt.Sprintf("%s %s:%d", s.Kind, s.File, s.Line)
	case s.File != "":
		return string(s.Kind) + " " + s.File
	case s.Name != "":
		return string(s.Kind) + " " + s.Name
	}
	return string(s.Kind)
}

// A Value is a setting's value and where it came from.
type Value[T any] struct {
	Value T
	From  Source
}
