package acp

import (
	"bytes"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// A habit is a line of testdata/habits.ndjson: something that peers do, and what becomes of it.
type habit struct {
	name    string
	as      string // "session/new params", "session/new result", or the name of a type
	in, out []byte
	dropped []string // paths of what is dropped and reported
	err     string   // the start of the error
}

func habits(t *testing.T) []habit {
	text, err := os.ReadFile("testdata/habits.ndjson")
	if err != nil {
		t.Fatal(err)
	}
	var list []habit
	for line := range bytes.Lines(text) {
		if err := rawjson.Check(line); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		h := habit{in: rawjson.Get(line, "in"), out: rawjson.Get(line, "out")}
		for field, target := range map[string]*string{"habit": &h.name, "as": &h.as, "error": &h.err} {
			*target = rawjson.String(orEmptyString(rawjson.Get(line, field)))
		}
		for c := rawjson.Walk(rawjson.Get(line, "dropped")); c.Next(); {
			h.dropped = append(h.dropped, rawjson.String(c.Value()))
		}
		if h.out == nil {
			h.out = h.in
		}
		list = append(list, h)
	}
	return list
}

// typeNamed finds the type that a habit is about.
func typeNamed(t *testing.T, as string) reflect.Type {
	if method, ok := strings.CutSuffix(as, " params"); ok && len(MethodsNamed(method)) > 0 {
		return MethodsNamed(method)[0].Params
	}
	if method, ok := strings.CutSuffix(as, " result"); ok && len(MethodsNamed(method)) > 0 {
		return MethodsNamed(method)[0].Result
	}
	if as == "Error" {
		return reflect.TypeFor[Error]()
	}
	for typ := range unions.byInterface {
		if typ.Name() == as {
			return typ
		}
	}
	t.Fatalf("no type called %q", as)
	return nil
}

// What the lines guard: S000.2, S000.3, S000.4, S000.7, S000.9, S000.10, S000.11, S000.12, S000.15, S000.16, S001.15,
// S002.3, S002.14, S004.1, S004.4, S004.5, S004.8, F2, F109, F136, F138, F139, F140, F157, F159.
func TestHabitsOfPeers(t *testing.T) {
	for _, h := range habits(t) {
		t.Run(h.name, func(t *testing.T) {
			typ := typeNamed(t, h.as)
			if slices.Contains(hotTypes, typ) {
				sameByHand(t, typ, h.in)
			}
			v := reflect.New(typ)
			problems, err := Decode(h.in, v.Interface())
			if h.err != "" {
				if err == nil || !strings.HasPrefix(err.Error(), h.err) {
					t.Errorf("error %v, want %s", err, h.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var dropped []string
			for _, p := range problems {
				dropped = append(dropped, p.Path)
			}
			if diff := cmp.Diff(h.dropped, dropped); diff != "" {
				t.Errorf("dropped (-want +got):\n%s", diff)
			}
			text, err := marshal(v.Interface())
			if err != nil {
				t.Fatal(err)
			}
			sameJSON(t, "encoded", h.out, text)
		})
	}
}

// F22: an update whose _meta dwarfs it, as one agent sends for its skills.
func TestHugeMetaIsKept(t *testing.T) {
	details := `{"availableSkillDetails":[` + strings.Repeat(`{"name":"skill","text":"`+strings.Repeat("x", 1000)+`"},`, 1000) + `null]}`
	text := []byte(`{"sessionId":"s","update":{"sessionUpdate":"available_commands_update","availableCommands":[],"_meta":` + details + `}}`)
	var v SessionNotification
	if err := v.ParseJSON(text); err != nil {
		t.Fatal(err)
	}
	again, err := v.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, "encoded", text, again)
}

// Shell output has bytes that are no UTF-8, and tools that were written for UTF-16 send half surrogate pairs.
func TestBadTextBecomesReplacementCharacters(t *testing.T) {
	text := []byte("{\"sessionId\":\"s\",\"update\":{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c\"," +
		"\"content\":[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"a\xffb\\ud800c\"}}],\"rawOutput\":\"\xfe\\udc00\"}}")
	var v SessionNotification
	if err := v.ParseJSON(text); err != nil {
		t.Fatal(err)
	}
	content := v.Update.(*ToolCallUpdate).Content.Or(nil)
	if got := content[0].(*Content).Content.(*TextContent).Text; got != "a\ufffdb\ufffdc" {
		t.Errorf("text %q", got)
	}
	again, err := v.AppendJSON(nil)
	if err != nil || !bytes.Contains(again, []byte("\"rawOutput\":\"\ufffd\ufffd\"")) {
		t.Errorf("written as %s, %v", again, err)
	}
}
