package acp

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// A codec reads and writes one Go type. Values are addressable.
type codec struct {
	append func(dst []byte, v reflect.Value) ([]byte, error)
	parse  func(d decoder, text []byte, v reflect.Value) error // of valid text; v is zero before
	plan   func() *structPlan                                  // nil unless the type is an object

	null     bool // null is a value of this type
	optional bool // it is an Optional
}

// codecs has a *codec for each codecKey.
var codecs sync.Map

type codecKey struct {
	typ  reflect.Type
	skip bool // in an array, leave out items that don't decode
}

func codecOf(t reflect.Type) *codec { return codecFor(codecKey{typ: t}) }

func codecFor(key codecKey) *codec {
	if found, ok := codecs.Load(key); ok {
		return found.(*codec)
	}
	found, _ := codecs.LoadOrStore(key, newCodec(key))
	return found.(*codec)
}

var (
	rawType     = reflect.TypeFor[Raw]()
	unknownType = reflect.TypeFor[Unknown]()
)

// optional is what every *Optional[T] is.
type optional interface {
	reach() (value any, state *presence)
}

func newCodec(key codecKey) *codec {
	t := key.typ
	_, isOptional := reflect.New(t).Interface().(optional)
	unionType := unions.byInterface[t]
	unknownOf := unions.byUnknown[t]
	switch {
	case t == rawType:
		return rawCodec
	case isOptional:
		return optionalCodec(key)
	case unionType != nil:
		return unionType.codec()
	case unknownOf != nil:
		return unknownOf.unknownCodec()
	case isObject(t):
		return objectCodec(t)
	case implementsJSON(t):
		return methodCodec
	case t == propertiesType:
		return propertiesCodec()
	}
	switch t.Kind() {
	case reflect.String:
		return stringCodec
	case reflect.Bool:
		return boolCodec
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return intCodec(t.Bits())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return uintCodec(t.Bits())
	case reflect.Float64:
		return floatCodec
	case reflect.Pointer:
		return pointerCodec(t)
	case reflect.Slice:
		return sliceCodec(key)
	case reflect.Map:
		if t.Key().Kind() == reflect.String {
			return mapCodec(t)
		}
	}
	err := fmt.Errorf("type %s has no JSON form", t)
	return &codec{
		append: func(dst []byte, _ reflect.Value) ([]byte, error) { return dst, err },
		parse:  func(decoder, []byte, reflect.Value) error { return err },
	}
}

// isObject reports whether a type is read and written member by member: a struct that keeps unknown members.
func isObject(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	f, ok := t.FieldByName("Unknown")
	return ok && f.Type == unknownType
}

type jsonAppender interface {
	AppendJSON(dst []byte) ([]byte, error)
}

// implementsJSON reports whether a type has JSON methods that don't lead back here.
func implementsJSON(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Marshaler]()) && p.Implements(reflect.TypeFor[json.Unmarshaler]())
}

// methodCodec is for types with JSON methods of their own: ids, errors, unions of bare values.
var methodCodec = &codec{
	null: true,
	append: func(dst []byte, v reflect.Value) ([]byte, error) {
		switch v := v.Addr().Interface().(type) {
		case jsonAppender:
			return v.AppendJSON(dst)
		case json.Marshaler:
			text, err := v.MarshalJSON()
			return append(dst, text...), err
		}
		return dst, fmt.Errorf("%s has no MarshalJSON", v.Type())
	},
	parse: func(_ decoder, text []byte, v reflect.Value) error {
		return v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(text)
	},
}

// A structPlan is what is known of an object type.
type structPlan struct {
	name    string // of the Go type
	fields  []fieldPlan
	byName  map[string]int // members to indices of fields
	inline  []inlinePlan
	unknown int     // index of the field Unknown
	tag     *tagged // the discriminator that the type is always written with; nil if there is none
}

// A fieldPlan is one member of an object.
type fieldPlan struct {
	name     string
	index    int
	codec    *codec
	required bool
	lenient  bool
	nullable bool
	skip     bool
}

// An inlinePlan is a field with a union whose members stand in the object itself.
type inlinePlan struct {
	name     string // of the Go field
	index    int
	union    *unionPlan
	required bool
}

func objectCodec(t reflect.Type) *codec {
	plan := sync.OnceValue(func() *structPlan { return newStructPlan(t) })
	return &codec{
		plan: plan,
		append: func(dst []byte, v reflect.Value) ([]byte, error) {
			p := plan()
			return p.append(dst, v, p.tag)
		},
		parse: func(d decoder, text []byte, v reflect.Value) error {
			p := plan()
			return p.parse(d, text, v, p.tag)
		},
	}
}

func newStructPlan(t reflect.Type) *structPlan {
	p := &structPlan{name: t.Name(), byName: map[string]int{}, tag: unions.tags[t]}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		marks := strings.Split(f.Tag.Get("acp"), ",")
		has := func(mark string) bool {
			for _, m := range marks {
				if m == mark {
					return true
				}
			}
			return false
		}
		switch {
		case f.Type == unknownType:
			p.unknown = i
		case has("inline"):
			p.inline = append(p.inline, inlinePlan{
				name: f.Name, index: i, union: unions.byInterface[f.Type], required: options != "omitzero",
			})
		case name != "-" && name != "":
			p.byName[name] = len(p.fields)
			p.fields = append(p.fields, fieldPlan{
				name: name, index: i, codec: codecFor(codecKey{f.Type, has("skip")}), required: options != "omitzero",
				lenient: has("lenient"), nullable: has("nullable"), skip: has("skip"),
			})
		}
	}
	return p
}

// memberName returns a member's name with its escapes resolved.
func memberName(m rawjson.Member) []byte {
	for _, c := range m.RawName {
		if c == '\\' {
			return []byte(m.Name())
		}
	}
	return m.RawName
}
