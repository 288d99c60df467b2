package rawjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCheckAgreesWithTheStandardLibrary(t *testing.T) {
	for _, text := range corpus {
		got, want := Check([]byte(text)) == nil, json.Valid([]byte(text))
		if got != want {
			t.Errorf("Check(%q) ok = %v, standard library says %v", text, got, want)
		}
	}
}

var corpus = []string{
	`{}`, `[]`, ` { "a" : [ 1 , -0.5e+3 , "x\u00e9\n" , true , false , null , {} , [[]] ] } `, `""`, `0`, `-1`, `1e5`, `1E-5`,
	"\"\u2028\"", "\"\xff\xfe\"", `"\ud800"`, `{"a":1,"a":2}`, "\t\r\n 7", `"01234567\"89abcdef"`, `[1,2,[3,{"x":[]}],"]"]`,
	``, ` `, `{`, `}`, `[`, `]`, `{"a"}`, `{"a":}`, `{"a":1,}`, `[1,]`, `[,1]`, `{,}`, `01`, `1.`, `.5`, `+1`, `-`, `1e`, `1e+`,
	`"`, `"\`, `"\x"`, `"\u12"`, `"\u12g4"`, "\"\n\"", "\"01234567\x01\"", `tru`, `nul`, `truex`, `1 2`, `{"a":1}x`, `{a:1}`, `{'a':1}`,
	`[1}`, `{"a":1]`, `{"a" 1}`, `{"a":1 "b":2}`, `[[[[]]]`, "\ufeff{}", `{"a":[}`, `{"a":{]}`, "\x00", `NaN`, `[1 2]`,
}

func FuzzCheck(f *testing.F) {
	for _, text := range corpus {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		ok := Check(text) == nil
		c := Walk(text)
		for c.Next() {
		}
		if i := SkipSpace(text, 0); i < len(text) && (text[i] == '{' || text[i] == '[') && (c.Err() == nil) != ok {
			t.Fatalf("walking %q: %v, but Check says valid = %v", text, c.Err(), ok)
		}
		if want := json.Valid(text); ok != want {
			t.Fatalf("Check(%q) ok = %v, standard library says %v", text, ok, want)
		}
		if !ok {
			return
		}
		if end, _ := Skip(text, 0); SkipValid(text, 0) != end {
			t.Fatalf("SkipValid(%q) = %d, want %d", text, SkipValid(text, 0), end)
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(text, &object) == nil && object != nil {
			got := map[string]json.RawMessage{}
			for m := range Members(text) {
				got[m.Name()] = m.Value
			}
			for c := Walk(text); c.Next(); {
				if name := string(c.Name()); name != c.Member().Name() && utf8.ValidString(name) {
					t.Fatalf("a cursor on %q finds the name %q, want %q", text, name, c.Member().Name())
				}
			}
			if len(got) != len(object) {
				t.Fatalf("Members(%q) found %d names, want %d", text, len(got), len(object))
			}
			for name, value := range object {
				if !bytes.Equal(bytes.TrimSpace(value), got[name]) {
					t.Fatalf("member %q of %q is %q, want %q", name, text, got[name], value)
				}
			}
		}
		var s string
		if json.Unmarshal(text, &s) == nil && text[len(text)-1] == '"' && text[0] == '"' {
			if got := String(text); got != s {
				t.Fatalf("String(%q) = %q, want %q", text, got, s)
			}
		}
	})
}

// Long texts are looked at eight bytes at a time: every escape, wherever it stands, is what it is byte by byte.
func TestEscapesAtEveryOffset(t *testing.T) {
	specials := []string{"\"", "\\", "\n", "\r", "\t", "\b", "\f", "\x01", "\x1f", "\x7f", "é", "\u2028", "😀", "\xff", "\\\"", "\"\"", "\n\n\n"}
	for _, special := range specials {
		for before := range 20 {
			for _, after := range []int{0, 1, 6, 7, 8, 9, 30} {
				s := strings.Repeat("a", before) + special + strings.Repeat("b", after)
				literal := AppendString(nil, s)
				var got string
				if err := json.Unmarshal(literal, &got); err != nil || got != string([]rune(s)) {
					t.Fatalf("AppendString(%q) = %q: %q, %v", s, literal, got, err)
				}
				if String(literal) != got {
					t.Fatalf("String(%q) = %q", literal, String(literal))
				}
				for end := range literal {
					if Check(literal[:end]) == nil {
						t.Fatalf("%q passes", literal[:end])
					}
				}
				object := fmt.Appendf(nil, `{%s:1}`, literal)
				c := Walk(object)
				if !c.Next() || string(c.Name()) != got {
					t.Fatalf("the name in %q is %q", object, c.Name())
				}
			}
		}
	}
	for _, bad := range []string{`"\x"`, `"\u12"`, `"\u123g"`, "\"\n\"", `"\`, `"aaaaaaa\`, `"aaaaaa\`, `"aaaaaa\"`, `"aaaaaaa\"`} {
		for before := range 10 {
			if text := `"` + strings.Repeat("a", before) + bad[1:]; Check([]byte(text)) == nil {
				t.Errorf("%q passes", text)
			}
		}
	}
}

func FuzzAppendString(f *testing.F) {
	f.Add("plain text, long enough for a word at a time")
	f.Add("q\"b\\n\nc\x01 \u2028\u2029 \xff\xc3 é 😀 \x7f")
	f.Fuzz(func(t *testing.T, s string) {
		for _, literal := range [][]byte{AppendString(nil, s), AppendString(nil, []byte(s))} {
			var got string
			if err := json.Unmarshal(literal, &got); err != nil {
				t.Fatalf("AppendString(%q) = %q: %v", s, literal, err)
			}
			if want := string([]rune(s)); got != want {
				t.Fatalf("AppendString(%q) reads back as %q", s, got)
			}
			if String(literal) != got {
				t.Fatalf("String(%q) = %q, want %q", literal, String(literal), got)
			}
			if bytes.ContainsAny(literal, "\n\u2028\u2029") {
				t.Fatalf("AppendString(%q) = %q holds a line separator", s, literal)
			}
		}
	})
}

func TestAppendValueWritesOneCleanLine(t *testing.T) {
	for in, want := range map[string]string{
		`{ "a" : [1.0, 1e5] }`:               `{ "a" : [1.0, 1e5] }`,
		"{\r\n\t\"a\" : [1.0,\n 1e5] }":      `{"a":[1.0,1e5]}`,
		"[\n\" a\u00e9\\u00e9\\/ \"]":        "[\" a\u00e9\\u00e9\\/ \"]",
		"\"a\xffb\"":                         "\"a\ufffdb\"",
		"{\"\xff\": \"\xfe\", \"b\": \"c\"}": "{\"\ufffd\":\"\ufffd\",\"b\":\"c\"}",
		`"\ud83d\ude00 \ud83d \uDE00"`:       "\"\U0001F600 \ufffd \ufffd\"",
		"\"a\u2028b\"":                       `"a\u2028b"`,
		`"a\u2028b\u00ff"`:                   `"a\u2028b\u00ff"`,
	} {
		got, err := AppendValue([]byte("x"), []byte(in))
		if string(got) != "x"+want || err != nil {
			t.Errorf("AppendValue(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	if got, err := AppendValue(nil, []byte(`{"a"`)); err == nil || len(got) > 0 {
		t.Errorf("AppendValue of broken text = %q, %v", got, err)
	}
}

func TestDepthIsLimitedWithoutRecursion(t *testing.T) {
	for depth, want := range map[int]bool{1: true, 255: true, 256: true, 257: true, 1000: true, MaxDepth: true, MaxDepth + 1: false, 5_000_000: false} {
		text := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		if got := Check([]byte(text)) == nil; got != want {
			t.Errorf("nesting of %d accepted = %v, want %v", depth, got, want)
		}
	}
	mixed := strings.Repeat(`{"a":[`, 400) + `1` + strings.Repeat(`]}`, 400)
	if err := Check([]byte(mixed)); err != nil {
		t.Errorf("alternating objects and arrays: %v", err)
	}
}

func TestGetTakesTheLastOfEqualNames(t *testing.T) {
	object := []byte(` { "a": 1, "b": {"a": 2}, "\u0061": [ 3 ] , "c":null} `)
	for name, want := range map[string]string{"a": "[ 3 ]", "b": `{"a": 2}`, "c": "null", "d": ""} {
		if got := string(Get(object, name)); got != want {
			t.Errorf("Get(%q) = %q, want %q", name, got, want)
		}
	}
	if got := Get([]byte(`[1,2]`), "a"); got != nil {
		t.Errorf("Get on an array = %q", got)
	}
}

func TestWalkVisitsTheElementsOfAnArray(t *testing.T) {
	var got []string
	c := Walk([]byte(` [ 1, "a" ,[], {"x":[1,2]} ] `))
	for c.Next() {
		got = append(got, string(c.Value()))
	}
	if want := `1 "a" [] {"x":[1,2]}`; strings.Join(got, " ") != want {
		t.Errorf("elements %q, want %q", got, want)
	}
	for _, empty := range []string{"[]", " [ ] ", "{}", `"x"`, "3", ""} {
		if c := Walk([]byte(empty)); c.Next() {
			t.Errorf("Walk(%q) found %q", empty, c.Value())
		}
	}
}

func TestSkimmerFindsTopLevelMembersWhateverThePieces(t *testing.T) {
	cases := []struct{ text, id, method string }{
		{`{"jsonrpc":"2.0","id":7,"method":"a/b","params":{"id":8,"method":"x"}}`, `7`, `"a/b"`},
		{`{"params":{"text":"} \" , \\","more":[1,{"id":3}]},"method":"m","id":"\"q\""}`, `"\"q\""`, `"m"`},
		{`{"id":1,"result":"` + strings.Repeat("x", 5000) + `","id":2}`, `2`, ``},
		{` { "id" : null , "method" : "m" } `, `null`, `"m"`},
		{`{"\u0069d":5}`, `5`, ``},
		{`{"id":{"x":1},"method":["m"]}`, ``, ``},
		{`{"id":"` + strings.Repeat("y", 2000) + `","method":"m"}`, ``, `"m"`},
		{`[{"id":1}]`, ``, ``},
		{`not json at all "id":1`, ``, ``},
		{`}}}]]]{"id":1}`, ``, ``},
	}
	for _, c := range cases {
		for _, size := range []int{1, 2, 3, 7, 64, 1 << 20} {
			s := NewSkimmer("id", "method")
			for rest := []byte(c.text); len(rest) > 0; {
				n := min(size, len(rest))
				_, _ = s.Write(rest[:n])
				rest = rest[n:]
			}
			if got := string(s.Get("id")); got != c.id {
				t.Errorf("pieces of %d of %.60q: id %q, want %q", size, c.text, got, c.id)
			}
			if got := string(s.Get("method")); got != c.method {
				t.Errorf("pieces of %d of %.60q: method %q, want %q", size, c.text, got, c.method)
			}
		}
	}
}

func FuzzSkimmer(f *testing.F) {
	f.Add([]byte(`{"id":1,"method":"m","params":[{"id":2}]}`), 3)
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		if size < 1 {
			size = 1
		}
		s := NewSkimmer("id", "method")
		for rest := text; len(rest) > 0; {
			n := min(size, len(rest))
			_, _ = s.Write(rest[:n])
			rest = rest[n:]
		}
		if Check(text) != nil {
			return
		}
		for _, name := range []string{"id", "method"} {
			want := Get(text, name)
			if len(want) == 0 || want[0] == '{' || want[0] == '[' || len(want) > 500 {
				want = nil
			}
			if got := s.Get(name); len(want) > 0 && !bytes.Equal(got, want) {
				t.Fatalf("%s of %q is %q, want %q", name, text, got, want)
			}
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	text := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s-1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hello, world"}}}}`)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := Check(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheckLongString(b *testing.B) {
	text := AppendString(nil, strings.Repeat("x", 1<<20))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := Check(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendString(b *testing.B) {
	s := strings.Repeat("some words here ", 640)
	dst := make([]byte, 0, 2*len(s))
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		dst = AppendString(dst[:0], s)
	}
	if !utf8.Valid(dst) {
		b.Fatal("not UTF-8")
	}
}

// TestReadString reads texts of every kind that are most of what is left, and texts that are not.
func TestReadString(t *testing.T) {
	pieces := []string{`plain text `, `\n`, `\"`, `\\`, `\u00e9`, `\ud83d\ude00`, `\ud83d`, "é", "\xff", `{\"a\":1}`}
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 60 {
		var inside strings.Builder
		kinds := 1 + round%len(pieces)
		for inside.Len() < hugeText {
			inside.WriteString(pieces[rng.IntN(kinds)])
			if kinds > 1 && pieces[kinds-1] == `\ud83d` {
				inside.WriteString("x")
			}
		}
		literal := `"` + inside.String() + `"`
		for _, rest := range []string{"", "]", strings.Repeat(",1", round*20_000)} {
			text, next := ReadString([]byte("["+literal+rest), 1)
			if want := String([]byte(literal)); text != want || next != 1+len(literal) {
				t.Fatalf("round %d: got %d bytes up to %d, want %d bytes up to %d", round, len(text), next, len(want), 1+len(literal))
			}
		}
	}
}

func TestStringPieces(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range 40 {
		var b strings.Builder
		for size := rng.IntN(3 * pieceSize); b.Len() < size; {
			b.WriteString([]string{"text ", "é", "\xff", "\U0001f600", "\"", "\n", "\x01", "\u2028"}[rng.IntN(1+round%8)])
		}
		text := b.String()
		want := AppendString(nil, text)
		var got []byte
		for piece := range StringPieces(text) {
			got = append(got, piece...)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("round %d: %d bytes, want %d", round, len(got), len(want))
		}
		if bound := StringBound(text); bound < len(want) || round%8 == 0 && bound != len(want) {
			t.Fatalf("round %d: a bound of %d for %d bytes", round, bound, len(want))
		}
	}
	for range StringPieces(strings.Repeat("x", 3*pieceSize)) {
		break // whoever has had enough may go
	}
}

func BenchmarkStringBound(b *testing.B) {
	text := strings.Repeat("A session keeps a queue of its own.\nSee \"queue.go\".\n\n", 1<<16)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		StringBound(text)
	}
}
