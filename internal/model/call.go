package model

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
)

const (
	maxQuoted = 200 // bytes of an input that can't be read are repeated
	maxName   = 64  // bytes of a tool's name are what every provider takes

	// unnamed is what a call is named that names no tool: every provider refuses a conversation with an empty name.
	unnamed = "unnamed"
)

// Calls makes the calls of an answer, such that every provider takes them back: one that refuses a call refuses the
// conversation for good.
type Calls struct {
	ids   map[string]bool // that are taken
	tools map[string]bool
}

// NewCalls returns what makes the calls of the answer to a request.
func NewCalls(r *Request) *Calls {
	c := &Calls{ids: map[string]bool{}, tools: map[string]bool{}}
	for _, m := range r.Messages {
		for _, call := range m.Calls {
			c.ids[call.ID] = true
		}
	}
	for _, t := range r.Tools {
		c.tools[t.Name] = true
	}
	return c
}

// New returns a call as a model has written it.
//
//   - Its ID is id, unless that is empty or names a call of the conversation already: there are servers that name their calls
//     not at all, or count them anew in each answer.
//   - An input that is missing, or null, is an empty object. What is no object makes the call Broken.
//   - A name of no tool has only letters, digits, "_" and "-", and 64 of them at most, so that the provider takes the call
//     back. A call without a name is Broken.
func (c *Calls) New(id, name, input string) *Call {
	call := &Call{ID: c.unique(id), Name: c.named(name), Input: acp.Raw("{}")}
	text := strings.TrimSpace(input)
	switch {
	case name == "":
		call.Broken = fmt.Sprintf("The call names no tool; its input is: %s. Make the call again, with the name of the tool.", quoted(text))
	case text == "", text == "null":
	case IsObject([]byte(text)):
		call.Input = acp.Raw(text)
	default:
		call.Broken = fmt.Sprintf("The input of the call is no JSON object: %s. Make the call again, with an input that is one.", quoted(text))
	}
	return call
}

func (c *Calls) unique(id string) string {
	if id == "" || c.ids[id] {
		id = "call_" + strings.ToLower(rand.Text())
	}
	c.ids[id] = true
	return id
}

func (c *Calls) named(name string) string {
	if name == "" {
		return unnamed
	}
	if c.tools[name] {
		return name
	}
	if first := name[0]; first >= '0' && first <= '9' || first == '-' { // Gemini's names don't begin so
		name = "_" + name
	}
	return PlainName(name[:min(len(name), maxName)])
}

// PlainName returns a name in which everything but letters of English, digits, "_" and "-" is a "_".
func PlainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, name)
}

// quoted is the beginning of a text, and its end: what is wrong with JSON is at either.
func quoted(text string) string {
	if len(text) <= maxQuoted {
		return strings.ToValidUTF8(text, "\uFFFD")
	}
	head, tail := maxQuoted/2, len(text)-maxQuoted/2
	for !utf8.RuneStart(text[head]) {
		head--
	}
	for !utf8.RuneStart(text[tail]) {
		tail++
	}
	return strings.ToValidUTF8(text[:head]+" … "+text[tail:], "\uFFFD")
}

// IsObject reports whether an input is a JSON object, as models write it: with invalid UTF-8 or a name that comes twice it
// still is one.
func IsObject(input []byte) bool {
	v := jsontext.Value(bytes.TrimSpace(input))
	return v.Kind() == '{' && v.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// Arguments returns Input, or an empty object if there is none.
func (c *Call) Arguments() acp.Raw {
	if len(c.Input) == 0 {
		return acp.Raw("{}")
	}
	return c.Input
}

// CheckCalls reports whether the calls of a conversation are such as every provider insists on, in words that help more than
// theirs: each has a name of its own within its message, an object for input, and its result right after it, in the same
// order; and there is no result without a call.
func CheckCalls(messages []Message) error {
	var calls []*Call // of the message before
	for i, m := range messages {
		err := m.checkResults(calls)
		if err == nil {
			err = m.checkCalls()
		}
		if err != nil {
			return fmt.Errorf("message %d of the conversation: %w", i+1, err)
		}
		calls = m.Calls
	}
	if len(calls) > 0 {
		return errors.New("the conversation ends with calls that have no results")
	}
	return nil
}

func (m Message) checkResults(calls []*Call) error {
	if len(m.Results) != len(calls) {
		return fmt.Errorf("there are %d results for the %d calls of the message before", len(m.Results), len(calls))
	}
	for i, call := range calls {
		if got := m.Results[i].CallID; got != call.ID {
			return fmt.Errorf("there is a result for the call %q where that for %q of %s should be", got, call.ID, call.Name)
		}
	}
	return nil
}

func (m Message) checkCalls() error {
	if len(m.Calls) > 0 && m.Role != RoleAssistant {
		return errors.New("it has calls, and is not the model's")
	}
	seen := make(map[string]bool, len(m.Calls))
	for _, c := range m.Calls {
		if seen[c.ID] {
			return fmt.Errorf("two calls are named %q", c.ID)
		}
		seen[c.ID] = true
		if !IsObject(c.Arguments()) {
			return fmt.Errorf("the input of the call %q of %s is no JSON object", c.ID, c.Name)
		}
	}
	return nil
}
