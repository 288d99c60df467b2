package acp

import (
	"bytes"
	"fmt"
	"reflect"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// hotTypes are the messages with codecs written by hand.
var hotTypes = []reflect.Type{
	reflect.TypeFor[SessionNotification](), reflect.TypeFor[PromptRequest](), reflect.TypeFor[PromptResponse](),
	reflect.TypeFor[RequestPermissionRequest](), reflect.TypeFor[RequestPermissionResponse](),
}

// A hotMessage is what package jsonrpc prefers.
type hotMessage interface {
	hotCodec
	AppendJSON(dst []byte) ([]byte, error)
	ParseJSON(text []byte) error
}

// sameByHand reads text with the codec written by hand and with the reflective one, and compares errors, values and
// what is written of them. It reports whether the text could be read.
func sameByHand(t interface{ Fatalf(string, ...any) }, typ reflect.Type, text []byte) bool {
	byHand := reflect.New(typ).Interface().(hotMessage)
	byPlan := reflect.New(typ)
	kept := bytes.Clone(text)
	got, want := byHand.ParseJSON(kept), decodeByPlan(decoder{}, text, byPlan.Elem())
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("ParseJSON(%s): %v, want %v", text, got, want)
	}
	if !bytes.Equal(kept, text) {
		t.Fatalf("ParseJSON changed %s to %s", text, kept)
	}
	var problems report
	again := reflect.New(typ)
	reported, err := Decode(text, again.Interface())
	if wantErr := decodeByPlan(decoder{report: &problems}, text, reflect.New(typ).Elem()); fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("Decode(%s): %v, want %v", text, err, wantErr)
	}
	if err == nil && fmt.Sprint(reported) != fmt.Sprint(problems.problems) {
		t.Fatalf("Decode(%s) reports %v, want %v", text, reported, problems.problems)
	}
	if want != nil {
		return false
	}
	if !reflect.DeepEqual(byHand, byPlan.Interface()) {
		t.Fatalf("ParseJSON(%s):\n%s", text, cmp.Diff(byPlan.Interface(), byHand, cmp.Exporter(func(reflect.Type) bool { return true })))
	}
	sameWritten(t, byHand)
	return true
}

// sameWritten compares what the two codecs write of a value.
func sameWritten(t interface{ Fatalf(string, ...any) }, v hotMessage) []byte {
	got, err := v.AppendJSON([]byte("x"))
	want, wantErr := appendReflected([]byte("x"), v)
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("AppendJSON(%+v): %v, want %v", v, err, wantErr)
	}
	if err != nil {
		return nil
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("AppendJSON(%+v):\n%s\nwant\n%s", v, got, want)
	}
	if alone, err := marshal(v); err != nil || !bytes.Equal(alone, want[1:]) {
		t.Fatalf("marshal(%+v): %s, %v", v, alone, err)
	}
	return got[1:]
}

func TestByHandAndByPlanReadAlike(t *testing.T) {
	for _, o := range []odds{0, 2, 20} {
		t.Run(fmt.Sprintf("odd in %d%%", o), rapid.MakeCheck(func(t *rapid.T) {
			for range 10 {
				typ := rapid.SampledFrom(hotTypes).Draw(t, "type")
				sameByHand(t, typ, []byte(drawJSON(t, typ, o)))
			}
		}))
	}
}

func TestByHandAndByPlanWriteAlike(t *testing.T) {
	for _, bad := range []odds{0, 3} {
		t.Run(fmt.Sprintf("bad in %d%%", bad), rapid.MakeCheck(func(t *rapid.T) {
			for range 10 {
				v := reflect.New(rapid.SampledFrom(hotTypes).Draw(t, "type"))
				drawValue(t, v.Elem(), bad)
				if text := sameWritten(t, v.Interface().(hotMessage)); text != nil {
					sameByHand(t, v.Type().Elem(), text)
				}
			}
		}))
	}
}

// What the property tests draw must be read by hand, by and large: otherwise they compare the plan with itself.
func TestMessagesAreReadByHand(t *testing.T) {
	byHand, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		typ := rapid.SampledFrom(hotTypes).Draw(t, "type")
		l := lexer{text: []byte(drawJSON(t, typ, 0))}
		v := reflect.New(typ).Interface().(hotCodec)
		v.parse(&l)
		all++
		if l.done() {
			byHand++
		}
	})
	if byHand < all*8/10 {
		t.Errorf("%d of %d messages were read by hand", byHand, all)
	}
}

func FuzzByHand(f *testing.F) {
	for _, s := range []string{chunkText, toolText, `{"sessionId":"s","prompt":[]}`, `{"stopReason":"end_turn","usage":null}`,
		`{"outcome":{"outcome":"selected","optionId":"o"}}`, `{"sessionId":"s","toolCall":{"toolCallId":"t"},"options":[]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if rawjson.Check(text) != nil {
			return
		}
		for i := range hotTypes {
			sameByHand(t, hotTypes[i], text)
		}
	})
}

// F16, F22: a text of any size is read without being copied.
func TestLongTextsShareTheMessagesMemory(t *testing.T) {
	for _, c := range []struct {
		name, text string
		shared     bool
	}{
		{"long", string(bytes.Repeat([]byte("x"), 4096)), true},
		{"long and not ASCII", string(bytes.Repeat([]byte("\u00e9"), 4096)), true},
		{"short", "x", false},
		{"escaped", string(bytes.Repeat([]byte(`\n`), 4096)), false},
		{"bad UTF-8", string(bytes.Repeat([]byte("\xff"), 4096)), false},
	} {
		message := []byte(`{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + c.text + `"}}}`)
		inside := func(s string) bool {
			at := uintptr(unsafe.Pointer(unsafe.StringData(s)))
			start := uintptr(unsafe.Pointer(&message[0]))
			return start <= at && at < start+uintptr(len(message))
		}
		text := func(v SessionNotification) string { return v.Update.(*AgentMessageChunk).Content.(*TextContent).Text }
		var v SessionNotification
		if err := v.ParseJSON(message); err != nil || inside(text(v)) != c.shared {
			t.Errorf("%s: ParseJSON shares: %v, want %v (%v)", c.name, inside(text(v)), c.shared, err)
		}
		if err := parseReflected(message, &v); err != nil || inside(text(v)) != c.shared {
			t.Errorf("%s: by plan shares: %v, want %v (%v)", c.name, inside(text(v)), c.shared, err)
		}
		if err := v.UnmarshalJSON(message); err != nil || inside(text(v)) {
			t.Errorf("%s: UnmarshalJSON shares the caller's memory (%v)", c.name, err)
		}
		if _, err := Decode(message, &v); err != nil || inside(text(v)) {
			t.Errorf("%s: Decode shares the caller's memory (%v)", c.name, err)
		}
	}
}

func TestAChunkCostsFewAllocations(t *testing.T) {
	text := []byte(chunkText)
	var v SessionNotification
	if n := testing.AllocsPerRun(100, func() { _ = new(SessionNotification).ParseJSON(text) }); n > 6 {
		t.Errorf("reading a chunk allocates %v times", n)
	}
	if err := v.ParseJSON(text); err != nil {
		t.Fatal(err)
	}
	dst := make([]byte, 0, 1024)
	if n := testing.AllocsPerRun(100, func() { dst, _ = v.AppendJSON(dst[:0]) }); n > 0 {
		t.Errorf("writing a chunk allocates %v times", n)
	}
}
