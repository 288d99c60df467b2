package acp

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// An ElicitationContentValue is what the user entered into a field of a form: a text, a number, yes or no, or a list of
// texts. StringValue, IntegerValue, NumberValue, BooleanValue and StringsValue build one; the methods of the same words
// read it. The zero value is none of them.
type ElicitationContentValue struct {
	// Raw is the value in JSON, so that a number stays as it was written.
	Raw Raw
}

// StringValue returns a text.
func StringValue(s string) ElicitationContentValue {
	return ElicitationContentValue{Raw: rawjson.AppendString(nil, s)}
}

// IntegerValue returns a whole number.
func IntegerValue(n int64) ElicitationContentValue {
	return ElicitationContentValue{Raw: strconv.AppendInt(nil, n, 10)}
}

// NumberValue returns a number. One that JSON can't express, infinity say, fails when it is written.
func NumberValue(f float64) ElicitationContentValue {
	text, err := appendFloat(nil, f)
	if err != nil {
		text = strconv.AppendFloat(nil, f, 'g', -1, 64)
	}
	return ElicitationContentValue{Raw: text}
}

// BooleanValue returns yes or no.
func BooleanValue(b bool) ElicitationContentValue {
	return ElicitationContentValue{Raw: strconv.AppendBool(nil, b)}
}

// StringsValue returns a list of texts.
func StringsValue(list ...string) ElicitationContentValue {
	text := []byte{'['}
	for i, s := range list {
		if i > 0 {
			text = append(text, ',')
		}
		text = rawjson.AppendString(text, s)
	}
	return ElicitationContentValue{Raw: append(text, ']')}
}

// Text returns the text, and whether the value is one.
func (v ElicitationContentValue) Text() (s string, ok bool) {
	if !rawjson.IsString(v.Raw) {
		return "", false
	}
	return rawjson.String(v.Raw), true
}

// Integer returns the number, and whether the value is a whole one that fits.
func (v ElicitationContentValue) Integer() (n int64, ok bool) {
	if len(v.Raw) == 0 {
		return 0, false
	}
	n, err := parseInt(v.Raw, 64)
	return n, err == nil
}

// Number returns the number, and whether the value is one, whole or not.
func (v ElicitationContentValue) Number() (f float64, ok bool) {
	if len(v.Raw) == 0 {
		return 0, false
	}
	f, err := parseFloat(v.Raw)
	return f, err == nil
}

// Boolean returns yes or no, and whether the value is one of them.
func (v ElicitationContentValue) Boolean() (b, ok bool) {
	return string(v.Raw) == "true", string(v.Raw) == "true" || string(v.Raw) == "false"
}

// Strings returns the list, and whether the value is one.
func (v ElicitationContentValue) Strings() (list []string, ok bool) {
	if len(v.Raw) == 0 || v.Raw[0] != '[' {
		return nil, false
	}
	list = []string{}
	for c := rawjson.Walk(v.Raw); c.Next(); {
		if !rawjson.IsString(c.Value()) {
			return nil, false
		}
		list = append(list, rawjson.String(c.Value()))
	}
	return list, true
}

// String returns the value as JSON, for messages and logs.
func (v ElicitationContentValue) String() string { return string(v.Raw) }

// AppendJSON appends the value.
func (v ElicitationContentValue) AppendJSON(dst []byte) ([]byte, error) {
	if len(v.Raw) == 0 {
		return dst, errors.New("a value of an elicitation is empty")
	}
	return rawjson.AppendValue(dst, v.Raw)
}

// MarshalJSON writes the value.
func (v ElicitationContentValue) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// UnmarshalJSON reads a text, a number, true, false or a list of texts.
func (v *ElicitationContentValue) UnmarshalJSON(text []byte) error {
	if err := rawjson.Check(text); err != nil {
		return err
	}
	text = trim(text)
	*v = ElicitationContentValue{Raw: clone(text)}
	switch text[0] {
	case '{', 'n':
		return expected("a string, a number, a boolean or an array of strings", text)
	case '[':
		if _, ok := v.Strings(); !ok {
			return fmt.Errorf("expected an array of strings, found %.40s", text)
		}
	}
	return nil
}
