package acp

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// everyType is what can be decoded: all messages and all unions, but for those that only stand inside objects.
func everyType() []reflect.Type {
	types := messageTypes()
	for t, u := range unions.byInterface {
		if u.unknown != nil {
			if _, raw := u.unknownFields(reflect.New(u.unknown.typ).Elem()); !raw.IsValid() {
				continue
			}
		}
		if c := t.Name()[0]; 'A' <= c && c <= 'Z' {
			types = append(types, t)
		}
	}
	return types
}

// F143, S001.15: what is read is written again, whole: order and escapes aside, null as absent.
func TestEveryTypeRoundTrips(t *testing.T) {
	for _, typ := range everyType() {
		t.Run(typ.Name(), rapid.MakeCheck(func(t *rapid.T) {
			text := []byte(drawJSON(t, typ, 0))
			v := reflect.New(typ)
			if problems, err := Decode(text, v.Interface()); err != nil || problems != nil {
				t.Fatalf("Decode(%s): %v, %v", text, err, problems)
			}
			again, err := marshal(v.Interface())
			if err != nil {
				t.Fatalf("encoding what was decoded of %s: %v", text, err)
			}
			if diff := cmp.Diff(withoutNulls(value(text)), withoutNulls(value(again))); diff != "" {
				t.Fatalf("%s\nwas written as\n%s\n(-want +got):\n%s", text, again, diff)
			}
		}))
	}
}

// Values made by hand, with nothing in them that JSON can't say, survive too: as values of Go this time.
func TestEveryValueSurvives(t *testing.T) {
	for _, typ := range everyType() {
		t.Run(typ.Name(), rapid.MakeCheck(func(t *rapid.T) {
			v := reflect.New(typ)
			drawValue(t, v.Elem(), 0)
			text, err := marshal(v.Interface())
			if err != nil {
				t.Skip(err) // a required pointer that is nil, say
			}
			stable(t, typ, text)
		}))
	}
}

// stable fails unless what is decoded of a text that this package wrote is written as the same JSON value.
func stable(t interface{ Fatalf(string, ...any) }, typ reflect.Type, text []byte) {
	if bytes.ContainsAny(text, "\n\r\u2028\u2029") {
		t.Fatalf("%q is not one line for everybody", text)
	}
	v := reflect.New(typ)
	problems, err := Decode(text, v.Interface())
	if err != nil || problems != nil {
		t.Fatalf("Decode(%s): %v, %v", text, err, problems)
	}
	again, err := marshal(v.Interface())
	if err != nil || !cmp.Equal(value(text), value(again)) {
		t.Fatalf("%s\nwas written as\n%s, %v", text, again, err)
	}
}

// checkDecode is the body of the fuzz tests: nothing makes decoding panic, and what has been decoded is stable.
func checkDecode(t *testing.T, typ reflect.Type, text []byte) {
	v := reflect.New(typ)
	if _, err := Decode(text, v.Interface()); err != nil {
		return
	}
	again, err := marshal(v.Interface())
	if err != nil {
		t.Fatalf("%s was decoded as a %s that can't be encoded: %v", text, typ, err)
	}
	if err := rawjson.Check(again); err != nil {
		t.Fatalf("%s was encoded as %s: %v", text, again, err)
	}
	stable(t, typ, again)
}

// FuzzUnions decodes a text as the union that the first byte chooses.
func FuzzUnions(f *testing.F) {
	list := unionTypes()
	for i, u := range list {
		for _, v := range u.variants {
			seed := `{"uri":"u","name":"n","text":"t","title":null,"id":"i","value":true,"content":[]}`
			if v.tag != nil {
				seed = `{` + string(v.tag.text) + `,` + seed[1:]
			}
			f.Add(byte(i), []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, which byte, text []byte) {
		u := list[int(which)%len(list)]
		for typ, plan := range unions.byInterface {
			if plan == u {
				checkDecode(t, typ, text)
			}
		}
	})
}

// FuzzDecode decodes a text as the message that the first byte chooses.
func FuzzDecode(f *testing.F) {
	list := messageTypes()
	for i := range list {
		seed := rapid.Custom(func(t *rapid.T) string { return drawJSON(t, list[i], 5) }).Example(i)
		f.Add(byte(i), []byte(seed))
	}
	f.Add(byte(0), []byte(`{"_meta":7}`))
	f.Fuzz(func(t *testing.T, which byte, text []byte) {
		checkDecode(t, list[int(which)%len(list)], text)
	})
}
