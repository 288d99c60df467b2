package agent

import (
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// What a user can be asked in the place of a form: more would be a nuisance and no form.
const (
	maxQuestions = 4
	maxChoices   = 20
)

// A form is what is left of an elicitation's form where all that the user can do is to choose.
type form struct {
	heading   []string // the schema's title and description
	questions []question
	given     map[string]acp.ElicitationContentValue // fields that take their defaults, unasked
	notes     []string                               // that say so
}

// A question is a field of a form that is answered by choosing.
type question struct {
	name        string // empty for one that only asks for consent
	label       string
	description string
	choices     []choice
}

// A choice is an answer. One without a value leaves the field out.
type choice struct {
	name        string
	description string
	value       acp.ElicitationContentValue
}

// choicesOnly returns the questions that stand for a form: one for each field that is a choice. Other fields take their
// defaults, which the user is shown, or are left out if they may be. It returns nil if that gives no honest answer:
// because a field must be filled in and has no default, there is nothing to ask at all, or too much.
func choicesOnly(schema *acp.ElicitationSchema) *form {
	f := &form{given: map[string]acp.ElicitationContentValue{}}
	for _, line := range []string{schema.Title, schema.Description} {
		if line != "" {
			f.heading = append(f.heading, line)
		}
	}
	for _, property := range schema.Properties {
		if !f.add(property, slices.Contains(schema.Required, property.Name)) {
			return nil
		}
	}
	for _, name := range schema.Required {
		if schema.Properties.Get(name) == nil {
			return nil
		}
	}
	if len(f.questions) == 0 && (len(f.given) > 0 || len(schema.Properties) == 0) {
		f.questions = []question{{choices: []choice{{name: "Accept"}}}}
	}
	if len(f.questions) == 0 || len(f.questions) > maxQuestions {
		return nil
	}
	return f
}

// add adds a field, and reports whether that is possible.
func (f *form) add(property acp.ElicitationProperty, required bool) bool {
	q := question{name: property.Name, label: property.Name}
	fallback, known := q.read(property.Schema)
	if len(q.choices) > maxChoices {
		return false
	}
	if len(q.choices) == 0 {
		if known {
			f.given[q.name] = fallback
			f.notes = append(f.notes, fmt.Sprintf("%s: %s", q.label, plain(fallback)))
		}
		return known || !required
	}
	// The default comes first: a client that allows everything unasked takes the first option.
	if i := slices.IndexFunc(q.choices, func(c choice) bool { return known && string(c.value.Raw) == string(fallback.Raw) }); i > 0 {
		standard := q.choices[i]
		q.choices = slices.Insert(slices.Delete(q.choices, i, i+1), 0, standard)
	}
	if !required {
		q.choices = append(q.choices, choice{name: "Skip"})
	}
	f.questions = append(f.questions, q)
	return true
}

// read takes over what a field's schema says, and returns the default if there is one.
func (q *question) read(schema acp.ElicitationPropertySchema) (fallback acp.ElicitationContentValue, known bool) {
	title := ""
	switch s := schema.(type) {
	case *acp.BooleanPropertySchema:
		title, q.description = s.Title, s.Description
		q.choices = []choice{{name: "Yes", value: acp.BooleanValue(true)}, {name: "No", value: acp.BooleanValue(false)}}
		if known = s.Default != nil; known {
			fallback = acp.BooleanValue(*s.Default)
		}
	case *acp.StringPropertySchema:
		title, q.description = s.Title, s.Description
		q.choices = choicesOf(s)
		fallback, known = acp.StringValue(s.Default), s.Default != ""
	case *acp.NumberPropertySchema:
		title, q.description = s.Title, s.Description
		if known = s.Default != nil; known {
			fallback = acp.NumberValue(*s.Default)
		}
	case *acp.IntegerPropertySchema:
		title, q.description = s.Title, s.Description
		if known = s.Default != nil; known {
			fallback = acp.IntegerValue(*s.Default)
		}
	case *acp.MultiSelectPropertySchema:
		title, q.description = s.Title, s.Description
		fallback, known = acp.StringsValue(s.Default...), s.Default != nil
	}
	if title != "" {
		q.label = title
	}
	return fallback, known
}

func choicesOf(s *acp.StringPropertySchema) []choice {
	var choices []choice
	for _, option := range s.OneOf {
		choices = append(choices, choice{option.Title, option.Description, acp.StringValue(option.Const)})
	}
	if len(choices) > 0 {
		return choices
	}
	for _, value := range s.Enum {
		choices = append(choices, choice{name: value, value: acp.StringValue(value)})
	}
	return choices
}

// title is the question in one line: what is asked for, and the field if there are several.
func (q *question) title(message string, questions int) string {
	line := firstLine(message)
	switch {
	case line == "" && q.label == "":
		return "The agent asks for your consent"
	case line == "":
		return q.label
	case questions == 1 || q.label == "":
		return line
	}
	return line + " " + q.label
}

// details is what else the user has to know.
func (q *question) details(message string, f *form) string {
	var lines []string
	if strings.TrimSpace(message) != firstLine(message) {
		lines = append(lines, message)
	}
	lines = append(lines, f.heading...)
	switch {
	case q.description != "":
		lines = append(lines, q.label+": "+q.description)
	case q.label != "":
		lines = append(lines, q.label)
	}
	for _, c := range q.choices {
		if c.description != "" {
			lines = append(lines, "* "+c.name+": "+c.description)
		}
	}
	if len(f.notes) > 0 {
		lines = append(lines, "Taken as it is: "+strings.Join(f.notes, ", "))
	}
	return strings.Join(lines, "\n")
}

// options are the choices for a permission request.
func (q *question) options() []acp.PermissionOption {
	options := make([]acp.PermissionOption, len(q.choices))
	for i, c := range q.choices {
		options[i] = acp.PermissionOption{OptionID: choiceID(i), Name: c.name, Kind: acp.PermissionOptionKindAllowOnce}
	}
	return options
}

func choiceID(i int) acp.PermissionOptionID {
	return acp.PermissionOptionID(fmt.Sprintf("choice_%d", i+1))
}

// value is what an option stands for, if it is a value.
func (q *question) value(id acp.PermissionOptionID) (value acp.ElicitationContentValue, ok bool) {
	for i, c := range q.choices {
		if choiceID(i) == id {
			return c.value, c.value.Raw != nil
		}
	}
	return value, false
}

// plain is a value for people.
func plain(v acp.ElicitationContentValue) string {
	if text, ok := v.Text(); ok {
		return text
	}
	return string(v.Raw)
}
