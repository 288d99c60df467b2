package main

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

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

func (f *field) text(s *acp.StringPropertySchema) {
	f.hint, f.initial, f.choices = "text", s.Default, s.OneOf
	for _, word := range s.Enum {
		f.choices = append(f.choices, acp.EnumOption{Const: word, Title: word})
	}
	if s.Format != "" {
		f.hint = cleanLine(string(s.Format))
	}
	if len(f.choices) > 0 {
		f.hint = fmt.Sprintf("1-%d", len(f.choices))
		f.read = func(line string) (v acp.ElicitationContentValue, err error) {
			word, err := f.choice(line)
			return acp.StringValue(word), err
		}
		return
	}
	f.read = func(line string) (acp.ElicitationContentValue, error) {
		return acp.StringValue(line), checkText(line, s)
	}
}

// checkText says what is wrong with a text.
func checkText(text string, s *acp.StringPropertySchema) error {
	n := utf8.RuneCountInString(text)
	if s.MinLength != nil && n < int(*s.MinLength) || n == 0 {
		return fmt.Errorf("it has %d characters, and needs more", n)
	}
	if s.MaxLength != nil && n > int(*s.MaxLength) {
		return fmt.Errorf("it has %d characters, and may have %d", n, *s.MaxLength)
	}
	if s.Pattern != "" { // one that Go can't read is the agent's to check
		if re, err := regexp.Compile(s.Pattern); err == nil && !re.MatchString(text) {
			return fmt.Errorf("it has to match %s", cleanLine(s.Pattern))
		}
	}
	var err error
	switch s.Format {
	case acp.StringFormatEmail:
		_, err = mail.ParseAddress(text)
	case acp.StringFormatURI:
		var u *url.URL
		if u, err = url.Parse(text); err == nil && u.Scheme == "" {
			err = errors.New("no scheme")
		}
	case acp.StringFormatDate:
		_, err = time.Parse(time.DateOnly, text)
	case acp.StringFormatDateTime:
		_, err = time.Parse(time.RFC3339, text)
	}
	if err != nil {
		return fmt.Errorf("it is no %s", s.Format)
	}
	return nil
}

// choice returns the choice that a number, or the value itself, means.
func (f *field) choice(line string) (string, error) {
	line = strings.TrimSpace(line)
	for _, c := range f.choices {
		if c.Const == line {
			return line, nil
		}
	}
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(f.choices) {
		return f.choices[n-1].Const, nil
	}
	return "", fmt.Errorf("choose 1-%d", len(f.choices))
}

func (f *field) number(s *acp.NumberPropertySchema) {
	if f.hint = "number"; s.Default != nil {
		f.initial = strconv.FormatFloat(*s.Default, 'g', -1, 64)
	}
	f.read = func(line string) (v acp.ElicitationContentValue, err error) {
		n, err := strconv.ParseFloat(line, 64)
		switch {
		case err != nil, n != n, n-n != 0:
			return v, errors.New("it is no number")
		case s.Minimum != nil && n < *s.Minimum:
			return v, fmt.Errorf("the least is %g", *s.Minimum)
		case s.Maximum != nil && n > *s.Maximum:
			return v, fmt.Errorf("the most is %g", *s.Maximum)
		}
		return acp.NumberValue(n), nil
	}
}

func (f *field) integer(s *acp.IntegerPropertySchema) {
	if f.hint = "whole number"; s.Default != nil {
		f.initial = strconv.FormatInt(*s.Default, 10)
	}
	f.read = func(line string) (v acp.ElicitationContentValue, err error) {
		n, err := strconv.ParseInt(line, 10, 64)
		switch {
		case err != nil:
			return v, errors.New("it is no whole number")
		case s.Minimum != nil && n < *s.Minimum:
			return v, fmt.Errorf("the least is %d", *s.Minimum)
		case s.Maximum != nil && n > *s.Maximum:
			return v, fmt.Errorf("the most is %d", *s.Maximum)
		}
		return acp.IntegerValue(n), nil
	}
}

func (f *field) boolean(s *acp.BooleanPropertySchema) {
	if f.hint = "y or n"; s.Default != nil {
		f.initial = map[bool]string{true: "y", false: "n"}[*s.Default]
	}
	f.read = func(line string) (v acp.ElicitationContentValue, err error) {
		switch strings.ToLower(line) {
		case "y", "yes", "true":
			return acp.BooleanValue(true), nil
		case "n", "no", "false":
			return acp.BooleanValue(false), nil
		}
		return v, errors.New("say y or n")
	}
}

func (f *field) several(s *acp.MultiSelectPropertySchema) error {
	switch items := s.Items.(type) {
	case *acp.TitledMultiSelectItems:
		f.choices = items.AnyOf
	case *acp.StringMultiSelectItems:
		for _, word := range items.Enum {
			f.choices = append(f.choices, acp.EnumOption{Const: word, Title: word})
		}
	default:
		return errors.New("choices of a kind that is not known here; the form is declined")
	}
	f.hint, f.initial = fmt.Sprintf("some of 1-%d, parted by commas", len(f.choices)), strings.Join(s.Default, ",")
	f.read = func(line string) (v acp.ElicitationContentValue, err error) {
		list := []string{}
		for part := range strings.SplitSeq(line, ",") {
			word, err := f.choice(part)
			if err != nil {
				return v, err
			}
			if !slices.Contains(list, word) {
				list = append(list, word)
			}
		}
		switch n := uint64(len(list)); {
		case s.MinItems != nil && n < *s.MinItems:
			return v, fmt.Errorf("choose at least %d", *s.MinItems)
		case s.MaxItems != nil && n > *s.MaxItems:
			return v, fmt.Errorf("choose at most %d", *s.MaxItems)
		}
		return acp.StringsValue(list...), nil
	}
	return nil
}
