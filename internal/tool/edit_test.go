package tool_test

import (
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/tool"
)

func TestEdit(t *testing.T) {
	p := at(t, "a.txt", "one\ntwo\n\tthree\ntwo\n")
	r := p.must(tool.Edit(), `{'path':'a.txt','edits':[{'old':'one\ntwo','new':'1'},{'old':'two','new':''},{'old':'1\n','new':'1\n2\n'}]}`)
	p.wantText(r, "Replaced 3 places in a.txt\n")
	p.wantLocations(r.Locations, "a.txt:1")
	if got := p.text("a.txt"); got != "1\n2\n\tthree\n\n" {
		t.Errorf("got %q", got)
	}
	p.wantText(p.must(tool.Edit(), `{'path':'a.txt','edits':[{'old':'\n','new':';','all':true}]}`), "Replaced 4 places in a.txt\n")
	if got := p.text("a.txt"); got != "1;2;\tthree;;" {
		t.Errorf("got %q", got)
	}
}

// An edit that can't be made says why, and what would help. None of the others is made either.
func TestEditsThatCanNotBeMade(t *testing.T) {
	text := "func one() {\n\treturn 1\n}\n\nfunc two() {\n\treturn 1\n}\n"
	p := at(t, "a.go", text, "latin1.txt", "caf\xe9 noir\n", "crlf.txt", "a\r\nb\r\n", "many", strings.Repeat("x\n", 12))
	for _, c := range []struct{ name, edits, want string }{
		{"a.go", `{'old':'return 2','new':'x'}`, `a.go: it doesn't hold "return 2"; the closest to its first line is line 2: "\treturn 1"; nothing was written`},
		{"a.go", `{'old':'    return 1\n}\n\nfunc two','new':'x'}`, `; line 2 has its first words, and spaces or what follows differ: "\treturn 1"`},
		{"a.go", `{'old':'something else','new':'x'}`, `it doesn't hold "something else"; nothing`},
		{"a.go", `{'old':'return 1','new':'x'}`, `it holds "return 1" in 2 places, at lines 2, 6; give more of the text around it, or set all`},
		{"many", `{'old':'x','new':'y'}`, `in 12 places, at lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …; give`},
		{"a.go", `{'old':'func one','new':'x'},{'old':'func one','new':'y'}`, `edit 2 of 2: it doesn't hold "func one"`},
		{"a.go", `{'old':'func one','new':'x'},{'old':'x','new':'func one'}`, `the edits change nothing`},
		{"a.go", `{'old':'{\r\n','new':'x'}`, `it has no carriage returns`},
		{"latin1.txt", "{'old':'caf\uFFFD','new':'x'}", "is shown for a byte that is not UTF-8"},
		{"no.txt", `{'old':'x','new':'y'}`, "reading no.txt: there is no such file or folder"},
		{"..", `{'old':'x','new':'y'}`, "outside"},
	} {
		job, err := p.prepare(tool.Edit(), `{'path':'`+c.name+`','edits':[`+c.edits+`]}`)
		if err == nil {
			_, err = job.Run(t.Context())
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want one with %s", c.edits, err, c.want)
		}
	}
	if got := p.text("a.go"); got != text {
		t.Errorf("something was written: %q", got)
	}
}

// F152: an edit touches the bytes that it is about and no others, whatever a file is encoded in and however its lines end.
// The model, to which read doesn't show how lines end, writes \n.
func TestF152_EditsKeepBytes(t *testing.T) {
	for _, c := range []struct{ name, text, edits, want string }{
		{"CRLF", "a\r\nb\r\nc\r\n", `{'old':'a\nb','new':'x\ny\nz'}`, "x\r\ny\r\nz\r\nc\r\n"},
		{"CRLF, within a line", "a b\r\nc\r\n", `{'old':' ','new':'\n'}`, "a\r\nb\r\nc\r\n"},
		{"CRLF, from a line's end", "a\r\nb\r\nc\r\n", `{'old':'\nb','new':''}`, "a\r\nc\r\n"},
		{"CRLF, to a line's end", "a\r\nb\r\nc\r\n", `{'old':'b\n','new':''}`, "a\r\nc\r\n"},
		{"CRLF, everywhere", "a\r\na\r\n", `{'old':'a\n','new':'b\nc\n','all':true}`, "b\r\nc\r\nb\r\nc\r\n"},
		{"CRLF, said so", "a\r\nb\r\n", `{'old':'a\r\nb','new':'c\nd'}`, "c\nd\r\n"},
		{"CRLF, new text says so", "a\r\nb\r\n", `{'old':'a\nb','new':'c\r\nd\n'}`, "c\r\nd\n\r\n"},
		{"CRLF, at the end", "a\r\nb", `{'old':'b','new':'b\nc'}`, "a\r\nb\r\nc"},
		{"CRLF, several edits", "a\r\nb\r\n", `{'old':'a\nb','new':'c'},{'old':'c\n','new':'d\ne\n'}`, "d\r\ne\r\n"},
		{"mixed, lines keep their ends", "a\nb\r\nc\nd\r\n", `{'old':'a\nb\nc\nd','new':'a\nx\nc\nd'}`, "a\nx\r\nc\nd\r\n"},
		{"mixed, a line is put in", "a\nb\r\nc\nd\r\n", `{'old':'a\nb\nc\n','new':'a\nb\nb2\nc\n'}`, "a\nb\r\nb2\r\nc\nd\r\n"},
		{"mixed, a line is taken out", "a\nb\r\nc\nd\r\n", `{'old':'a\nb\nc\n','new':'a\nc\n'}`, "a\nc\nd\r\n"},
		{"mixed, within an LF line", "a\nb c\nd\r\n", `{'old':' ','new':'\n'}`, "a\nb\nc\nd\r\n"},
		{"LF, with a lone CR", "a\rb\nc\n", `{'old':'b','new':'x'}`, "a\rx\nc\n"},
		{"CR before CRLF", "a\r\r\nb\r\n", `{'old':'b','new':'x'}`, "a\r\r\nx\r\n"},
		{"no end of the last line", "a\nb", `{'old':'b','new':'c'}`, "a\nc"},
		{"byte order mark", "\ufeffa\nb\n", `{'old':'a\n','new':'c\n'}`, "\ufeffc\nb\n"},
		{"Latin-1", "caf\xe9 a\nna\xefve\n", `{'old':' a\n','new':' é\n'}`, "caf\xe9 é\nna\xefve\n"},
		{"Shift JIS", "\x83\x5c\x95\x5c a\n", `{'old':'a','new':'b'}`, "\x83\x5c\x95\x5c b\n"},
		{"all of it", "a", `{'old':'a','new':''}`, ""},
	} {
		p := at(t, "f", c.text)
		p.read("f")
		p.must(tool.Edit(), `{'path':'f','edits':[`+c.edits+`]}`)
		if got := p.text("f"); got != c.want {
			t.Errorf("%s: %q became %q, want %q", c.name, c.text, got, c.want)
		}
	}
}

// What can't be changed without harm is refused.
func TestF152_WhatWouldBeLostIsRefused(t *testing.T) {
	p := at(t, "utf16", "\xff\xfea\x00\n\x00", "bin", "a\x00b", "latin1", "caf\xe9 a\n")
	for _, c := range []struct{ name, want string }{
		{"utf16", "changing utf16: it is UTF-16, which would be lost"},
		{"bin", "changing bin: it is binary"},
	} {
		before := p.text(c.name)
		for _, use := range []struct {
			tool  *tool.Tool
			input string
		}{{tool.Edit(), `','edits':[{'old':'a','new':'b'}]}`}, {tool.Write(), `','text':'b'}`}} {
			if _, err := p.do(use.tool, `{'path':'`+c.name+use.input); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: got error %v", use.tool.Name, err)
			}
		}
		if got := p.text(c.name); got != before {
			t.Errorf("%s became %q", c.name, got)
		}
	}
	p.read("latin1")
	if _, err := p.do(tool.Write(), `{'path':'latin1','text':'b'}`); err == nil || !strings.Contains(err.Error(), "would be lost: edit it instead") {
		t.Errorf("got error %v", err)
	}
}

// However large a file is, or would become, the answer is quick and clear.
func TestEditsAreBounded(t *testing.T) {
	p := at(t, "large", strings.Repeat("x\n", 10<<20), "dense", strings.Repeat("x", 1<<20))
	for _, c := range []struct {
		tool        *tool.Tool
		input, want string
	}{
		{tool.Read(), `{'path':'large','limit':1}`, "reading large: the file has 20.0 MiB, which is too much for a tool: the most is 16.0 MiB; a command such as sed"},
		{tool.Edit(), `{'path':'large','edits':[{'old':'x','new':'y'}]}`, "20.0 MiB, which is too much"},
		{tool.Write(), `{'path':'large','text':'y'}`, "20.0 MiB, which is too much"},
		{tool.Edit(), `{'path':'dense','edits':[{'old':'x','new':'y','all':true}]}`, "in more than 100000 places"},
		{tool.Edit(), `{'path':'dense','edits':[{'old':'` + strings.Repeat("x", 64) + `','new':'` + strings.Repeat("y", 1100) + `','all':true}]}`, "dense would have 17.2 MiB"},
		{tool.Edit(), `{'path':'dense','edits':[{'old':'` + strings.Repeat("x", 64) + `','new':'` + strings.Repeat("y", 2500) + `','all':true}]}`, "more than 16.0 MiB"},
	} {
		if _, err := p.do(c.tool, c.input); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want one with %q", c.tool.Name, err, c.want)
		}
	}
}
