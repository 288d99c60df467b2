package acp

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatDoesNotFitIsAnError(t *testing.T) {
	const tail = `,"list":[],"bag":{},"shape":{}`
	for _, c := range []struct{ in, want string }{
		{`{"name":"n"`, `unexpected end of JSON text`},
		{`{"name":"n"} x`, `invalid JSON at byte 13: data after the value`},
		{`[]`, `expected an object, found an array`},
		{`null`, `toy without the required member "name"`},
		{`{"count":1` + tail + `}`, `toy without the required member "name"`},
		{`{"name":null,"count":1` + tail + `}`, `/name: expected a value, found null`},
		{`{"name":1,"count":1` + tail + `}`, `/name: expected a string, found a number`},
		{`{"name":"n","count":256` + tail + `}`, `/count: 256 is out of range for an integer of 8 bits`},
		{`{"name":"n","count":-1` + tail + `}`, `/count: -1 is out of range for an integer of 8 bits`},
		{`{"name":"n","count":1.5` + tail + `}`, `/count: expected an integer, found a fraction`},
		{`{"name":"n","count":"1"` + tail + `}`, `/count: expected an integer, found a string`},
		{`{"name":"n","count":1e999999999999` + tail + `}`, `/count: 1e999999999999 is out of range for an integer of 8 bits`},
		{`{"name":"n","count":1e-999999999999` + tail + `}`, `/count: expected an integer, found a fraction`},
		{`{"name":"n","count":1,"ratio":1e999` + tail + `}`, `/ratio: 1e999 is out of range for a number`},
		{`{"name":"n","count":1,"list":["a",null],"bag":{},"shape":{}}`, `/list/1: expected a string, found null`},
		{`{"name":"n","count":1,"list":{},"bag":{},"shape":{}}`, `/list: expected an array, found an object`},
		{`{"name":"n","count":1,"list":[],"bag":{"a/~":true},"shape":{}}`, `/bag/a~1~0: expected an integer, found a boolean`},
		{`{"name":"n","count":1,"list":[],"bag":{},"shape":[]}`, `/shape: expected an object, found an array`},
		{`{"name":"n","count":1,"list":[],"bag":{},"shape":{"type":"circle"}}`, `/shape: circle without the required member "radius"`},
		{`{"name":"n","count":1,"list":[],"bag":{},"shape":{"type":7}}`, `/shape/type: expected a string, found a number`},
	} {
		var v toy
		_, err := Decode([]byte(c.in), &v)
		var problem *Problem
		if err == nil || err.Error() != c.want || !errors.As(err, &problem) {
			t.Errorf("Decode(%s): %v, want %s", c.in, err, c.want)
		}
		if err := json.Unmarshal([]byte(c.in), &v); err == nil && c.in != "null" {
			t.Errorf("Unmarshal(%s) succeeded", c.in)
		}
	}
}

// F138: one odd optional field does not kill a message; it is dropped and reported.
func TestWhatIsOptionalIsDroppedAndReported(t *testing.T) {
	in := `{"name":"n","count":1,"list":[],"bag":{},"shape":{"type":"disc","width":1},"title":{"x":1},"maybe":1.5,"_meta":"m",` +
		`"odd":[{"type":"circle","radius":1},7,{"type":"circle"},{"type":"disc","width":2}],"patch":[{"type":"circle","radius":"r"}]}`
	want := `{"name":"n","count":1,"list":[],"odd":[{"type":"circle","radius":1},{"type":"disc","width":2}],"bag":{},"empty":[],` +
		`"patch":[],"shape":{"type":"disc","width":1}}`
	var v toy
	problems, err := Decode([]byte(in), &v)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range problems {
		got = append(got, p.Error())
	}
	if diff := cmp.Diff([]string{
		`/odd/1: expected an object, found a number`,
		`/odd/2: circle without the required member "radius"`,
		`/title: expected a string, found an object`,
		`/maybe: expected an integer, found a fraction`,
		`/patch/0: /radius: expected a number, found a string`,
		`/_meta: expected an object, found a string`,
	}, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	text, err := v.MarshalJSON()
	if diff := cmp.Diff(want, string(text)); diff != "" || err != nil {
		t.Errorf("encoded: %v (-want +got):\n%s", err, diff)
	}
}

func TestProblemsInsideWhatWasDroppedAreForgotten(t *testing.T) {
	type outer struct {
		Inner   *toy    `json:"inner,omitzero" acp:"lenient"`
		Unknown Unknown `json:"-"`
	}
	var v outer
	problems, err := Decode([]byte(`{"inner":{"name":"n","count":1,"list":[],"bag":{},"title":7}}`), &v)
	if err != nil || len(problems) != 1 || problems[0].Error() != `/inner: toy without the required member "shape"` {
		t.Errorf("Decode: %v, %v", problems, err)
	}
	problems, err = Decode([]byte(`{"inner":{"name":"n","count":1,"list":[],"bag":{},"shape":{},"title":7}}`), &v)
	if err != nil || len(problems) != 1 || problems[0].Error() != `/inner/title: expected a string, found a number` {
		t.Errorf("Decode: %v, %v", problems, err)
	}
}

func TestEncodingFailsLoudly(t *testing.T) {
	good := toy{Shape: &dot{}}
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		change func(*toy)
		want   string
	}{
		{"nil union", func(v *toy) { v.Shape = nil }, `/shape: shape is nil`},
		{"nil variant", func(v *toy) { v.Shape = (*circle)(nil) }, `/shape: shape is nil`},
		{"nil in a list", func(v *toy) { v.Odd = []shape{nil} }, `/odd/0: shape is nil`},
		{"nil in a patch", func(v *toy) { v.Patch = Some([]shape{&dot{}, nil}) }, `/patch/1: shape is nil`},
		{"no number", func(v *toy) { v.Ratio = &nan }, `/ratio: NaN is no JSON number`},
		{"bad raw text", func(v *toy) { v.Data = Raw(`{"x"`) }, `/data: unexpected end of JSON text`},
		{"bad meta", func(v *toy) { v.Meta = Meta{"k": Raw(`x`)} }, `/_meta/k: invalid JSON at byte 0: expected a value`},
		{"bad unknown", func(v *toy) { v.Unknown = Unknown{"k": nil} }, `/k: unexpected end of JSON text`},
	} {
		v := good
		c.change(&v)
		if text, err := v.MarshalJSON(); err == nil || err.Error() != c.want {
			t.Errorf("%s: %s, %v; want the error %s", c.name, text, err, c.want)
		}
		if _, err := json.Marshal(v); err == nil {
			t.Errorf("%s: encoding/json saw no error", c.name)
		}
	}
}

// What a peer nests deeply is skipped, never descended into.
func TestDeepNestingIsRefusedOrKept(t *testing.T) {
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	var v toy
	if _, err := Decode([]byte(`{`+someToy+`,"data":`+deep(9990)+`}`), &v); err != nil || len(v.Data) != 2*9990 {
		t.Errorf("nested 9990 deep: %v", err)
	}
	if _, err := Decode([]byte(`{`+someToy+`,"data":`+deep(1<<20)+`}`), &v); err == nil {
		t.Error("nested a million deep: no error")
	}
	if _, err := Decode([]byte(`{"name":"n","count":1,"list":`+deep(9000)+`}`), &v); err == nil {
		t.Error("a list of lists was read as a list of strings")
	}
}

// Integers are exact whatever way they are written.
func FuzzInteger(f *testing.F) {
	for _, s := range []string{"0", "-0", "1e2", "100e-2", "9223372036854775807", "-9223372036854775808", "1.5", "1e400", "0e9999", "-0.0e-5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !json.Valid([]byte(s)) || strings.TrimSpace(s) != s || strings.Trim(s, "0123456789+-.eE") != "" {
			return
		}
		if i := strings.IndexAny(s, "eE"); i >= 0 && len(s)-i > 5 {
			return // more than the oracle can do
		}
		got, err := parseInt([]byte(s), 64)
		exact, ok := new(big.Rat).SetString(s)
		if !ok {
			t.Skip()
		}
		fits := exact.IsInt() && exact.Num().IsInt64()
		if fits != (err == nil) || fits && exact.Num().Int64() != got {
			t.Errorf("parseInt(%s) = %d, %v", s, got, err)
		}
	})
}
