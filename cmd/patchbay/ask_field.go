package main

import (
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
		if err != nil || n-n != 0 { // NaN and the infinite
			return v, errors.New("it is no number")
		}
		return acp.NumberValue(n), within(n, s.Minimum, s.Maximum)
	}
}

func (f *field) integer(s *acp.IntegerPropertySchema) {
	if f.hint = "whole number"; s.Default != nil {
		f.initial = strconv.FormatInt(*s.Default, 10)
	}
	f.read = func(line string) (v acp.ElicitationContentValue, err error) {
		n, err := strconv.ParseInt(line, 10, 64)
		if err != nil {
			return v, errors.New("it is no whole number")
		}
		return acp.IntegerValue(n), within(n, s.Minimum, s.Maximum)
	}
}

// within says what is wrong with a number that has bounds; nil is none.
func within[N int64 | float64](n N, least, most *N) error {
	switch {
	case least != nil && n < *least:
		return fmt.Errorf("the least is %v", *least)
	case most != nil && n > *most:
		return fmt.Errorf("the most is %v", *most)
	}
	return nil
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
