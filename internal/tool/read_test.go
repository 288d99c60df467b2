package tool_test

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

func itoa(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

// The model reads lines after their numbers, and is told what it can't see: how many there are, how they end, what isn't
// text of a usual kind (F152).
func TestRead(t *testing.T) {
	p := at(t, "a.txt", "one\n\ttwo\nthree", "empty", "", "crlf.txt", "a\r\nb\r\n", "mixed.txt", "a\r\nb\n",
		"bom.txt", "\ufeffa\n", "latin1.txt", "caf\xe9\n", "utf16.txt", "\xff\xfea\x00\n\x00", "utf16be.txt", "\xfe\xff\x00a\x00\n",
		"onlybom", "\ufeff", "long.txt", strings.Repeat("é", 1500)+"\nx\n")
	for _, c := range []struct{ input, want string }{
		{`{'path':'a.txt'}`, "a.txt has 3 lines; its last line has no end\n     1\tone\n     2\t\ttwo\n     3\tthree\n"},
		{`{'path':'./a.txt','offset':2}`, "a.txt has 3 lines; these are lines 2 to 3; its last line has no end\n     2\t\ttwo\n     3\tthree\n"},
		{`{'path':'a.txt','offset':2,'limit':1}`, "a.txt has 3 lines; this is line 2; its last line has no end\n     2\t\ttwo\n"},
		{`{'path':'crlf.txt','limit':99}`, "crlf.txt has 2 lines; its lines end with CRLF\n     1\ta\n     2\tb\n"},
		{`{'path':'mixed.txt'}`, "mixed.txt has 2 lines; some of its lines end with CRLF\n     1\ta\n     2\tb\n"},
		{`{'path':'bom.txt'}`, "bom.txt has 1 line; it begins with a byte order mark\n     1\ta\n"},
		{`{'path':'latin1.txt'}`, "latin1.txt has 1 line; it is not all UTF-8: 1 byte shown as \uFFFD\n     1\tcaf\uFFFD\n"},
		{`{'path':'utf16.txt'}`, "utf16.txt has 1 line; it is UTF-16, which edit and write don't change\n     1\ta\n"},
		{`{'path':'utf16be.txt'}`, "utf16be.txt has 1 line; it is UTF-16, which edit and write don't change\n     1\ta\n"},
		{`{'path':'empty'}`, "empty is empty\n"},
		{`{'path':'onlybom'}`, "onlybom is empty; it begins with a byte order mark\n"},
		{`{'path':'long.txt'}`, "long.txt has 2 lines\n     1\t" + strings.Repeat("é", 1000) + "… (cut; the line has 3000 bytes)\n     2\tx\n"},
	} {
		p.wantText(p.must(tool.Read(), c.input), c.want)
	}
}

func TestReadErrors(t *testing.T) {
	p := at(t, "a.txt", "a\n", "bin", "a\x00b", "zip", "PK\x03\x04\x00", "pdf", "%PDF-1.7\n", "dir/x", "")
	for _, c := range []struct{ input, want string }{
		{`{'path':'a.txt','offset':4}`, "reading a.txt: it has only 1 line"},
		{`{'path':'b.txt'}`, "reading b.txt: there is no such file or folder"},
		{`{'path':'dir'}`, "reading dir: it is a folder: list it instead"},
		{`{'path':'bin'}`, "reading bin: it is binary, and only text can be used"},
		{`{'path':'zip'}`, "reading zip: it is binary (application/zip), and only text can be used"},
		{`{'path':'pdf'}`, "reading pdf: it is a PDF"},
	} {
		if _, err := p.do(tool.Read(), c.input); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want one with %q", c.input, err, c.want)
		}
	}
}

// An image is shown to the model and to people, by what it is and not by its name.
func TestReadAnImage(t *testing.T) {
	images := map[string]string{
		"image/png": "\x89PNG\r\n\x1a\n\x00\x00", "image/jpeg": "\xff\xd8\xff\xe0\x00", "image/gif": "GIF89a\x00",
		"image/webp": "RIFF\x00\x00\x00\x00WEBPVP8 ",
	}
	for kind, content := range images {
		p := at(t, "a b.txt", content)
		r := p.must(tool.Read(), `{'path':'a b.txt'}`)
		want := &acp.ImageContent{Data: base64.StdEncoding.EncodeToString([]byte(content)), MIMEType: kind, URI: "file://" + p.dir + "/a%20b.txt"}
		if diff := cmp.Diff([]*acp.ImageContent{want}, r.Images); diff != "" {
			t.Errorf("images (-want +got):\n%s", diff)
		}
		p.wantText(r, fmt.Sprintf("a b.txt is an image (%s, %d bytes)\n", kind, len(content)))
		if diff := cmp.Diff(acp.ToolContent(want), r.Content[1]); diff != "" {
			t.Errorf("content (-want +got):\n%s", diff)
		}
	}
	p := at(t, "large.png", images["image/png"]+strings.Repeat("x", 4<<20))
	if _, err := p.do(tool.Read(), `{'path':'large.png'}`); err == nil || !strings.Contains(err.Error(), "too much for a tool: the most is 3.8 MiB") {
		t.Errorf("got error %v", err)
	}
}

// A call that reads from a line says so in its location, so that an editor can follow.
func TestReadLocations(t *testing.T) {
	p := at(t, "a.txt", "one\ntwo\n")
	for _, c := range []struct{ input, title, location string }{
		{`{'path':'a.txt'}`, "Read a.txt", "a.txt"},
		{`{'path':'a.txt','offset':2}`, "Read a.txt (from 2)", "a.txt:2"},
		{`{'path':'a.txt','limit':2}`, "Read a.txt (1 to 2)", "a.txt"},
	} {
		job, err := p.prepare(tool.Read(), c.input)
		if err != nil {
			t.Fatal(err)
		}
		p.wantLocations(job.Locations, c.location)
		if job.Title != c.title {
			t.Errorf("title %q, want %q", job.Title, c.title)
		}
	}
}

// Reading is bounded in lines and bytes, and says where it ended.
func TestReadIsBounded(t *testing.T) {
	p := at(t, "many", strings.Repeat("x\n", 5000), "wide", strings.Repeat(strings.Repeat("é", 500)+"\n", 100))
	for name, want := range map[string]string{
		"many": "many has 5000 lines; these are lines 1 to 2000\n",
		"wide": "wide has 100 lines; these are lines 1 to 65\n",
	} {
		r := p.must(tool.Read(), fmt.Sprintf(`{'path':'%s'}`, name))
		if !strings.HasPrefix(r.Text, want) || len(r.Text) > 70_000 || strings.ContainsRune(r.Text, '\uFFFD') {
			t.Errorf("%s: got %d bytes that begin with %.60q", name, len(r.Text), r.Text)
		}
	}
}

// People see the file in a block that its own fences can't end.
func TestReadShowsABlock(t *testing.T) {
	p := at(t, "a.md", "```go\n```\n")
	got := p.must(tool.Read(), `{'path':'a.md'}`).Content
	want := []acp.ToolCallContent{acp.ToolContent(acp.Text("a.md has 2 lines\n\n````\n```go\n```\n````"))}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
}
