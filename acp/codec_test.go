package acp

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// A protocol of toys, which has each thing that the codec can do once.

type toy struct {
	Name    string            `json:"name"`
	Count   uint8             `json:"count"`
	List    []string          `json:"list"`
	Odd     []shape           `json:"odd,omitzero" acp:"lenient,skip"`
	Title   string            `json:"title,omitzero" acp:"lenient"`
	Flag    bool              `json:"flag,omitzero"`
	Maybe   *int64            `json:"maybe,omitzero" acp:"lenient"`
	Ratio   *float64          `json:"ratio,omitzero"`
	Bag     map[string]int    `json:"bag"`
	Empty   []string          `json:"empty" acp:"nullable"`
	Data    Raw               `json:"data,omitzero"`
	Patch   Optional[[]shape] `json:"patch,omitzero" acp:"lenient,skip"`
	Shape   shape             `json:"shape"`
	ID      jsonrpc.ID        `json:"id,omitzero"`
	Meta    Meta              `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown           `json:"-"`
}

func (v toy) MarshalJSON() ([]byte, error)     { return marshal(&v) }
func (v *toy) UnmarshalJSON(text []byte) error { return unmarshal(text, v) }

type shape interface{ isShape() }

type circle struct {
	Radius  float64 `json:"radius"`
	Unknown Unknown `json:"-"`
}

type square struct {
	Side    int32   `json:"side"`
	Unknown Unknown `json:"-"`
}

type disc struct {
	Width   int32   `json:"width"`
	Unknown Unknown `json:"-"`
}

type dot struct {
	Label   string  `json:"label,omitzero"`
	Unknown Unknown `json:"-"`
}

type unknownShape struct {
	Type string
	Raw  Raw
}

func (*circle) isShape()       {}
func (*square) isShape()       {}
func (*disc) isShape()         {}
func (*dot) isShape()          {}
func (*unknownShape) isShape() {}

func (v circle) MarshalJSON() ([]byte, error)     { return marshal(&v) }
func (v *circle) UnmarshalJSON(text []byte) error { return unmarshal(text, v) }
func (v disc) MarshalJSON() ([]byte, error)       { return marshal(&v) }

var _ = union[shape]("type").
	variant("circle", &circle{}).
	shared("disc", &disc{}).
	untagged(&dot{}).alias("dot", &dot{}).
	unknown(&unknownShape{})

// box has unions whose members stand in the object itself.
type box struct {
	Name    string  `json:"name"`
	Shape   figure  `acp:"inline"`
	Owner   owner   `json:",omitzero" acp:"inline"`
	Unknown Unknown `json:"-"`
}

type figure interface{ isFigure() }

type unknownFigure struct{ Type string }

func (*circle) isFigure()        {}
func (*square) isFigure()        {}
func (*dot) isFigure()           {}
func (*unknownFigure) isFigure() {}

var _ = union[figure]("type").
	variant("circle", &circle{}).
	variant("square", &square{}).
	untagged(&dot{}).
	unknown(&unknownFigure{})

type owner interface{ isOwner() }

type person struct {
	Person  string  `json:"person"`
	Nick    string  `json:"nick,omitzero"`
	Unknown Unknown `json:"-"`
}

type firm struct {
	Firm    string  `json:"firm"`
	Unknown Unknown `json:"-"`
}

func (*person) isOwner() {}
func (*firm) isOwner()   {}

var _ = union[owner]("").shape("person", &person{}).shape("firm", &firm{})

func (v box) MarshalJSON() ([]byte, error)     { return marshal(&v) }
func (v *box) UnmarshalJSON(text []byte) error { return unmarshal(text, v) }

const someToy = `"name":"n","count":1,"list":[],"bag":{},"shape":{"type":"circle","radius":1}`

// TestReadAndWrite reads what is on the left and writes what is on the right, the same if that is empty.
func TestReadAndWrite(t *testing.T) {
	const tail = `,"list":[],"bag":{},"empty":[],"shape":{"type":"circle","radius":1}`
	for _, c := range []struct{ name, in, out string }{
		{"everything", `{"name":"n","count":255,"list":["a","b"],"odd":[{"type":"circle","radius":0.5},{"type":"disc","width":-3}],` +
			`"title":"t","flag":true,"maybe":0,"ratio":0.1,"bag":{"a":1,"b":2},"empty":["x"],"data":{"deep":[1,2.50,1e999]},` +
			`"patch":[],"shape":{"label":"l"},"id":"7","_meta":{"k":1.0}}`, ""},
		{"required and empty", `{"name":"","count":0,"list":[],"bag":{},"empty":[],"shape":{}}`, ""},
		{"F109: null and absence of a nullable member", `{"name":"n","count":1,"list":[],"bag":{},"empty":null,"shape":{}}`,
			`{"name":"n","count":1,"list":[],"bag":{},"empty":[],"shape":{}}`},
		{"null is absent", `{` + someToy + `,"odd":null,"title":null,"flag":null,"maybe":null,"ratio":null,"data":null,"id":null,"_meta":null}`,
			`{"name":"n","count":1` + tail + `}`},
		{"null is not absent in a patch", `{` + someToy + `,"patch":null}`, `{"name":"n","count":1,"list":[],"bag":{},"empty":[],"patch":null,"shape":{"type":"circle","radius":1}}`},
		{"the last of equal names counts", `{"name":7,"title":"t","title":null,"x":1,"x":2,"name":"n","count":1` + tail + `}`,
			`{"name":"n","count":1` + tail + `,"x":2}`},
		{"names with escapes", `{"n\u0061me":"n","\u0078":1,"count":1` + tail + `}`, `{"name":"n","count":1` + tail + `,"x":1}`},
		{"S001.15: unknown members are kept and sorted", `{"zz":{"a" : 1},"name":"n","count":1` + tail + `,"aa":null}`,
			`{"name":"n","count":1` + tail + `,"aa":null,"zz":{"a" : 1}}`},
		{"explicit zeros are kept", `{"name":"n","title":"","flag":false,"count":1` + tail + `}`, `{"name":"n","count":1` + tail + `,"flag":false,"title":""}`},
		{"integers in any dress", `{"name":"n","count":1.50e1` + tail + `}`, `{"name":"n","count":15` + tail + `}`},
		{"one line", "{\n\"name\":\"n\",\"count\":1" + tail + ",\"x\":[\n1,\r\n\" \"]}", `{"name":"n","count":1` + tail + `,"x":[1," "]}`},
		{"bad UTF-8 and half surrogates", "{\"name\":\"a\xffb\\ud800c\",\"count\":1" + tail + ",\"x\":\"\xfe\\udc00\",\"\xfd\":1}",
			`{"name":"a�b�c","count":1` + tail + `,"x":"` + "\ufffd\ufffd" + `","` + "\ufffd" + `":1}`},
		{"HTML and line separators", `{"name":"<a&b>` + "\u2028" + `","count":1` + tail + `,"x":"<` + "\u2029" + `>"}`,
			`{"name":"<a&b>\u2028","count":1` + tail + `,"x":"<\u2029>"}`},
		{"an alias of a type without a discriminator", `{"name":"n","count":1,"list":[],"bag":{},"empty":[],"shape":{"label":"l","type":"dot"}}`, ""},
		{"an unknown variant", `{"name":"n","count":1,"list":[],"bag":{},"empty":[],"shape":{"type":"star","rays":[5]}}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.out == "" {
				c.out = c.in
			}
			var v toy
			problems, err := Decode([]byte(c.in), &v)
			if err != nil || problems != nil {
				t.Fatalf("decode: %v, %v", err, problems)
			}
			text, err := v.MarshalJSON()
			if err != nil {
				t.Fatalf("encode: %v", err)
			}
			if diff := cmp.Diff(c.out, string(text)); diff != "" {
				t.Errorf("encoded (-want +got):\n%s", diff)
			}
			for name, write := range map[string]func(any) ([]byte, error){
				"encoding/json":           json.Marshal,
				"go-json-experiment/json": func(v any) ([]byte, error) { return jsonv2.Marshal(v) },
			} {
				for _, v := range []any{v, &v} {
					text, err := write(v)
					if err != nil {
						t.Fatalf("written by %s: %v", name, err)
					}
					sameJSON(t, "written by "+name, []byte(c.out), text)
				}
			}
			for name, read := range map[string]func([]byte, any) error{
				"encoding/json":           json.Unmarshal,
				"go-json-experiment/json": func(b []byte, v any) error { return jsonv2.Unmarshal(b, v) },
			} {
				var again toy
				if err := read([]byte(c.out), &again); err != nil {
					t.Errorf("read by %s: %v", name, err)
				}
				text, err := again.MarshalJSON()
				if string(text) != c.out {
					t.Errorf("read by %s and written: %s, %v", name, text, err)
				}
			}
		})
	}
}

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

// F143, F159: what is required is written, however empty.
func TestRequiredMembersAreAlwaysWritten(t *testing.T) {
	text, err := toy{Shape: &circle{}}.MarshalJSON()
	want := `{"name":"","count":0,"list":[],"bag":{},"empty":[],"shape":{"type":"circle","radius":0}}`
	if string(text) != want || err != nil {
		t.Errorf("%s, %v", text, err)
	}
}

func TestAFieldWinsOverAnUnknownMember(t *testing.T) {
	v := toy{
		Title: "t", Shape: &disc{Unknown: Unknown{"type": Raw(`"x"`), "width": Raw(`9`)}},
		Unknown: Unknown{"title": Raw(`"no"`), "name": Raw(`"no"`), "flag": Raw(`false`), "new": Raw(`1`)},
	}
	text, err := v.MarshalJSON()
	want := `{"name":"","count":0,"list":[],"title":"t","bag":{},"empty":[],"shape":{"type":"disc","width":0},"flag":false,"new":1}`
	if string(text) != want || err != nil {
		t.Errorf("%s, %v", text, err)
	}
}

func TestADiscriminatorIsWrittenAlsoAlone(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{circle{Radius: 2}, `{"type":"circle","radius":2}`},
		{disc{Width: 2}, `{"width":2}`}, // shared: only in the union
		{struct{ S shape }{&circle{Radius: 2}}, `{"S":{"type":"circle","radius":2}}`},
	} {
		text, err := json.Marshal(c.v)
		if string(text) != c.want || err != nil {
			t.Errorf("%s, %v; want %s", text, err, c.want)
		}
	}
	var v circle
	if err := json.Unmarshal([]byte(`{"radius":2}`), &v); err != nil || v.Radius != 2 {
		t.Errorf("a circle without its discriminator: %v, %v", v, err)
	}
	if err := json.Unmarshal([]byte(`{"type":"disc","radius":2}`), &v); err == nil {
		t.Error("a disc was read as a circle")
	}
}

func TestDecodeReadsUnionsAndSlices(t *testing.T) {
	var one shape
	if _, err := Decode([]byte(` {"radius":3,"type":"circle"} `), &one); err != nil || one.(*circle).Radius != 3 {
		t.Errorf("%v, %v", one, err)
	}
	var many []shape
	if _, err := Decode([]byte(`[{"label":"a"},{"type":"star"}]`), &many); err != nil || len(many) != 2 || many[1].(*unknownShape).Type != "star" {
		t.Errorf("%v, %v", many, err)
	}
	if _, err := Decode([]byte(`{}`), circle{}); err == nil {
		t.Error("decoded into a value")
	}
}

func TestInlineUnionsStandInTheObjectItself(t *testing.T) {
	for _, c := range []struct{ in, out string }{
		{`{"type":"circle","name":"l","radius":1,"firm":"f"}`, `{"name":"l","type":"circle","radius":1,"firm":"f"}`},
		{`{"name":"l","type":"square","side":1,"person":"p","more":1,"nick":""}`, ``},
		{`{"name":"l"}`, ``},
		{`{"name":"l","firm":"f","rays":[5],"type":"star"}`, `{"name":"l","type":"star","firm":"f","rays":[5]}`},
	} {
		if c.out == "" {
			c.out = c.in
		}
		var v box
		problems, err := Decode([]byte(c.in), &v)
		if err != nil || problems != nil {
			t.Errorf("Decode(%s): %v, %v", c.in, problems, err)
			continue
		}
		text, err := v.MarshalJSON()
		sameJSON(t, c.in, []byte(c.out), text)
		if string(text) != c.out || err != nil {
			t.Errorf("%s, %v; want %s", text, err, c.out)
		}
	}
	for in, want := range map[string]string{
		`{"name":"l","type":"circle"}`:             `circle without the required member "radius"`,
		`{"name":"l","firm":7}`:                    `/firm: expected a string, found a number`,
		`{"name":"l","type":"circle","radius":{}}`: `/radius: expected a number, found an object`,
	} {
		var v box
		if _, err := Decode([]byte(in), &v); err == nil || err.Error() != want {
			t.Errorf("Decode(%s): %v, want %s", in, err, want)
		}
	}
	if _, err := (&box{}).MarshalJSON(); err == nil || err.Error() != "/Shape: figure is nil" {
		t.Errorf("a box without a shape: %v", err)
	}
}

func TestOptional(t *testing.T) {
	var absent Optional[string]
	if v, ok := absent.Get(); !absent.IsZero() || absent.IsNull() || ok || v != "" || absent.Or("x") != "x" {
		t.Error("the zero Optional is not absent")
	}
	if v, ok := Null[string]().Get(); Null[string]().IsZero() || !Null[string]().IsNull() || ok || v != "" {
		t.Error("Null is not null")
	}
	if v, ok := Some("").Get(); Some("").IsZero() || Some("").IsNull() || !ok || v != "" || Some("y").Or("x") != "y" {
		t.Error("Some is not a value")
	}
	type patch struct {
		A Optional[string] `json:"a,omitzero"`
		B Optional[string] `json:"b,omitzero"`
		C Optional[Raw]    `json:"c,omitzero"`
		D Optional[shape]  `json:"d,omitzero"`
	}
	in := patch{B: Null[string](), C: Some(Raw(`[1]`)), D: Some[shape](&circle{Radius: 1})}
	want := `{"b":null,"c":[1],"d":{"type":"circle","radius":1}}`
	text, err := json.Marshal(in)
	if string(text) != want || err != nil {
		t.Errorf("encoding/json: %s, %v", text, err)
	}
	text, err = jsonv2.Marshal(in)
	if string(text) != want || err != nil {
		t.Errorf("go-json-experiment/json: %s, %v", text, err)
	}
	var out patch
	if err := jsonv2.Unmarshal(text, &out); err != nil || !out.A.IsZero() || !out.B.IsNull() || string(out.C.Or(nil)) != "[1]" {
		t.Errorf("go-json-experiment/json: %+v, %v", out, err)
	}
	// encoding/json does not tell null from absence of its own accord: it calls UnmarshalJSON with null all the same.
	if err := json.Unmarshal(text, &out); err != nil || !out.B.IsNull() {
		t.Errorf("encoding/json: %+v, %v", out, err)
	}
}

// W2 by way of the codec: what a peer nests deeply is skipped, never descended into.
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

// S001.15, F138: integers are exact whatever way they are written.
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
