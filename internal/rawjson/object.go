package rawjson

import "iter"

// A Member is one name and value of an object. Both are parts of the object's text.
type Member struct {
	RawName []byte // between the quotes, escapes as written
	Value   []byte // without white space around it
}

// Name returns the member's name with its escapes resolved.
func (m Member) Name() string { return unquote(m.RawName) }

// Is reports whether the member has this name. It allocates only if the name is written with escapes.
func (m Member) Is(name string) bool {
	return string(m.RawName) == name || hasEscape(m.RawName) && unquote(m.RawName) == name
}

// Members yields the members of an object in the order they stand. The text must be valid (see Check or Skip); text
// that is not an object has no members.
func Members(object []byte) iter.Seq[Member] {
	return func(yield func(Member) bool) {
		c := Cursor{text: object}
		for c.Next() {
			if !yield(c.Member()) {
				return
			}
		}
	}
}

// A Cursor walks over the members of an object or the elements of an array in valid text. It is Members and Elements
// for loops that must not pay for a closure.
type Cursor struct {
	text   []byte
	at     int // just past the last element; 0 before the first
	member Member
}

// Walk returns a cursor before the first member or element of container.
func Walk(container []byte) Cursor { return Cursor{text: container} }

// Next steps to the next member or element and reports whether there is one.
func (c *Cursor) Next() bool {
	b := c.text
	var object bool
	i := c.at
	if i == 0 {
		i = SkipSpace(b, 0)
		if i >= len(b) || b[i] != '{' && b[i] != '[' {
			return false
		}
		object = b[i] == '{'
		c.text = b[i:] // so that text[0] tells the kind from now on
		b, i = c.text, SkipSpace(c.text, 1)
		if i >= len(b) || b[i] == '}' || b[i] == ']' {
			c.at = len(b)
			return false
		}
	} else {
		i = SkipSpace(b, i)
		if i >= len(b) || b[i] != ',' {
			c.at = len(b)
			return false
		}
		object = b[0] == '{'
		i = SkipSpace(b, i+1)
	}
	c.member.RawName = nil
	if object {
		end, err := skipString(b, i)
		if err != nil {
			c.at = len(b)
			return false
		}
		c.member.RawName = b[i+1 : end-1]
		i = SkipSpace(b, end)
		i = SkipSpace(b, i+1) // the colon
	}
	end, err := Skip(b, i)
	if err != nil {
		c.at = len(b)
		return false
	}
	c.member.Value = b[i:end:end]
	c.at = end
	return true
}

// Member returns the member that Next stepped to; for an array it has a value only.
func (c *Cursor) Member() Member { return c.member }

// Value returns the value of the member or element that Next stepped to.
func (c *Cursor) Value() []byte { return c.member.Value }

// Get returns the value of an object's member, or nil if there is none. Of members with the same name the last counts.
func Get(object []byte, name string) []byte {
	var found []byte
	c := Walk(object)
	for c.Next() {
		if c.member.Is(name) {
			found = c.member.Value
		}
	}
	return found
}

// IsNull reports whether a value is the literal null.
func IsNull(value []byte) bool { return string(value) == "null" }
