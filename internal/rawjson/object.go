package rawjson

import (
	"errors"
	"iter"
)

// A Member is one name and value of an object. Both are parts of the object's text.
type Member struct {
	RawName []byte // between the quotes, escapes as written
	Value   []byte // without white space around it
}

// Name returns the member's name with its escapes resolved.
func (m Member) Name() string { return unquote(m.RawName) }

// Is reports whether the member has this name. It allocates only if the name is written with escapes.
func (m Member) Is(name string) bool {
	// A name that is written with escapes is longer than it is.
	return string(m.RawName) == name || len(m.RawName) > len(name) && hasEscape(m.RawName) && unquote(m.RawName) == name
}

// Members yields the members of an object in the order they stand. The text must be valid (see Check or Skip); text
// that is not an object has no members.
func Members(object []byte) iter.Seq[Member] {
	return func(yield func(Member) bool) {
		c := WalkValid(object)
		for c.Next() {
			if !yield(c.Member()) {
				return
			}
		}
	}
}

// A Cursor walks over the members of an object or the elements of an array. It is Members for loops that must not pay
// for a closure, and for text that has not been checked: after Next has returned false, Err says whether the container
// was valid to its end.
type Cursor struct {
	text   []byte // from the opening bracket on
	at     int    // just past the last element; 0 before the first
	member Member
	name   []byte // the member's name, if escaped
	valid  bool   // the text is known to be
	inside bool   // more text may follow the container
	err    error

	noting string
	noted  []byte
}

// Walk returns a cursor before the first member or element of container.
func Walk(container []byte) Cursor { return Cursor{text: container} }

// WalkValid is Walk for text that is known to be valid. It is faster.
func WalkValid(container []byte) Cursor { return Cursor{text: container, valid: true} }

// Note has the cursor note the value of one member of each object that it steps to, so that who needs only that does not
// have to read the object a second time.
func (c *Cursor) Note(name string) { c.noting = name }

// Noted returns the value of the member that Note names in the object that Next stepped to, nil if it has none or is no
// object. Of members with the same name the last counts.
func (c *Cursor) Noted() []byte { return c.noted }

var errNotContainer = errors.New("neither an object nor an array")

// Next steps to the next member or element and reports whether there is one.
func (c *Cursor) Next() bool {
	if c.text == nil {
		return false
	}
	i, ended, err := c.step()
	if err == nil && !ended {
		var end int
		i = SkipSpace(c.text, i)
		switch {
		case c.valid:
			end = SkipValid(c.text, i)
		case c.noting != "":
			end, err = c.noteAndSkip(i)
		default:
			end, err = Skip(c.text, i)
		}
		if err == nil {
			c.member.Value = c.text[i:end:end]
			c.at = end
			return true
		}
	}
	if err == nil && !c.inside {
		if i = SkipSpace(c.text, i+1); i < len(c.text) {
			err = syntaxError(i, "data after the value")
		}
	}
	c.err = err
	c.text, c.at = nil, i
	return false
}

// noteAndSkip is Skip, and notes a member on the way.
func (c *Cursor) noteAndSkip(i int) (end int, err error) {
	c.noted = nil
	if i == len(c.text) || c.text[i] != '{' {
		return Skip(c.text, i)
	}
	object := Cursor{text: c.text[i:], inside: true}
	for object.Next() {
		if string(object.Name()) == c.noting {
			c.noted = object.Value()
		}
	}
	if object.err != nil {
		return i, moved(object.err, i)
	}
	return i + object.at + 1, nil
}

// moved is an error of text that begins at an offset.
func moved(err error, offset int) error {
	var syntax *SyntaxError
	if errors.As(err, &syntax) {
		return syntaxError(offset+syntax.Offset, syntax.Reason)
	}
	return err
}

// step finds the start of the next value, past its name in an object, or the closing bracket.
func (c *Cursor) step() (i int, ended bool, err error) {
	if c.at == 0 {
		i = SkipSpace(c.text, 0)
		if i == len(c.text) || c.text[i] != '{' && c.text[i] != '[' {
			return i, false, errNotContainer
		}
		c.text = c.text[i:]
		if i = SkipSpace(c.text, 1); i == len(c.text) {
			return i, false, errTruncated
		}
		if object := c.text[0] == '{'; c.text[i] == '}' && object || c.text[i] == ']' && !object {
			return i, true, nil
		}
	} else {
		i = SkipSpace(c.text, c.at)
		if i == len(c.text) {
			return i, false, errTruncated
		}
		switch object := c.text[0] == '{'; {
		case c.text[i] == '}' && object, c.text[i] == ']' && !object:
			return i, true, nil
		case c.text[i] != ',':
			return i, false, syntaxError(i, "expected a comma or the end of the container")
		}
		if i = SkipSpace(c.text, i+1); i == len(c.text) {
			return i, false, errTruncated
		}
	}
	if c.text[0] != '{' {
		return i, false, nil
	}
	start := i + 1
	if c.text[i] != '"' {
		return i, false, syntaxError(i, "expected a member name")
	}
	if i = skipPlain(c.text, start); i < len(c.text) && c.text[i] == '"' {
		c.member.RawName, c.name = c.text[start:i], nil
		i++
	} else {
		if i, err = skipString(c.text, start-1); err != nil {
			return i, false, err
		}
		c.member.RawName = c.text[start : i-1]
		c.name = []byte(unquote(c.member.RawName))
	}
	if i = SkipSpace(c.text, i); i == len(c.text) {
		return i, false, errTruncated
	}
	if c.text[i] != ':' {
		return i, false, syntaxError(i, "expected a colon")
	}
	return i + 1, false, nil
}

// Err reports why the last Next returned false before the end of a valid container; nil if it was the end. Offsets in
// it count from the opening bracket.
func (c *Cursor) Err() error { return c.err }

// Member returns the member that Next stepped to; for an array it has a value only.
func (c *Cursor) Member() Member { return c.member }

// Name returns the name of the member that Next stepped to, with its escapes resolved: what to switch over.
func (c *Cursor) Name() []byte {
	if c.name != nil {
		return c.name
	}
	return c.member.RawName
}

// Value returns the value of the member or element that Next stepped to.
func (c *Cursor) Value() []byte { return c.member.Value }

// Get returns the value of an object's member, or nil if there is none. Of members with the same name the last counts.
// The text must be valid.
func Get(object []byte, name string) []byte {
	var found []byte
	c := WalkValid(object)
	for c.Next() {
		if string(c.Name()) == name {
			found = c.member.Value
		}
	}
	return found
}

// First is Get for an object in which no name is repeated: it stops at the first.
func First(object []byte, name string) []byte {
	c := WalkValid(object)
	for c.Next() {
		if string(c.Name()) == name {
			return c.member.Value
		}
	}
	return nil
}

// IsNull reports whether a value is the literal null.
func IsNull(value []byte) bool { return string(value) == "null" }
