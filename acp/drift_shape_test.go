package acp

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The drift test reads the official schemas and our types into the same shape, and compares. This file has the shape
// and the comparison, drift_schema_test.go and drift_go_test.go read the two sides, drift_test.go has the tests and all
// that is known to differ.

// A protocol is one side of the comparison. Names are Go names on both sides.
type protocol struct {
	definitions map[string]*definition
	methods     map[string]string // "request session/new to agent" to "NewSessionRequest, NewSessionResponse"
	unstable    map[string]bool   // of ours: what the doc comments say of "Type", "Type.member" and "method session/fork"
}

// A definition is one type.
type definition struct {
	kind    string            // "object", "enum", "union", or what describes the type in full, such as "string"
	members map[string]member // of an object
	values  []string          // of an enum, in order
	unions  []*unionShape     // a union's own, or those whose members stand in an object
}

// A member is one member of an object.
type member struct {
	typ      string // "string", "int64", "[]@ToolCallContent", "map[string]any", ...
	required bool
	marks    string // "lenient skip"
	zero     bool   // 0 or false is not the same as absence
}

// A unionShape is what tells the variants of a union apart, and what they are: "@TextContent", or "{value bool!}" for a
// variant without a name.
type unionShape struct {
	discriminator string
	tagged        map[string]string
	untagged      []string // by shape, or the one that is meant without a discriminator
	open          bool     // values of the discriminator that are not defined yet are legal
}

func (m member) String() string {
	s := m.typ
	if m.required {
		s += "!"
	}
	if m.zero {
		s += "?"
	}
	if m.marks != "" {
		s += " " + m.marks
	}
	return s
}

func describeMembers(members map[string]member) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		list = append(list, name+" "+members[name].String())
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// A comparison collects what differs between the schema and our types.
type comparison struct {
	schema, ours *protocol

	// stable says that the schema is the stable one: then what only we have must be marked as unstable, and nothing
	// else may be.
	stable bool

	findings []string
}

func (c *comparison) find(format string, args ...any) {
	c.findings = append(c.findings, fmt.Sprintf(format, args...))
}

// both looks at a name that one side or both have. It reports whether both do.
func (c *comparison) both(what, name string, inSchema, isOurs bool) bool {
	switch {
	case !isOurs:
		c.find("%s %s is in the schema only", what, name)
	case c.stable && !inSchema && !c.ours.unstable[name]:
		c.find("%s %s is not in the stable schema, and its comment does not say Unstable", what, name)
	case c.stable && inSchema && c.ours.unstable[name]:
		c.find("%s %s is in the stable schema, but its comment says Unstable", what, name)
	case !c.stable && !inSchema:
		c.find("%s %s is ours only", what, name)
	}
	return inSchema && isOurs
}

// compare returns all findings, in order.
func (c *comparison) compare() []string {
	for _, name := range keysOf(c.schema.definitions, c.ours.definitions) {
		theirs, ours := c.schema.definitions[name], c.ours.definitions[name]
		if c.both("definition", name, theirs != nil, ours != nil) {
			c.definition(name, theirs, ours)
		}
	}
	for _, name := range keysOf(c.schema.methods, c.ours.methods) {
		theirs, inSchema := c.schema.methods[name]
		ours, isOurs := c.ours.methods[name]
		if c.both("method", name, inSchema, isOurs) && theirs != ours {
			c.find("method %s has %s, ours %s", name, theirs, ours)
		}
	}
	return c.findings
}

func (c *comparison) definition(name string, theirs, ours *definition) {
	if theirs.kind != ours.kind {
		c.find("%s is %s, ours %s", name, theirs.kind, ours.kind)
		return
	}
	for _, m := range keysOf(theirs.members, ours.members) {
		t, inSchema := theirs.members[m]
		o, isOurs := ours.members[m]
		if c.both("member", name+"."+m, inSchema, isOurs) && t != o {
			c.find("member %s.%s is %s, ours %s", name, m, t, o)
		}
	}
	for _, v := range union2(theirs.values, ours.values) {
		c.both("value", name+" "+v, slices.Contains(theirs.values, v), slices.Contains(ours.values, v))
	}
	if len(theirs.unions) != len(ours.unions) {
		c.find("%s has %d unions, ours %d", name, len(theirs.unions), len(ours.unions))
		return
	}
	for i := range theirs.unions {
		c.union(name, theirs.unions[i], ours.unions[i])
	}
}

func (c *comparison) union(name string, theirs, ours *unionShape) {
	if theirs.discriminator != ours.discriminator {
		c.find("%s is told apart by %q, ours by %q", name, theirs.discriminator, ours.discriminator)
	}
	if theirs.open && !ours.open {
		c.find("%s may have variants that are not known yet, ours has no place for them", name)
	}
	for _, tag := range keysOf(theirs.tagged, ours.tagged) {
		t, inSchema := theirs.tagged[tag]
		o, isOurs := ours.tagged[tag]
		if c.stable && !inSchema && isOurs && c.ours.unstable[strings.TrimPrefix(o, "@")] {
			continue
		}
		if c.both("variant", name+" "+tag, inSchema, isOurs) && t != o {
			c.find("variant %s %s is %s, ours %s", name, tag, t, o)
		}
	}
	for _, v := range union2(theirs.untagged, ours.untagged) {
		c.both("variant", name+" "+v, slices.Contains(theirs.untagged, v), slices.Contains(ours.untagged, v))
	}
}

// keysOf returns the keys of two maps in order.
func keysOf[V any](a, b map[string]V) []string {
	return union2(slices.Collect(maps.Keys(a)), slices.Collect(maps.Keys(b)))
}

// union2 returns the elements of two lists in order.
func union2[T cmp.Ordered](a, b []T) []T {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
