package acp

import (
	"reflect"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

var propertiesType = reflect.TypeFor[ElicitationProperties]()

// propertiesCodec is for an object whose members keep their order. Of members with the same name the last one counts, in
// the place of the first.
func propertiesCodec() *codec {
	schema := codecOf(reflect.TypeFor[ElicitationPropertySchema]())
	return &codec{
		append: func(dst []byte, v reflect.Value) ([]byte, error) {
			dst = append(dst, '{')
			var written set
			for i := range v.Len() {
				name := v.Index(i).Field(0).String()
				if !written.add(cleanName(name)) {
					continue
				}
				var err error
				if dst, err = schema.append(appendName(dst, name), lastProperty(v, i).Field(1)); err != nil {
					return dst, at(err, name)
				}
			}
			return append(dst, '}'), nil
		},
		parse: func(d decoder, text []byte, v reflect.Value) error {
			if text[0] != '{' {
				return expected("an object", text)
			}
			found := make(ElicitationProperties, 0, 8)
			places := map[string]int{}
			last := [][]byte{}
			for m := range rawjson.Members(text) {
				name := m.Name()
				if i, ok := places[name]; ok {
					last[i] = m.Value
					continue
				}
				places[name] = len(found)
				found, last = append(found, ElicitationProperty{Name: name}), append(last, m.Value)
			}
			for i := range found {
				mark := d.mark()
				if err := schema.parse(d, last[i], reflect.ValueOf(&found[i].Schema).Elem()); err != nil {
					return at(err, found[i].Name)
				}
				d.prefix(mark, found[i].Name)
			}
			v.Set(reflect.ValueOf(found))
			return nil
		},
	}
}

// lastProperty returns the last one from i on that has the name of the one at i.
func lastProperty(v reflect.Value, i int) reflect.Value {
	name := cleanName(v.Index(i).Field(0).String())
	for k := v.Len() - 1; k > i; k-- {
		if cleanName(v.Index(k).Field(0).String()) == name {
			return v.Index(k)
		}
	}
	return v.Index(i)
}

// A set of names.
type set map[string]struct{}

// add reports whether the name was not in the set before.
func (s *set) add(name string) bool {
	if _, ok := (*s)[name]; ok {
		return false
	}
	if *s == nil {
		*s = set{}
	}
	(*s)[name] = struct{}{}
	return true
}
