package acp

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// parse reads an object. It first finds the text of each member, since the last of several with the same name counts,
// and then reads them in the order of the fields. A tag is the discriminator that led here, if one did or should have.
func (p *structPlan) parse(d decoder, text []byte, v reflect.Value, tag *tagged) error {
	unknown, err := p.parseMembers(d, text, v, tag)
	if err != nil {
		return err
	}
	for _, in := range p.inline {
		if err := in.parse(d, text, v.Field(in.index), unknown); err != nil {
			return err
		}
	}
	for name, value := range unknown {
		unknown[name] = clone(value)
	}
	if len(unknown) > 0 {
		v.Field(p.unknown).Set(reflect.ValueOf(unknown))
	}
	return nil
}

// parseMembers reads the members that have a field, and returns the others as parts of text.
func (p *structPlan) parseMembers(d decoder, text []byte, v reflect.Value, tag *tagged) (Unknown, error) {
	if text[0] != '{' {
		return nil, expected("an object", text)
	}
	var few [16][]byte
	values := few[:]
	if len(p.fields) > len(few) {
		values = make([][]byte, len(p.fields))
	}
	var unknown Unknown
	var discriminator []byte
	for c := rawjson.WalkValid(text); c.Next(); {
		m := c.Member()
		name := memberName(m)
		if tag != nil && string(name) == tag.name {
			discriminator = c.Value()
		} else if i, ok := p.byName[string(name)]; ok {
			values[i] = c.Value()
		} else {
			unknown.set(m.Name(), c.Value())
		}
	}
	if discriminator != nil && !tag.is(discriminator) {
		return nil, tag.mismatch(discriminator)
	}
	for i := range p.fields {
		f := &p.fields[i]
		zero, err := f.parse(d, p.name, values[i], v.Field(f.index))
		if err != nil {
			return nil, err
		}
		if zero {
			unknown.set(f.name, values[i])
		}
	}
	return unknown, nil
}

// parse reads a member from its text, nil if it is absent. It reports whether an optional member has been read as the
// zero value, which says less than the text did.
func (f *fieldPlan) parse(d decoder, owner string, value []byte, v reflect.Value) (zero bool, err error) {
	switch {
	case value == nil:
		if f.required && !f.nullable {
			return false, missing(owner, f.name)
		}
		return false, nil
	case rawjson.IsNull(value) && !f.acceptsNull():
		switch {
		case !f.required || f.nullable:
		case f.lenient:
			d.drop(d.mark(), f.name, errNull)
		default:
			return false, at(errNull, f.name)
		}
		return false, nil
	}
	mark := d.mark()
	if err := f.codec.parse(d, value, v); err != nil {
		if !f.lenient {
			return false, at(err, f.name)
		}
		d.drop(mark, f.name, err)
		v.SetZero()
		return false, nil
	}
	d.prefix(mark, f.name)
	return !f.required && v.IsZero(), nil
}

// acceptsNull reports whether null is a value to be read. An optional member that may be anything is absent when null.
func (f *fieldPlan) acceptsNull() bool {
	if !f.codec.null {
		return false
	}
	return f.required || f.codec.optional
}

var errNull = errors.New("expected a value, found null")

// missing says that an object lacks a required member.
func missing(owner, name string) error {
	return fmt.Errorf("%s without the required member %q", owner, name)
}

// set adds a member, making the map if need be.
func (u *Unknown) set(name string, value []byte) {
	if *u == nil {
		*u = make(Unknown, 1)
	}
	(*u)[name] = value
}

// append writes an object, with a discriminator if there is one.
func (p *structPlan) append(dst []byte, v reflect.Value, tag *tagged) ([]byte, error) {
	start := len(dst)
	dst = append(dst, '{')
	dst = tag.append(dst)
	dst, err := p.appendMembers(dst, v)
	if err != nil {
		return dst, err
	}
	for _, in := range p.inline {
		if dst, err = in.append(dst, v.Field(in.index)); err != nil {
			return dst, err
		}
	}
	for _, in := range p.inline {
		if dst, err = in.appendUnknown(dst, start, v.Field(in.index)); err != nil {
			return dst, err
		}
	}
	if dst, err = appendUnknown(dst, start, p.unknownOf(v)); err != nil {
		return dst, err
	}
	return append(dst, '}'), nil
}

// appendMembers writes the members that have a field.
func (p *structPlan) appendMembers(dst []byte, v reflect.Value) ([]byte, error) {
	for i := range p.fields {
		f := &p.fields[i]
		value := v.Field(f.index)
		if !f.required && value.IsZero() {
			continue
		}
		dst = appendName(dst, f.name)
		var err error
		if dst, err = f.codec.append(dst, value); err != nil {
			return dst, at(err, f.name)
		}
	}
	return dst, nil
}

func (p *structPlan) unknownOf(v reflect.Value) Unknown {
	return v.Field(p.unknown).Interface().(Unknown)
}

// appendName appends a member's name and colon, after a comma unless it is the first of its object.
func appendName(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(rawjson.AppendString(dst, name), ':')
}

// appendUnknown appends the members of unknown to the object that starts at dst[start], in the order of their names,
// save those that it has already.
func appendUnknown(dst []byte, start int, unknown Unknown) ([]byte, error) {
	if len(unknown) == 0 {
		return dst, nil
	}
	var written []string
	for m := range rawjson.Members(dst[start:]) {
		written = append(written, m.Name())
	}
	return appendSorted(dst, unknown, written)
}

// appendSorted appends the members of a map, save some, in the order of their names.
func appendSorted[M ~map[string]Raw](dst []byte, members M, save []string) ([]byte, error) {
	var few [8]string
	names := few[:0]
	for name := range members {
		if !utf8.ValidString(name) {
			return appendSorted(dst, cleaned(members), save)
		}
		if !slices.Contains(save, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		var err error
		dst, err = rawjson.AppendValue(appendName(dst, name), members[name])
		if err != nil {
			return dst, at(err, name)
		}
	}
	return dst, nil
}

// cleaned returns a map with names as they will be written: in UTF-8. Of several that become equal the first counts.
func cleaned[M ~map[string]Raw](members M) M {
	clean := make(M, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if _, taken := clean[cleanName(name)]; !taken {
			clean[cleanName(name)] = members[name]
		}
	}
	return clean
}

// cleanName returns a name with each byte that is not UTF-8 replaced by U+FFFD.
func cleanName(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return string([]rune(name))
}
