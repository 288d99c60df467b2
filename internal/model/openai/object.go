package openai

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
)

// lenient is how we read what servers write.
var lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// An object is a JSON object whose members may have any shape: that is what servers that copy each other write.
type object map[string]acp.Raw

// parseObject reads an object; ok is false if data is none.
func parseObject(data []byte) (o object, ok bool) {
	err := json.Unmarshal(data, &o, lenient)
	return o, err == nil && o != nil
}

// has reports whether the member is there and not null.
func (o object) has(name string) bool {
	v := o[name]
	return len(v) > 0 && v.Kind() != 'n'
}

// text is a member's text: of a string what it says, of everything else its JSON. It is empty if there is none.
func (o object) text(name string) string {
	if !o.has(name) {
		return ""
	}
	return plain(o[name])
}

// object is a member that is an object itself, or nil.
func (o object) object(name string) object {
	inner, _ := parseObject(o[name])
	return inner
}

func plain(v acp.Raw) string {
	var s string
	if v.Kind() == '"' && json.Unmarshal(v, &s, lenient) == nil {
		return s
	}
	return string(v)
}
