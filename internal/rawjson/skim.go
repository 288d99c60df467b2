package rawjson

import "bytes"

// maxSkimmed bounds each name and value that a Skimmer keeps, in bytes.
const maxSkimmed = 1024

// A Skimmer reads an object that is too large to keep, piece by piece, and remembers the scalar values of a few of its
// top-level members. It does not check the rest: it only has to find its way past strings and brackets.
type Skimmer struct {
	want  []string
	found map[string][]byte

	depth   int
	started bool // the first byte that is not white space has been seen
	object  bool // and it was an opening brace

	inString bool
	escaped  bool
	isValue  bool // at depth 1: after a colon, so that what comes is a value
	token    []byte
	tooLong  bool // token was cut, so it is worth nothing
	name     string
}

// NewSkimmer returns a Skimmer that looks for top-level members with these names.
func NewSkimmer(names ...string) *Skimmer {
	return &Skimmer{want: names, found: make(map[string][]byte, len(names))}
}

// Get returns the text of a member's value, or nil if it was absent, not a scalar, or longer than 1 KiB.
func (s *Skimmer) Get(name string) []byte { return s.found[name] }

// IsObject reports whether the text skimmed so far began like an object.
func (s *Skimmer) IsObject() bool { return s.object }

// Write skims the next piece. It never fails.
func (s *Skimmer) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		if s.inString {
			p = s.writeString(p)
			continue
		}
		s.writeByte(p[0])
		p = p[1:]
	}
	return n, nil
}

// writeString consumes p up to the end of the string literal that is open, or all of it.
func (s *Skimmer) writeString(p []byte) []byte {
	i := 0
	for i < len(p) {
		if s.escaped {
			s.escaped = false
			i++
			continue
		}
		j := bytes.IndexAny(p[i:], `"\`)
		if j < 0 {
			i = len(p)
			break
		}
		i += j + 1
		if p[i-1] == '\\' {
			s.escaped = true
			continue
		}
		s.inString = false
		break
	}
	if s.depth == 1 {
		s.keep(p[:i])
	}
	return p[i:]
}

func (s *Skimmer) keep(p []byte) {
	if room := maxSkimmed - len(s.token); len(p) > room {
		s.tooLong = true
		p = p[:room]
	}
	s.token = append(s.token, p...)
}

func (s *Skimmer) writeByte(c byte) {
	space := c == ' ' || c == '\t' || c == '\r' || c == '\n'
	if !s.started && !space {
		s.started, s.object = true, c == '{'
	}
	switch {
	case c == '"':
		s.inString = true
		if s.depth == 1 {
			s.keep([]byte{c})
		}
	case c == '{' || c == '[':
		if s.depth == 1 {
			s.tooLong = true // not a scalar
		}
		s.depth++
	case c == '}' || c == ']':
		if s.depth == 1 {
			s.endMember()
		}
		if s.depth > 0 {
			s.depth--
		}
	case s.depth != 1 || space:
	case c == ':':
		s.name = ""
		if len(s.token) >= 2 && !s.tooLong {
			s.name = unquoteLoose(s.token)
		}
		s.token, s.tooLong, s.isValue = s.token[:0], false, true
	case c == ',':
		s.endMember()
	default:
		s.keep([]byte{c})
	}
}

// unquoteLoose is String for a literal that has not been checked.
func unquoteLoose(literal []byte) string {
	if Check(literal) != nil || !IsString(literal) {
		return ""
	}
	return String(literal)
}

func (s *Skimmer) endMember() {
	if s.isValue && s.object {
		for _, name := range s.want {
			if name != s.name {
				continue
			}
			delete(s.found, name) // the last one of a name counts
			if !s.tooLong && Check(s.token) == nil {
				s.found[name] = bytes.Clone(s.token)
			}
		}
	}
	s.token, s.tooLong, s.isValue = s.token[:0], false, false
}
