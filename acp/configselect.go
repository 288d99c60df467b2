package acp

import (
	"fmt"
	"iter"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// SessionConfigSelectOptions are the values of a select: a list of values, or a list of groups of values. One of the
// two is set; the zero value is an empty list.
type SessionConfigSelectOptions struct {
	Ungrouped []SessionConfigSelectOption
	Grouped   []SessionConfigSelectGroup
}

// All yields the values in order, whether they are grouped or not.
func (o SessionConfigSelectOptions) All() iter.Seq[SessionConfigSelectOption] {
	return func(yield func(SessionConfigSelectOption) bool) {
		for _, option := range o.Ungrouped {
			if !yield(option) {
				return
			}
		}
		for _, group := range o.Grouped {
			for _, option := range group.Options {
				if !yield(option) {
					return
				}
			}
		}
	}
}

// AppendJSON appends the list that is set.
func (o SessionConfigSelectOptions) AppendJSON(dst []byte) ([]byte, error) {
	if o.Ungrouped != nil && o.Grouped != nil {
		return dst, fmt.Errorf("options of a select: %d values and %d groups are set, want one of the two", len(o.Ungrouped), len(o.Grouped))
	}
	dst = append(dst, '[')
	var err error
	for i := range o.Ungrouped {
		if dst, err = appendElement(dst, i, &o.Ungrouped[i]); err != nil {
			return dst, at(err, item(i))
		}
	}
	for i := range o.Grouped {
		if dst, err = appendElement(dst, i, &o.Grouped[i]); err != nil {
			return dst, at(err, item(i))
		}
	}
	return append(dst, ']'), nil
}

// appendElement appends v as element i of an array.
func appendElement(dst []byte, i int, v any) ([]byte, error) {
	if i > 0 {
		dst = append(dst, ',')
	}
	return appendReflected(dst, v)
}

// MarshalJSON writes the list that is set.
func (o SessionConfigSelectOptions) MarshalJSON() ([]byte, error) { return o.AppendJSON(nil) }

// UnmarshalJSON reads a list of values or of groups. They are groups if the first has a member "group".
func (o *SessionConfigSelectOptions) UnmarshalJSON(text []byte) error {
	*o = SessionConfigSelectOptions{}
	if err := rawjson.Check(text); err != nil {
		return err
	}
	if text = trim(text); text[0] != '[' {
		return expected("an array", text)
	}
	c := rawjson.Walk(text)
	for i := 0; c.Next(); i++ {
		var err error
		if i == 0 && rawjson.Get(c.Value(), "group") != nil {
			o.Grouped = []SessionConfigSelectGroup{}
		}
		if o.Grouped != nil {
			var group SessionConfigSelectGroup
			err = unmarshal(c.Value(), &group)
			o.Grouped = append(o.Grouped, group)
		} else {
			var option SessionConfigSelectOption
			err = unmarshal(c.Value(), &option)
			o.Ungrouped = append(o.Ungrouped, option)
		}
		if err != nil {
			return at(err, item(i))
		}
	}
	return nil
}

// A SessionConfigSelectGroup is several values of a select under one label.
type SessionConfigSelectGroup struct {
	Group SessionConfigGroupID `json:"group"`

	// Name is the label to show.
	Name string `json:"name"`

	Options []SessionConfigSelectOption `json:"options" acp:"lenient,skip"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A SessionConfigSelectOption is a value of a select.
type SessionConfigSelectOption struct {
	Value SessionConfigValueID `json:"value"`

	// Name is the label to show.
	Name string `json:"name"`

	// Description says more about the value, for people.
	Description string `json:"description,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}
