package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// form asks for the fields of a form, one after the other. The caller holds the lock.
func (a *asker) form(ctx context.Context, message string, form *acp.ElicitationSchema) acp.ElicitationAction {
	fmt.Fprintf(a.out, "The agent asks: %s\n", cleanLine(message))
	for _, text := range []string{form.Title, form.Description} {
		if text != "" {
			fmt.Fprintf(a.out, "  %s\n", cleanLine(text))
		}
	}
	switch yes, err := a.yes(ctx, "Answer?"); {
	case err != nil:
		return &acp.ElicitationCancelAction{}
	case !yes:
		return &acp.ElicitationDeclineAction{}
	}
	content := map[string]acp.ElicitationContentValue{}
	for _, p := range form.Properties {
		f, err := fieldOf(p)
		if err != nil {
			fmt.Fprintf(a.out, "%s: %v\n", cleanLine(p.Name), err)
			return &acp.ElicitationDeclineAction{}
		}
		value, given, err := a.field(ctx, f, slices.Contains(form.Required, p.Name))
		if err != nil {
			fmt.Fprintln(a.out)
			return &acp.ElicitationCancelAction{}
		}
		if given {
			content[p.Name] = value
		}
	}
	return &acp.ElicitationAcceptAction{Content: content}
}

// A field is how to ask for one.
type field struct {
	title, about string
	hint         string           // what an answer looks like
	choices      []acp.EnumOption // to choose from by number, if any
	initial      string           // what an empty line means, as it would be typed; empty for nothing
	read         func(string) (acp.ElicitationContentValue, error)
}

// field asks for a field until the answer is one. An empty line is the default, or leaves out what is not required.
func (a *asker) field(ctx context.Context, f *field, required bool) (value acp.ElicitationContentValue, given bool, err error) {
	fmt.Fprintf(a.out, "%s%s\n", cleanLine(f.title), ifSome(": ", cleanLine(f.about)))
	for i, c := range f.choices {
		fmt.Fprintf(a.out, "  %d) %s%s\n", i+1, cleanLine(c.Title), ifSome(": ", cleanLine(c.Description)))
	}
	hint := f.hint
	switch {
	case f.initial != "":
		hint += "; empty for " + cleanLine(f.initial)
	case !required:
		hint += "; empty for nothing"
	}
	for {
		fmt.Fprintf(a.out, "(%s): ", hint)
		line, err := a.line(ctx)
		if err != nil {
			return value, false, err
		}
		if line = strings.TrimSpace(line); line == "" {
			if line = f.initial; line == "" && !required {
				return value, false, nil
			}
		}
		if value, err = f.read(line); err == nil {
			return value, true, nil
		}
		fmt.Fprintf(a.out, "That is not it: %v. ", err)
	}
}

func ifSome(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

// fieldOf says how to ask for a property.
func fieldOf(p acp.ElicitationProperty) (*field, error) {
	f := &field{title: p.Name}
	switch s := p.Schema.(type) {
	case *acp.StringPropertySchema:
		f.name(s.Title, s.Description)
		f.text(s)
	case *acp.NumberPropertySchema:
		f.name(s.Title, s.Description)
		f.number(s)
	case *acp.IntegerPropertySchema:
		f.name(s.Title, s.Description)
		f.integer(s)
	case *acp.BooleanPropertySchema:
		f.name(s.Title, s.Description)
		f.boolean(s)
	case *acp.MultiSelectPropertySchema:
		f.name(s.Title, s.Description)
		return f, f.several(s)
	default:
		return nil, errors.New("a field of a kind that is not known here; the form is declined")
	}
	return f, nil
}

func (f *field) name(title, about string) {
	if f.about = about; title != "" {
		f.title = title
	}
}
