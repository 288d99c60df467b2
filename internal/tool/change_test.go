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

func (p *place) wantDiff(got []acp.ToolCallContent, name string, old *string, text string) {
	p.Helper()
	want := []acp.ToolCallContent{acp.DiffContent(p.dir+"/"+name, old, text)}
	if diff := cmp.Diff(want, got); diff != "" {
		p.Errorf("diff (-want +got):\n%s", diff)
	}
}

// The diff of a new file has no old text, which is not the same as an empty one (S000.11); its path is absolute. Nothing is
// written before the job runs.
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
	r := p.must(tool.Write(), `{'path':'b.txt','text':'one\n2\n'}`) // without a preview
	p.wantText(r, "Replaced b.txt (6 bytes)\n")
	p.wantDiff(r.Content, "b.txt", &old, "one\n2\n")
	p.wantLocations(r.Locations, "b.txt:2")
}

func TestEdit(t *testing.T) {
	p := at(t, "a.txt", "é one\r\ntwo one\r\n")
	for _, c := range []struct{ input, want string }{
		{`{'path':'a.txt','old':'three','new':'3'}`, "a.txt doesn't hold \"three\""},
		{`{'path':'a.txt','old':'one','new':'1'}`, "in 2 places"},
		{`{'path':'b.txt','old':'one','new':'1'}`, "no such file"},
	} {
		if _, err := p.do(tool.Edit(), c.input); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want one with %q", c.input, err, c.want)
		}
	}
	r := p.must(tool.Edit(), `{'path':'a.txt','old':'two','new':'2'}`)
	p.wantText(r, "Replaced 1 place in a.txt\n")
	p.wantLocations(r.Locations, "a.txt:2")
	p.wantText(p.must(tool.Edit(), `{'path':'a.txt','old':'one','new':'','all':true}`), "Replaced 2 places in a.txt\n")
	if got := p.text("a.txt"); got != "é \r\n2 \r\n" {
		t.Errorf("got %q: other bytes were touched (F152)", got)
	}
}

// The user agrees to what the preview shows. If the file is another by then, nothing is written.
func TestChangeSinceThePreview(t *testing.T) {
	for name, meanwhile := range map[string]string{"changed": "x\n", "made": ""} {
		p := at(t)
		if name == "changed" {
			p.put("a.txt", "one\n")
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
