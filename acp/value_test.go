package acp

import (
	"maps"
	"strconv"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// number is the text of a number. Numbers are equal if their text is, or their value as far as a float64 goes: 1.0 may
// become 1 when a field has been read and written.
type number string

// Equal is for cmp.
func (n number) Equal(other number) bool {
	f, err1 := strconv.ParseFloat(string(n), 64)
	g, err2 := strconv.ParseFloat(string(other), 64)
	return n == other || err1 == nil && err2 == nil && f == g
}

// value reads valid JSON text as values that cmp can compare: order and escapes aside, the last of equal names counts.
func value(text []byte) any {
	text = trim(text)
	switch text[0] {
	case '{':
		members := map[string]any{}
		for m := range rawjson.Members(text) {
			members[m.Name()] = value(m.Value)
		}
		return members
	case '[':
		items := []any{}
		for c := rawjson.Walk(text); c.Next(); {
			items = append(items, value(c.Value()))
		}
		return items
	case '"':
		return rawjson.String(text)
	case 't', 'f':
		return text[0] == 't'
	case 'n':
		return nil
	}
	return number(text)
}

// withoutNulls takes the members that are null out of a value, at every depth.
func withoutNulls(v any) any {
	switch v := v.(type) {
	case map[string]any:
		maps.DeleteFunc(v, func(_ string, v any) bool { return v == nil })
		for name := range v {
			v[name] = withoutNulls(v[name])
		}
	case []any:
		for i := range v {
			v[i] = withoutNulls(v[i])
		}
	}
	return v
}

// sameJSON fails the test unless two texts are the same JSON value.
func sameJSON(t interface {
	Helper()
	Errorf(string, ...any)
}, what string, want, got []byte) {
	t.Helper()
	if err := rawjson.Check(got); err != nil {
		t.Errorf("%s: %v: %.300s", what, err, got)
		return
	}
	if diff := cmp.Diff(value(want), value(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
