package acp

import (
	"encoding/json"
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
		{"null and absence of a nullable member", `{"name":"n","count":1,"list":[],"bag":{},"empty":null,"shape":{}}`,
			`{"name":"n","count":1,"list":[],"bag":{},"empty":[],"shape":{}}`},
		{"null is absent", `{` + someToy + `,"odd":null,"title":null,"flag":null,"maybe":null,"ratio":null,"data":null,"id":null,"_meta":null}`,
			`{"name":"n","count":1` + tail + `}`},
		{"null is not absent in a patch", `{` + someToy + `,"patch":null}`, `{"name":"n","count":1,"list":[],"bag":{},"empty":[],"patch":null,"shape":{"type":"circle","radius":1}}`},
		{"the last of equal names counts", `{"name":7,"title":"t","title":null,"x":1,"x":2,"name":"n","count":1` + tail + `}`,
			`{"name":"n","count":1` + tail + `,"x":2}`},
		{"names with escapes", `{"n\u0061me":"n","\u0078":1,"count":1` + tail + `}`, `{"name":"n","count":1` + tail + `,"x":1}`},
		{"unknown members are kept and sorted", `{"zz":{"a" : 1},"name":"n","count":1` + tail + `,"aa":null}`,
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
