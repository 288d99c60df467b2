package acp

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// Generators for property tests: JSON text that nearly fits a Go type of this package, and Go values of it.

// odds says how often a generator of texts does what no decent peer would, in percent.
type odds int

func (o odds) hit(t *rapid.T, what string) bool {
	return o > 0 && rapid.IntRange(0, 99).Draw(t, what) < int(o)
}

var anyText = rapid.OneOf(
	rapid.SampledFrom([]string{`""`, `"text"`, `"é 😀"`, `"a\nb\"\\\/\u0041"`, `"\ud83d\ude00"`, `"\ud800"`, "\"\xff\"", "\"\u2028\"", `"/a/b"`,
		`"` + strings.Repeat("long ", 300) + `"`, `"` + strings.Repeat("l\u00f6ng ", 300) + `"`, `"` + strings.Repeat(`l\u00f6ng `, 300) + `"`}),
	rapid.Custom(func(t *rapid.T) string {
		return string(rawjson.AppendString(nil, rapid.StringN(0, 30, -1).Draw(t, "string")))
	}),
)

var anyJSON = rapid.OneOf(anyText, rapid.SampledFrom([]string{
	`null`, `true`, `false`, `0`, `-1`, `1.0`, `1.5`, `1e2`, `1e400`, `99999999999999999999`, `[]`, `{}`, `[1,"a",null]`, `{"a":{"b":[2]}}`, "[ 1 ,\n2 ]",
	`{"type":"text","text":"x"}`, `{"a":1,"a":2}`, `[[[]]]`,
}))

// drawJSON draws the text of a value of a type.
func drawJSON(t *rapid.T, typ reflect.Type, o odds) string {
	if o.hit(t, "wrong type?") {
		return anyJSON.Draw(t, "wrong type")
	}
	if union := unions.byInterface[typ]; union != nil {
		return drawUnion(t, union, o)
	}
	if v, ok := reflect.New(typ).Interface().(optional); ok {
		if rapid.IntRange(0, 9).Draw(t, "null?") == 0 {
			return "null"
		}
		value, _ := v.reach()
		return drawJSON(t, reflect.TypeOf(value).Elem(), o)
	}
	switch {
	case typ == rawType:
		return anyJSON.Draw(t, "raw")
	case typ == reflect.TypeFor[RequestID]():
		return rapid.SampledFrom([]string{`1`, `"a"`, `null`, `-0`}).Draw(t, "id")
	case typ == reflect.TypeFor[Error]():
		return rapid.SampledFrom([]string{`{"code":-32603,"message":"m"}`, `{"code":1,"message":"","data":null}`}).Draw(t, "error")
	case typ == reflect.TypeFor[SessionConfigSelectOptions]():
		elem := rapid.SampledFrom([]reflect.Type{reflect.TypeFor[SessionConfigSelectOption](), reflect.TypeFor[SessionConfigSelectGroup]()}).Draw(t, "elem")
		return drawJSON(t, reflect.SliceOf(elem), o)
	case typ == reflect.TypeFor[ElicitationContentValue]():
		return rapid.SampledFrom([]string{`1`, `1.5`, `"a"`, `true`, `["a","b"]`, `[]`}).Draw(t, "elicited")
	case isObject(typ):
		return joinMembers(t, drawMembers(t, typ, nil, o), o)
	}
	switch typ.Kind() {
	case reflect.String:
		if values := enums[typ]; len(values) > 0 && !o.hit(t, "not in the enum?") {
			return `"` + rapid.SampledFrom(values).Draw(t, "enum") + `"`
		}
		return anyText.Draw(t, "text")
	case reflect.Bool:
		return rapid.SampledFrom([]string{"true", "false"}).Draw(t, "bool")
	case reflect.Float64:
		return rapid.SampledFrom([]string{"0", "0.5", "1", "-2.25", "1e-9", "1e21", "123456789"}).Draw(t, "float")
	case reflect.Pointer:
		return drawJSON(t, typ.Elem(), o)
	case reflect.Slice:
		if typ == propertiesType {
			return drawJSON(t, reflect.TypeFor[map[string]ElicitationPropertySchema](), o)
		}
		var items []string
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			items = append(items, drawJSON(t, typ.Elem(), o))
		}
		return "[" + strings.Join(items, ",") + "]"
	case reflect.Map:
		var members []string
		for i := range rapid.IntRange(0, 3).Draw(t, "members") {
			members = append(members, fmt.Sprintf(`"k%d":%s`, i, drawJSON(t, typ.Elem(), o)))
		}
		return "{" + strings.Join(members, ",") + "}"
	default: // integers
		return rapid.SampledFrom([]string{"0", "1", "7", "42", "255", "1.0", "1e2"}).Draw(t, "integer")
	}
}

func drawUnion(t *rapid.T, u *unionPlan, o odds) string {
	v := rapid.SampledFrom(u.variants).Draw(t, u.name)
	if v == u.unknown {
		if u.discriminator == "" {
			return `{"something":"else"}`
		}
		return fmt.Sprintf(`{"%s":"_new","more":[1,"x"]}`, u.discriminator)
	}
	return joinMembers(t, drawMembers(t, v.typ, v.tag, o), o)
}

// drawMembers draws the members of an object, `"name":value`.
func drawMembers(t *rapid.T, typ reflect.Type, tag *tagged, o odds) []string {
	var members []string
	if tag != nil {
		members = append(members, string(tag.text))
	}
	plan := codecOf(typ).plan()
	for i := range plan.fields {
		f := &plan.fields[i]
		if o.hit(t, "missing?") || !f.required && rapid.IntRange(0, 2).Draw(t, f.name+"?") > 0 {
			continue
		}
		value := drawJSON(t, typ.Field(f.index).Type, o)
		if !f.required && o.hit(t, "null?") {
			value = "null"
		}
		members = append(members, `"`+f.name+`":`+value)
	}
	for _, in := range plan.inline {
		v := rapid.SampledFrom(in.union.variants).Draw(t, in.name)
		if v == in.union.unknown {
			members = append(members, fmt.Sprintf(`"%s":"_new","more":[1]`, in.union.discriminator))
		} else {
			members = append(members, drawMembers(t, v.typ, v.tag, o)...)
		}
	}
	return members
}

// joinMembers makes an object of members, with some that nobody knows, in an order that nobody promised.
func joinMembers(t *rapid.T, members []string, o odds) string {
	if rapid.IntRange(0, 5).Draw(t, "unknown?") == 0 {
		members = append(members, `"unheard":`+anyJSON.Draw(t, "unheard"))
	}
	if o.hit(t, "twice?") && len(members) > 0 {
		twice := rapid.SampledFrom(members).Draw(t, "twice")
		name, _, _ := strings.Cut(twice, ":")
		members = append(members, twice, name+":"+anyJSON.Draw(t, "again"))
	}
	if o.hit(t, "order?") {
		members = rapid.Permutation(members).Draw(t, "order")
	}
	if o.hit(t, "escaped?") && len(members) > 0 {
		i := rapid.IntRange(0, len(members)-1).Draw(t, "escaped")
		if m := members[i]; m[1] < utf8.RuneSelf && m[1] != '"' && m[1] != '\\' {
			members[i] = fmt.Sprintf(`"\u%04x%s`, m[1], m[2:])
		}
	}
	if o.hit(t, "space?") {
		return "{ " + strings.Join(members, "\n , ") + "\t}"
	}
	return "{" + strings.Join(members, ",") + "}"
}

// drawValue fills v with a Go value. Bad are the odds of something that can't be written.
func drawValue(t *rapid.T, v reflect.Value, bad odds) {
	typ := v.Type()
	if union := unions.byInterface[typ]; union != nil {
		if bad.hit(t, "nil?") {
			if rapid.Bool().Draw(t, "typed nil?") {
				v.Set(reflect.Zero(reflect.PointerTo(union.variants[0].typ)))
			}
			return
		}
		variant := rapid.SampledFrom(union.variants).Draw(t, union.name)
		value := reflect.New(variant.typ)
		if variant == union.unknown {
			tag, raw := union.unknownFields(value.Elem())
			if tag.IsValid() {
				tag.SetString("_new")
			}
			if raw.IsValid() && rapid.Bool().Draw(t, "raw?") {
				text := `{"something":"else"}`
				if tag.IsValid() {
					text = fmt.Sprintf(`{"%s":"_new","more":1}`, union.discriminator)
				}
				raw.SetBytes([]byte(text))
			}
		} else {
			drawValue(t, value.Elem(), bad)
		}
		v.Set(value)
		return
	}
	if o, ok := v.Addr().Interface().(optional); ok {
		value, state := o.reach()
		if *state = presence(rapid.IntRange(0, 2).Draw(t, "presence")); *state == present {
			drawValue(t, reflect.ValueOf(value).Elem(), bad)
		}
		return
	}
	switch {
	case typ == rawType:
		if bad.hit(t, "bad raw?") {
			v.SetBytes([]byte(`{"x"`))
		} else {
			notNull := func(text string) bool { return text != "null" } // which means absent in many places
			v.SetBytes([]byte(anyJSON.Filter(notNull).Draw(t, "raw")))
		}
		return
	case typ == unknownType:
		if rapid.IntRange(0, 3).Draw(t, "unknown?") == 0 {
			names := []string{"unheard", "\xff", "\xfe"}
			if bad > 0 { // names of fields: theirs is another value
				names = append(names, "text", "title", "type", "kind", "sessionUpdate", "_meta")
			}
			drawMap(t, v, names, bad)
		}
		return
	case typ == reflect.TypeFor[ElicitationProperty]():
		v.Field(0).SetString(rapid.SampledFrom([]string{"k", "a/b", "é", "", "\xff", "\xfe", "\ufffd"}).Draw(t, "name"))
		drawValue(t, v.Field(1), bad)
		return
	case typ.Kind() == reflect.Struct && !isObject(typ):
		err := reflect.New(typ).Interface().(interface{ UnmarshalJSON([]byte) error })
		if err.UnmarshalJSON([]byte(drawJSON(t, typ, 0))) == nil {
			v.Set(reflect.ValueOf(err).Elem())
		}
		return
	}
	switch typ.Kind() {
	case reflect.Struct:
		for i := range typ.NumField() {
			drawValue(t, v.Field(i), bad)
		}
	case reflect.String:
		s := rapid.SampledFrom([]string{"", "a", "text", "\xff", "\u2028<&>", strings.Repeat("long ", 300)}).Draw(t, "string")
		v.SetString(s)
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Float64:
		if bad.hit(t, "NaN?") {
			v.SetFloat(math.NaN())
		} else {
			v.SetFloat(rapid.SampledFrom([]float64{0, 0.5, -1e-9, 1e21, 1e20, 12345678}).Draw(t, "float"))
		}
	case reflect.Pointer:
		if rapid.Bool().Draw(t, "pointer?") {
			v.Set(reflect.New(typ.Elem()))
			drawValue(t, v.Elem(), bad)
		}
	case reflect.Slice:
		if n := rapid.IntRange(-1, 3).Draw(t, "items"); n >= 0 {
			v.Set(reflect.MakeSlice(typ, n, n))
			for i := range n {
				drawValue(t, v.Index(i), bad)
			}
		}
	case reflect.Map:
		if rapid.IntRange(0, 3).Draw(t, "map?") == 0 {
			drawMap(t, v, []string{"k", "a/b", "é", "", "\xff", "\xfe", "\ufffd"}, bad)
		}
	default:
		if n := rapid.Uint16Range(0, 255).Draw(t, "integer"); v.CanInt() {
			v.SetInt(int64(n))
		} else {
			v.SetUint(uint64(n))
		}
	}
}

func drawMap(t *rapid.T, v reflect.Value, names []string, bad odds) {
	v.Set(reflect.MakeMap(v.Type()))
	for range rapid.IntRange(0, 3).Draw(t, "members") {
		value := reflect.New(v.Type().Elem()).Elem()
		drawValue(t, value, bad)
		v.SetMapIndex(reflect.ValueOf(rapid.SampledFrom(names).Draw(t, "name")).Convert(v.Type().Key()), value)
	}
}

// messageTypes are the types of all params and results that are objects.
func messageTypes() []reflect.Type {
	var types []reflect.Type
	for _, m := range Methods {
		for _, t := range []reflect.Type{m.Params, m.Result} {
			if t != nil && isObject(t) && !slices.Contains(types, t) {
				types = append(types, t)
			}
		}
	}
	slices.SortFunc(types, func(a, b reflect.Type) int { return strings.Compare(a.Name(), b.Name()) })
	return types
}

// unionTypes are all unions of the protocol.
func unionTypes() []*unionPlan {
	var list []*unionPlan
	for t, u := range unions.byInterface {
		if c := t.Name()[0]; 'A' <= c && c <= 'Z' {
			list = append(list, u)
		}
	}
	slices.SortFunc(list, func(a, b *unionPlan) int { return strings.Compare(a.name, b.name) })
	return list
}
