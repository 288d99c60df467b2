package acp

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// TestEveryEditIsReadAlike takes full messages and changes one thing at a time, at every level: whatever the codec
// written by hand makes of it, the reflective one does too.
func TestEveryEditIsReadAlike(t *testing.T) {
	total := 0
	done := map[string]bool{}
	for _, typ := range hotTypes {
		for _, text := range fullJSON(typ, 0) {
			if !sameByHand(t, typ, []byte(text)) {
				t.Fatalf("%s is no %s", text, typ)
			}
			l := lexer{text: []byte(text)}
			if reflect.New(typ).Interface().(hotCodec).parse(&l); !l.done() {
				t.Errorf("the codec written by hand gave up on %s", text)
			}
			edit([]byte(text), done, func(edited string) {
				if total++; raceEnabled && total%10 > 0 {
					return // there is nothing to race, and no time to lose
				}
				sameByHand(t, typ, []byte(edited))
			})
		}
	}
	if total < 5_000 {
		t.Errorf("only %d edits", total)
	}
}

// byPlanOnly are updates that the codec written by hand leaves to the reflective one; another of them stands for all.
var byPlanOnly = []string{"plan_update", "plan_removed", "current_mode_update", "config_option_update", "session_info_update",
	"usage_update", "notice", "compaction_update", "compaction_summary_chunk", "subagent_update", "session_message", "session_message_chunk"}

// fullJSON returns texts of a type with all members, one for each variant of its unions; deep inside, of the first one.
func fullJSON(typ reflect.Type, depth int) []string {
	if u := unions.byInterface[typ]; u != nil {
		var texts []string
		for _, v := range u.variants {
			switch {
			case v.tag != nil && slices.Contains(byPlanOnly, v.tag.value), depth > 3 && texts != nil:
			case v == u.unknown && u.discriminator != "":
				texts = append(texts, fmt.Sprintf(`{"%s":"_new","more":1}`, u.discriminator))
			case v == u.unknown:
				texts = append(texts, `{"more":1}`)
			default:
				texts = append(texts, fullObjects(v.typ, v.tag, depth+1)...)
			}
		}
		return texts
	}
	if v, ok := reflect.New(typ).Interface().(optional); ok {
		value, _ := v.reach()
		return fullJSON(reflect.TypeOf(value).Elem(), depth)
	}
	switch {
	case typ == rawType:
		return []string{`{"a":[1.0,null]}`}
	case isObject(typ):
		return fullObjects(typ, nil, depth)
	}
	switch typ.Kind() {
	case reflect.String:
		return []string{`"text"`}
	case reflect.Bool:
		return []string{`true`}
	case reflect.Pointer:
		return fullJSON(typ.Elem(), depth)
	case reflect.Slice:
		if typ == propertiesType {
			return []string{`{"key":` + fullJSON(reflect.TypeFor[ElicitationPropertySchema](), depth)[0] + `}`}
		}
		return []string{"[" + strings.Join(fullJSON(typ.Elem(), depth), ",") + "]"}
	case reflect.Map:
		return []string{`{"key":` + fullJSON(typ.Elem(), depth)[0] + `}`}
	case reflect.Struct:
		return []string{`{"code":1,"message":"m"}`}
	}
	return []string{`7`}
}

func fullObjects(typ reflect.Type, tag *tagged, depth int) []string {
	start := "{"
	if tag != nil {
		start += string(tag.text) + ","
	}
	texts := []string{start}
	for _, f := range codecOf(typ).plan().fields {
		values := fullJSON(typ.Field(f.index).Type, depth+1)
		if len(texts) > 1 {
			values = values[:1]
		}
		var longer []string
		for _, text := range texts {
			for _, value := range values {
				longer = append(longer, text+`"`+f.name+`":`+value+`,`)
			}
		}
		texts = longer
	}
	for i := range texts {
		texts[i] += `"unheard":{"b":2}}`
	}
	return texts
}

// edit calls yield with every text that differs from a valid one in one thing. What stands inside the same array or
// object as before is not changed again: done remembers them.
func edit(text []byte, done map[string]bool, yield func(string)) {
	for _, other := range []string{
		`null`, `true`, `0`, `-1`, `1.5`, `1e2`, `4294967296`, `9223372036854775808`, `18446744073709551616`, `1e999`,
		`""`, `"x"`, `"\u0078"`, "\"\xff\"", `[]`, `[null]`, `[7,"x"]`, `{}`, `{"type":7}`, `{"x":null}`,
	} {
		yield(other)
	}
	if done[string(text)] {
		return
	}
	done[string(text)] = true
	var parts []string // of an array or object, without commas
	object := text[0] == '{'
	join := func(parts []string) {
		if object {
			yield("{" + strings.Join(parts, ",") + "}")
		} else {
			yield("[" + strings.Join(parts, ",") + "]")
		}
	}
	var members []rawjson.Member
	for c := rawjson.WalkValid(text); c.Next(); {
		m := c.Member()
		members = append(members, m)
		parts = append(parts, memberText(m, string(m.Value)))
	}
	for i, m := range members {
		join(slices.Delete(slices.Clone(parts), i, i+1))
		edit(m.Value, done, func(edited string) {
			join(slices.Replace(slices.Clone(parts), i, i+1, memberText(m, edited)))
		})
		if !object {
			continue
		}
		last := append(slices.Delete(slices.Clone(parts), i, i+1), parts[i])
		join(last)
		for _, again := range []string{`null`, `7`, `""`, `"y"`, string(m.Value)} {
			join(append(slices.Clone(parts), memberText(m, again)))
		}
		escaped := fmt.Sprintf(`"\u%04x%s`, parts[i][1], parts[i][2:])
		join(slices.Replace(slices.Clone(parts), i, i+1, escaped))
		join(append(slices.Clone(parts), escaped))
	}
	if object {
		join(append([]string{"\"\xff\" : 1"}, parts...))
		join(append(slices.Clone(parts), `"type":"text"`, `"sessionUpdate":"plan"`, `"outcome":"selected"`))
		yield("{ " + strings.Join(parts, " ,\n") + "\t}")
	}
}

func memberText(m rawjson.Member, value string) string {
	if m.RawName == nil {
		return value
	}
	return `"` + string(m.RawName) + `":` + value
}
