package acp

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// The codecs of everything that is no object and no union.

var rawCodec = &codec{
	null: true,
	append: func(dst []byte, v reflect.Value) ([]byte, error) {
		if v.Len() == 0 {
			return append(dst, "null"...), nil
		}
		return rawjson.AppendValue(dst, v.Bytes())
	},
	parse: func(_ decoder, text []byte, v reflect.Value) error {
		v.SetBytes(clone(text))
		return nil
	},
}

var stringCodec = &codec{
	append: func(dst []byte, v reflect.Value) ([]byte, error) { return rawjson.AppendString(dst, v.String()), nil },
	parse: func(d decoder, text []byte, v reflect.Value) error {
		s, err := d.string(text)
		v.SetString(s)
		return err
	},
}

var boolCodec = &codec{
	append: func(dst []byte, v reflect.Value) ([]byte, error) { return strconv.AppendBool(dst, v.Bool()), nil },
	parse: func(_ decoder, text []byte, v reflect.Value) error {
		b, err := parseBool(text)
		v.SetBool(b)
		return err
	},
}

func intCodec(bits int) *codec {
	return &codec{
		append: func(dst []byte, v reflect.Value) ([]byte, error) { return strconv.AppendInt(dst, v.Int(), 10), nil },
		parse: func(_ decoder, text []byte, v reflect.Value) error {
			n, err := parseInt(text, bits)
			v.SetInt(n)
			return err
		},
	}
}

func uintCodec(bits int) *codec {
	return &codec{
		append: func(dst []byte, v reflect.Value) ([]byte, error) { return strconv.AppendUint(dst, v.Uint(), 10), nil },
		parse: func(_ decoder, text []byte, v reflect.Value) error {
			n, err := parseUint(text, bits)
			v.SetUint(n)
			return err
		},
	}
}

var floatCodec = &codec{
	append: func(dst []byte, v reflect.Value) ([]byte, error) { return appendFloat(dst, v.Float()) },
	parse: func(_ decoder, text []byte, v reflect.Value) error {
		f, err := parseFloat(text)
		v.SetFloat(f)
		return err
	},
}

var errNil = errors.New("a required value is nil")

func pointerCodec(t reflect.Type) *codec {
	elem := codecOf(t.Elem())
	return &codec{
		append: func(dst []byte, v reflect.Value) ([]byte, error) {
			if v.IsNil() {
				return dst, errNil
			}
			return elem.append(dst, v.Elem())
		},
		parse: func(d decoder, text []byte, v reflect.Value) error {
			if rawjson.IsNull(text) {
				return errNull
			}
			v.Set(reflect.New(t.Elem()))
			return elem.parse(d, text, v.Elem())
		},
	}
}

func sliceCodec(key codecKey) *codec {
	elem := codecOf(key.typ.Elem())
	return &codec{
		append: func(dst []byte, v reflect.Value) ([]byte, error) {
			dst = append(dst, '[')
			for i := range v.Len() {
				if i > 0 {
					dst = append(dst, ',')
				}
				var err error
				if dst, err = elem.append(dst, v.Index(i)); err != nil {
					return dst, at(err, item(i))
				}
			}
			return append(dst, ']'), nil
		},
		parse: func(d decoder, text []byte, v reflect.Value) error {
			if text[0] != '[' {
				return expected("an array", text)
			}
			v.Set(reflect.MakeSlice(key.typ, 0, 0))
			c := rawjson.WalkValid(text)
			for i := 0; c.Next(); i++ {
				mark := d.mark()
				value := reflect.New(key.typ.Elem()).Elem()
				if err := elem.parse(d, c.Value(), value); err != nil {
					if !key.skip {
						return at(err, item(i))
					}
					d.drop(mark, item(i), err)
					continue
				}
				d.prefix(mark, item(i))
				v.Set(reflect.Append(v, value))
			}
			return nil
		},
	}
}

func mapCodec(t reflect.Type) *codec {
	elem := codecOf(t.Elem())
	return &codec{
		append: func(dst []byte, v reflect.Value) ([]byte, error) {
			dst = append(dst, '{')
			keys := v.MapKeys()
			slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
			slices.SortStableFunc(keys, func(a, b reflect.Value) int {
				return strings.Compare(cleanName(a.String()), cleanName(b.String()))
			})
			keys = slices.CompactFunc(keys, func(a, b reflect.Value) bool { return cleanName(a.String()) == cleanName(b.String()) })
			for _, key := range keys {
				value := reflect.New(t.Elem()).Elem() // map elements are not addressable
				value.Set(v.MapIndex(key))
				var err error
				if dst, err = elem.append(appendName(dst, key.String()), value); err != nil {
					return dst, at(err, key.String())
				}
			}
			return append(dst, '}'), nil
		},
		parse: func(d decoder, text []byte, v reflect.Value) error {
			if text[0] != '{' {
				return expected("an object", text)
			}
			v.Set(reflect.MakeMap(t))
			last := make(map[string][]byte)
			for m := range rawjson.Members(text) {
				last[m.Name()] = m.Value
			}
			for _, name := range slices.Sorted(maps.Keys(last)) {
				mark := d.mark()
				value := reflect.New(t.Elem()).Elem()
				if err := elem.parse(d, last[name], value); err != nil {
					return at(err, name)
				}
				d.prefix(mark, name)
				v.SetMapIndex(reflect.ValueOf(name).Convert(t.Key()), value)
			}
			return nil
		},
	}
}

func optionalCodec(key codecKey) *codec {
	reach := func(v reflect.Value) (reflect.Value, *presence) {
		value, state := v.Addr().Interface().(optional).reach()
		return reflect.ValueOf(value).Elem(), state
	}
	inner, _ := reach(reflect.New(key.typ).Elem())
	elem := codecFor(codecKey{inner.Type(), key.skip})
	return &codec{
		null:     true,
		optional: true,
		append: func(dst []byte, v reflect.Value) ([]byte, error) {
			value, state := reach(v)
			if *state != present {
				return append(dst, "null"...), nil
			}
			return elem.append(dst, value)
		},
		parse: func(d decoder, text []byte, v reflect.Value) error {
			value, state := reach(v)
			*state = null
			if rawjson.IsNull(text) {
				return nil
			}
			*state = present
			return elem.parse(d, text, value)
		},
	}
}
