package acp

import (
	"reflect"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// parse reads a union whose members stand in the object text among others, and takes from unknown those that the
// variant knows.
func (p *inlinePlan) parse(d decoder, text []byte, v reflect.Value, unknown Unknown) error {
	variant, err := p.union.choose(text)
	if err != nil {
		if !p.required && p.absent(text) {
			return nil
		}
		return err
	}
	value := reflect.New(variant.typ)
	codec := codecOf(variant.typ)
	if codec.plan == nil { // one that is not known: its members are unknown members of the object
		delete(unknown, p.union.discriminator)
		err = codec.parse(d, text, value.Elem())
	} else {
		err = parseInline(codec.plan(), d, text, value.Elem(), variant.tag, unknown)
	}
	if err == nil {
		v.Set(value)
	}
	return err
}

func parseInline(plan *structPlan, d decoder, text []byte, v reflect.Value, tag *tagged, unknown Unknown) error {
	rest, err := plan.parseMembers(d, text, v, tag)
	if err != nil {
		return err
	}
	if tag != nil {
		delete(unknown, tag.name)
	}
	for name := range plan.byName {
		if _, kept := rest[name]; !kept { // what is kept is an explicit zero
			delete(unknown, name)
		}
	}
	return nil
}

// absent reports whether an object has none of the members that tell the variants apart.
func (p *inlinePlan) absent(text []byte) bool {
	if p.union.discriminator != "" {
		tag := rawjson.Get(text, p.union.discriminator)
		return tag == nil || rawjson.IsNull(tag)
	}
	return true
}

// append writes the members of the union that have a field.
func (p *inlinePlan) append(dst []byte, v reflect.Value) ([]byte, error) {
	if v.IsNil() && !p.required {
		return dst, nil
	}
	variant, value, err := p.union.variantOf(v)
	if err != nil {
		return dst, at(err, p.name)
	}
	codec := codecOf(variant.typ)
	if codec.plan == nil {
		tag, _ := p.union.unknownFields(value)
		return newTagged(p.union.discriminator, tag.String()).append(dst), nil
	}
	return codec.plan().appendMembers(variant.tag.append(dst), value)
}

// appendUnknown writes the other members of the union that the object at dst[start] lacks.
func (p *inlinePlan) appendUnknown(dst []byte, start int, v reflect.Value) ([]byte, error) {
	if v.IsNil() {
		return dst, nil
	}
	variant, value, err := p.union.variantOf(v)
	if err != nil {
		return dst, err
	}
	codec := codecOf(variant.typ)
	if codec.plan == nil {
		return dst, nil
	}
	return appendUnknown(dst, start, codec.plan().unknownOf(value))
}
