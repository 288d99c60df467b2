package tool_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// preview prepares a change and looks at it.
func (p *place) preview(t *tool.Tool, input string) (*tool.Job, []acp.ToolCallContent) {
	p.Helper()
	job, err := p.prepare(t, input)
	if err != nil {
		p.Fatal(err)
	}
	content, err := job.Preview(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	return job, content
}

// read has the session read a file.
func (p *place) read(name string) {
	p.Helper()
	p.must(tool.Read(), `{'path':'`+name+`'}`)
}

func (p *place) wantDiff(got []acp.ToolCallContent, name string, old *string, text string) {
	p.Helper()
	want := []acp.ToolCallContent{acp.DiffContent(p.dir+"/"+name, old, text)}
	if diff := cmp.Diff(want, got); diff != "" {
		p.Errorf("diff (-want +got):\n%s", diff)
	}
}

// The diff of a new file has no old text, which is not the same as an empty one (S000.11); its path is absolute (F159).
// Nothing is written before the job runs.
func TestWriteANewFile(t *testing.T) {
	p := at(t)
	job, content := p.preview(tool.Write(), `{'path':'new/a.txt','text':'one\ntwo'}`)
	p.wantDiff(content, "new/a.txt", nil, "one\ntwo")
	if job.Title != "Write new/a.txt" {
		t.Errorf("title %q", job.Title)
	}
	if _, err := p.do(tool.List(), `{'path':'new'}`); err == nil {
		t.Fatal("the preview has written")
	}
	r, err := job.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.wantText(r, "Wrote the new file new/a.txt (7 bytes)\n")
	p.wantLocations(r.Locations, "new/a.txt")
	if p.text("new/a.txt") != "one\ntwo" || r.Content != nil {
		t.Errorf("text %q, content %v", p.text("new/a.txt"), r.Content)
	}
}

func TestWriteReplacesAFile(t *testing.T) {
	p := at(t, "a.txt", "", "b.txt", "one\ntwo\nthree\n")
	empty, old := "", "one\ntwo\nthree\n"
	_, content := p.preview(tool.Write(), `{'path':'a.txt','text':'x'}`)
	p.wantDiff(content, "a.txt", &empty, "x")
	p.read("b.txt")
	r := p.must(tool.Write(), `{'path':'b.txt','text':'one\n2\n'}`) // without a preview
	p.wantText(r, "Replaced b.txt (6 bytes)\n")
	p.wantDiff(r.Content, "b.txt", &old, "one\n2\n")
	p.wantLocations(r.Locations, "b.txt:2")
}

// F152: what replaces a file keeps what read doesn't show of it: a byte order mark, and lines that all end with CRLF.
func TestF152_WriteKeepsWhatReadDoesNotShow(t *testing.T) {
	for old, want := range map[string]string{
		"\ufeffone\n":    "\ufeffx\ny",
		"one\r\ntwo\r\n": "x\r\ny",
		"\ufeffone\r\n":  "\ufeffx\r\ny",
		"one\r\ntwo\n":   "x\ny",
		"one\n":          "x\ny",
		"one":            "x\ny",
	} {
		p := at(t, "a.txt", old)
		p.read("a.txt")
		p.must(tool.Write(), `{'path':'a.txt','text':'x\ny'}`)
		if got := p.text("a.txt"); got != want {
			t.Errorf("%q became %q, want %q", old, got, want)
		}
	}
	p := at(t, "a.txt", "\ufeffone\r\n")
	p.read("a.txt")
	p.must(tool.Write(), `{'path':'a.txt','text':'`+"\ufeff"+`x\r\ny\n'}`)
	if got := p.text("a.txt"); got != "\ufeffx\r\ny\n" {
		t.Errorf("got %q: a text that says all of it is written as it is", got)
	}
}

// A file that the model hasn't seen isn't replaced, nor one that has changed since. What the session has written itself, it
// has seen.
func TestFilesHaveToBeReadFirst(t *testing.T) {
	write, edit := `{'path':'a.txt','text':'new\n'}`, `{'path':'a.txt','edits':[{'old':'one','new':'1'}]}`
	refused := func(p *place, input, want string) {
		p.Helper()
		before := p.text("a.txt")
		use := tool.Write()
		if strings.Contains(input, "edits") {
			use = tool.Edit()
		}
		if _, err := p.do(use, input); err == nil || !strings.Contains(err.Error(), want) {
			p.Errorf("got error %v, want one with %q", err, want)
		}
		if got := p.text("a.txt"); got != before {
			p.Errorf("it was written: %q", got)
		}
	}
	p := at(t, "a.txt", "one\n")
	refused(p, write, "a.txt is there already and has not been read: read it first")
	p.must(tool.Edit(), edit) // that says what is there
	p.must(tool.Write(), write)

	p.put("a.txt", "one\nmore\n")
	refused(p, write, "a.txt has changed since it was read: read it again")
	refused(p, edit, "a.txt has changed since it was read: read it again")
	p.read("a.txt")
	p.must(tool.Edit(), edit)
	if got := p.text("a.txt"); got != "1\nmore\n" {
		t.Errorf("got %q", got)
	}

	p.put("a.txt", "one\n")
	p.env.Seen().Forget()
	refused(p, write, "has not been read")
	p.must(tool.Edit(), edit)
}

// A file that was read by one path is known by another.
func TestFilesAreKnownByTheirRealPaths(t *testing.T) {
	p := at(t, "a.txt", "one\n")
	p.link("a.txt", "b.txt")
	p.read("b.txt")
	p.put("a.txt", "one!\n")
	if _, err := p.do(tool.Edit(), `{'path':'a.txt','edits':[{'old':'one','new':'1'}]}`); err == nil || !strings.Contains(err.Error(), "has changed") {
		t.Errorf("got error %v", err)
	}
	p.read("a.txt")
	p.must(tool.Edit(), `{'path':'b.txt','edits':[{'old':'one','new':'1'}]}`)
	if got := p.text("a.txt"); got != "1!\n" {
		t.Errorf("got %q", got)
	}
}

// The user agrees to what the preview shows. If the file is another by then, nothing is written.
func TestChangeSinceThePreview(t *testing.T) {
	for name, meanwhile := range map[string]string{"changed": "x\n", "made": ""} {
		p := at(t)
		if name == "changed" {
			p.put("a.txt", "one\n")
			p.read("a.txt")
		}
		job, _ := p.preview(tool.Write(), `{'path':'a.txt','text':'two\n'}`)
		p.put("a.txt", meanwhile)
		if _, err := job.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "has changed") {
			t.Errorf("%s: got error %v", name, err)
		}
		if got := p.text("a.txt"); got != meanwhile {
			t.Errorf("%s: wrote %q", name, got)
		}
	}
}

// The diff of a large file shows the part that changes, and some lines around it. One that is too long is told in words.
func TestDiffsAreBounded(t *testing.T) {
	lines := strings.Repeat("a line\n", 50_000)
	p := at(t, "a.txt", lines+"one\n"+lines)
	r := p.must(tool.Edit(), `{'path':'a.txt','edits':[{'old':'one','new':'two\n2'}]}`)
	around := strings.Repeat("a line\n", 10)
	old := around + "one\n" + around
	p.wantDiff(r.Content, "a.txt", &old, around+"two\n2\n"+around)
	p.wantLocations(r.Locations, "a.txt:50001")

	r = p.must(tool.Edit(), `{'path':'a.txt','edits':[{'old':'a line','new':'no','all':true}]}`)
	want := []acp.ToolCallContent{acp.ToolContent(acp.Text("The change is too long to show: the file has 683.6 KiB before it and 293.0 KiB after it."))}
	if diff := cmp.Diff(want, r.Content); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
	r = p.must(tool.Write(), `{'path':'new.txt','text':'`+strings.Repeat("x", 1<<20)+`'}`)
	want = []acp.ToolCallContent{acp.ToolContent(acp.Text("The new file has 1.0 MiB, too many to show."))}
	if diff := cmp.Diff(want, r.Content); diff != "" {
		t.Errorf("content (-want +got):\n%s", diff)
	}
}
