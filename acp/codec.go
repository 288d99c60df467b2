package acp

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// The codec of this package. Each type of the protocol is a struct whose tags say all there is to know:
//
//	Cwd   string `json:"cwd"`                          required: present and not null
//	Title string `json:"title,omitzero"`               optional: absent, null and "" are the same
//	      ... `acp:"lenient"`                          a value of the wrong type is dropped and reported
//	      ... `acp:"nullable"`                         required, but null and absence mean empty
//	      ... `acp:"skip"`                             array items that don't decode are dropped and reported
//	Mode  ElicitationMode `json:"-" acp:"inline"`      a union whose members stand in this very object
//
// codec_plan.go turns a type into a plan, once; codec_struct.go, codec_union.go and codec_scalar.go read and write by
// plan. The types that stream by the thousand have codecs written by hand on top of the same pieces (hot_*.go), and a
// property test holds the two equal.

// A Problem is something in a JSON text that did not fit its type. Decode returns those that cost no more than an
// optional value, an array item or a `_meta`. Every error of decoding is a *Problem too.
type Problem struct {
	Path string // where, as a JSON pointer: "/update/content/annotations"; "" is the whole text
	Err  error  // what was expected and found
}

func (p *Problem) Error() string {
	if p.Path == "" {
		return p.Err.Error()
	}
	return p.Path + ": " + p.Err.Error()
}

func (p *Problem) Unwrap() error { return p.Err }

// Decode reads JSON text into v, a pointer to any type of this package: a message, a union such as ContentBlock, or a
// slice of them. Beside the error it returns what had to be left out. It keeps no part of text.
func Decode(text []byte, v any) ([]Problem, error) {
	var found report
	err := decode(decoder{report: &found}, text, v)
	return found.problems, err
}

// unmarshal reads text of unknown origin: it is what every UnmarshalJSON of this package calls.
func unmarshal(text []byte, v any) error { return decode(decoder{}, text, v) }

func decode(d decoder, text []byte, v any) error {
	if err := rawjson.Check(text); err != nil {
		return &Problem{Err: err}
	}
	target := reflect.ValueOf(v)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return &Problem{Err: fmt.Errorf("can't decode into a %T: it is no pointer, or nil", v)}
	}
	if hot, ok := v.(hotCodec); ok {
		target.Elem().SetZero()
		l := lexer{text: text, alias: d.alias}
		if hot.parse(&l); l.done() {
			return nil
		}
	}
	return decodeByPlan(d, text, target.Elem())
}

// decodeByPlan reads valid text by the plan of target's type.
func decodeByPlan(d decoder, text []byte, target reflect.Value) error {
	if text = trim(text); len(text) == 0 {
		return &Problem{Err: errors.New("no text")}
	}
	codec := codecOf(target.Type())
	if codec.plan != nil && rawjson.IsNull(text) {
		text = []byte("{}") // what has no required members is often sent as null
	}
	target.SetZero()
	return asProblem(codec.parse(d, text, target))
}

func asProblem(err error) error {
	if _, ok := err.(*Problem); ok || err == nil {
		return err
	}
	return &Problem{Err: err}
}

// marshal writes what v points to: it is what every MarshalJSON of this package calls.
func marshal(v any) ([]byte, error) {
	if hot, ok := v.(hotCodec); ok {
		if out, err := hot.append(nil); err == nil {
			return out, nil
		}
	}
	return appendReflected(nil, v)
}

// appendReflected appends what v points to by the plan of its type.
func appendReflected(dst []byte, v any) ([]byte, error) {
	value := reflect.ValueOf(v).Elem()
	return codecOf(value.Type()).append(dst, value)
}

// A hotCodec is a message with a codec written by hand. On any error of append, and unless the lexer is done after
// parse, the reflective codec has to do it.
type hotCodec interface {
	append(dst []byte) ([]byte, error)
	parse(l *lexer)
}

// trim cuts the white space around a valid value.
func trim(text []byte) []byte {
	start, end := rawjson.SkipSpace(text, 0), len(text)
	for end > start && text[end-1] <= ' ' {
		end--
	}
	return text[start:end]
}

// A decoder says how to read: it is passed by value so that reading costs no allocation of its own.
type decoder struct {
	report *report // where problems go; nil if nobody asks
	alias  bool    // the text never changes, so long strings may be parts of it
}

type report struct{ problems []Problem }

// mark returns a place to which prefix and cut go back.
func (d decoder) mark() int {
	if d.report == nil {
		return 0
	}
	return len(d.report.problems)
}

// prefix puts name in front of the paths of all problems since mark: they were found inside that member.
func (d decoder) prefix(mark int, name string) {
	if d.report == nil {
		return
	}
	for i := range d.report.problems[mark:] {
		p := &d.report.problems[mark+i]
		p.Path = pointer(name) + p.Path
	}
}

// drop reports that the value of a member was left out because of err, and so forgets the problems inside it.
func (d decoder) drop(mark int, name string, err error) {
	if d.report != nil {
		d.report.problems = append(d.report.problems[:mark], Problem{Path: pointer(name), Err: err})
	}
}

// at says that err was found in the member called name.
func at(err error, name string) error {
	if p, ok := err.(*Problem); ok {
		return &Problem{Path: pointer(name) + p.Path, Err: p.Err}
	}
	return &Problem{Path: pointer(name), Err: err}
}

func item(i int) string { return strconv.Itoa(i) }

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// pointer returns name as one step of a JSON pointer.
func pointer(name string) string {
	if strings.ContainsAny(name, "~/") {
		name = pointerEscapes.Replace(name)
	}
	return "/" + name
}
