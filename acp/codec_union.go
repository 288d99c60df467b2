package acp

import (
	"fmt"
	"reflect"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// unions has every union of the protocol.
var unions = struct {
	byInterface map[reflect.Type]*unionPlan
	byUnknown   map[reflect.Type]*unionPlan // by the struct type of the variant that keeps what is not known
	tags        map[reflect.Type]*tagged    // of the struct types that are always written with a discriminator
}{map[reflect.Type]*unionPlan{}, map[reflect.Type]*unionPlan{}, map[reflect.Type]*tagged{}}

// A unionPlan is what is known of a union: an interface of this package and the types that implement it.
type unionPlan struct {
	name          string // of the Go interface
	discriminator string // the member that tells variants apart; "" if their shape does
	variants      []*variantPlan
	byTag         map[string]*variantPlan
	byType        map[reflect.Type]*variantPlan // by struct type; the first registration of a type counts
	untagged      *variantPlan
	unknown       *variantPlan
}

// A variantPlan is one type of a union.
type variantPlan struct {
	typ   reflect.Type // a struct
	tag   *tagged      // nil if the variant is written without a discriminator
	shape string       // the member whose presence tells the variant; "" if a discriminator does
}

// A tagged is a discriminator and its value.
type tagged struct {
	name, value string
	text        []byte // as a member
}

// union registers a union and returns a builder for its variants. See the comment of each method.
func union[I any](discriminator string) unionBuilder[I] {
	t := reflect.TypeFor[I]()
	u := &unionPlan{
		name: t.Name(), discriminator: discriminator,
		byTag: map[string]*variantPlan{}, byType: map[reflect.Type]*variantPlan{},
	}
	unions.byInterface[t] = u
	return unionBuilder[I]{u}
}

type unionBuilder[I any] struct{ plan *unionPlan }

// variant is a type that always carries its discriminator, also outside the union.
func (b unionBuilder[I]) variant(tag string, example I) unionBuilder[I] {
	v := b.shared(tag, example).plan.byTag[tag]
	unions.tags[v.typ] = v.tag
	return b
}

// shared is a type that carries the discriminator only as a value of the union.
func (b unionBuilder[I]) shared(tag string, example I) unionBuilder[I] {
	v := b.plan.add(example)
	v.tag = newTagged(b.plan.discriminator, tag)
	b.plan.byTag[tag] = v
	return b
}

// untagged is the type that is meant when there is no discriminator.
func (b unionBuilder[I]) untagged(example I) unionBuilder[I] {
	b.plan.untagged = b.plan.add(example)
	return b
}

// alias is a discriminator that some peers write for a type that has none. It is kept as an unknown member.
func (b unionBuilder[I]) alias(tag string, example I) unionBuilder[I] {
	b.plan.byTag[tag] = b.plan.byType[reflect.TypeOf(example).Elem()]
	return b
}

// shape is a type that is meant when a member is there.
func (b unionBuilder[I]) shape(member string, example I) unionBuilder[I] {
	b.plan.add(example).shape = member
	return b
}

// unknown is the type that keeps what is none of the others: a struct of the discriminator's value, if the union has
// one, and the Raw text. For a union that is only used inline it has no text: the members belong to the object.
func (b unionBuilder[I]) unknown(example I) unionBuilder[I] {
	v := b.plan.add(example)
	b.plan.unknown = v
	unions.byUnknown[v.typ] = b.plan
	return b
}

func (u *unionPlan) add(example any) *variantPlan {
	v := &variantPlan{typ: reflect.TypeOf(example).Elem()}
	u.variants = append(u.variants, v)
	if u.byType[v.typ] == nil {
		u.byType[v.typ] = v
	}
	return v
}

func newTagged(name, value string) *tagged {
	text := append(rawjson.AppendString(nil, name), ':')
	return &tagged{name: name, value: value, text: rawjson.AppendString(text, value)}
}

// append writes the discriminator as a member.
func (t *tagged) append(dst []byte) []byte {
	if t == nil {
		return dst
	}
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(dst, t.text...)
}

// is reports whether a value is that of the discriminator.
func (t *tagged) is(value []byte) bool {
	return rawjson.IsString(value) && rawjson.String(value) == t.value
}

func (t *tagged) mismatch(found []byte) error {
	return at(fmt.Errorf("expected %q, found %.40s", t.value, found), t.name)
}

func (u *unionPlan) codec() *codec {
	return &codec{
		append: func(dst []byte, v reflect.Value) ([]byte, error) {
			variant, value, err := u.variantOf(v)
			if err != nil {
				return dst, err
			}
			codec := codecOf(variant.typ)
			if codec.plan != nil {
				return codec.plan().append(dst, value, variant.tag)
			}
			return codec.append(dst, value)
		},
		parse: func(d decoder, text []byte, v reflect.Value) error {
			variant, err := u.choose(text)
			if err != nil {
				return err
			}
			value := reflect.New(variant.typ)
			codec := codecOf(variant.typ)
			if codec.plan != nil {
				err = codec.plan().parse(d, text, value.Elem(), variant.tag)
			} else {
				err = codec.parse(d, text, value.Elem())
			}
			if err == nil {
				v.Set(value)
			}
			return err
		},
	}
}

// variantOf returns the struct that an interface value holds.
func (u *unionPlan) variantOf(v reflect.Value) (*variantPlan, reflect.Value, error) {
	if v.IsNil() || v.Elem().IsNil() {
		return nil, v, fmt.Errorf("%s is nil", u.name)
	}
	value := v.Elem().Elem()
	variant := u.byType[value.Type()]
	if variant == nil {
		return nil, v, fmt.Errorf("%s is no %s", v.Elem().Type(), u.name)
	}
	return variant, value, nil
}

// choose finds the variant that an object is.
func (u *unionPlan) choose(text []byte) (*variantPlan, error) {
	if text[0] != '{' {
		return nil, expected("an object", text)
	}
	if u.discriminator == "" {
		return u.chooseByShape(text)
	}
	tag := rawjson.Get(text, u.discriminator)
	switch {
	case tag == nil || rawjson.IsNull(tag):
		if u.untagged != nil {
			return u.untagged, nil
		}
		return nil, missing(u.name, u.discriminator)
	case !rawjson.IsString(tag):
		return nil, at(expected("a string", tag), u.discriminator)
	}
	if v := u.byTag[rawjson.String(tag)]; v != nil {
		return v, nil
	}
	for _, v := range []*variantPlan{u.unknown, u.untagged} {
		if v != nil {
			return v, nil
		}
	}
	return nil, at(fmt.Errorf("%.40s is no kind of %s", tag, u.name), u.discriminator)
}

// chooseByShape takes the first variant whose member is there, if possible with a value that is not null.
func (u *unionPlan) chooseByShape(text []byte) (*variantPlan, error) {
	var isNull *variantPlan
	for _, v := range u.variants {
		value := rawjson.Get(text, v.shape)
		switch {
		case v.shape == "" || value == nil:
		case !rawjson.IsNull(value):
			return v, nil
		case isNull == nil:
			isNull = v
		}
	}
	for _, v := range []*variantPlan{isNull, u.untagged, u.unknown} {
		if v != nil {
			return v, nil
		}
	}
	return nil, fmt.Errorf("none of the shapes of a %s", u.name)
}

// unknownCodec is the codec of the variant that keeps what is not known.
func (u *unionPlan) unknownCodec() *codec {
	return &codec{
		append: func(dst []byte, v reflect.Value) ([]byte, error) {
			tag, raw := u.unknownFields(v)
			if raw.IsValid() && raw.Len() > 0 {
				return rawjson.AppendValue(dst, raw.Bytes())
			}
			dst = append(dst, '{')
			if tag.IsValid() {
				dst = newTagged(u.discriminator, tag.String()).append(dst)
			}
			return append(dst, '}'), nil
		},
		parse: func(_ decoder, text []byte, v reflect.Value) error {
			if text[0] != '{' {
				return expected("an object", text)
			}
			tag, raw := u.unknownFields(v)
			if raw.IsValid() {
				raw.SetBytes(clone(text))
			}
			if value := rawjson.Get(text, u.discriminator); tag.IsValid() && value != nil {
				s, err := decoder{}.string(value)
				if err != nil {
					return at(err, u.discriminator)
				}
				tag.SetString(s)
			}
			return nil
		},
	}
}

// unknownFields returns the fields of such a variant: the discriminator's value, whatever its name, and Raw.
func (u *unionPlan) unknownFields(v reflect.Value) (tag, raw reflect.Value) {
	if u.discriminator != "" {
		tag = v.Field(0)
	}
	return tag, v.FieldByName("Raw")
}
