package config

import (
	"fmt"
	"strings"
)

// An Error is something that can't be right, and where it is.
type Error struct {
	At      Source
	Message string
}

// Error says the place first, as compilers do.
func (e *Error) Error() string {
	if e.At.Line > 0 {
		return fmt.Sprintf("%s:%d:%d: %s", e.At.File, e.At.Line, e.At.Column, e.Message)
	}
	return e.At.String() + ": " + e.Message
}

// An UnknownProviderError says that there is no such provider.
type UnknownProviderError struct {
	Name  string
	Known []string // sorted
}

func (e *UnknownProviderError) Error() string {
	hint := "known are " + strings.Join(e.Known, ", ")
	if near := Nearest(e.Name, e.Known); near != "" {
		hint = fmt.Sprintf("did you mean %q? %s", near, hint)
	}
	return fmt.Sprintf("there is no provider %q; %s; others are described in patchbay.toml, as [providers.NAME]", e.Name, hint)
}

// A MissingKeyError says that a provider needs a key that nobody has given.
type MissingKeyError struct {
	Provider string
	Env      []string // the variables that would hold it, the usual one first
	Cause    error    // why the keys file could not be read, or nil
}

func (e *MissingKeyError) Error() string {
	ways := fmt.Sprintf("run `patchbay login %s`", e.Provider)
	if len(e.Env) > 0 {
		ways = "set " + e.Env[0] + ", or " + ways
	}
	text := fmt.Sprintf("the provider %s needs a key: %s", e.Provider, ways)
	if e.Cause != nil {
		text += "; the stored keys can't be used: " + e.Cause.Error()
	}
	return text
}

// Unwrap returns why the keys file could not be read, if that is it.
func (e *MissingKeyError) Unwrap() error { return e.Cause }

// An UntrustedURLError says that a project's file would send the conversation somewhere that the user has not agreed to.
type UntrustedURLError struct {
	Provider string
	URL      Value[string]
	UserFile string
}

func (e *UntrustedURLError) Error() string {
	return fmt.Sprintf("%s sends the conversation with %s to %s; if that is right, write trusted_urls = [%q] in %s",
		e.URL.From, e.Provider, e.URL.Value, e.URL.Value, e.UserFile)
}
