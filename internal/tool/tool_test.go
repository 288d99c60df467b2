package tool_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// A place is a folder with files, and the tools in it.
type place struct {
	*testing.T
	dir string
	env tool.Env
}

// at makes a folder with files: a name and a text each.
func at(t *testing.T, files ...string) *place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t, dir, tool.NewLocal(dir, nil)}
	for i := 0; i < len(files); i += 2 {
		p.put(files[i], files[i+1])
	}
	return p
}

func (p *place) put(name, text string) {
	p.Helper()
	path := filepath.Join(p.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		p.Fatal(err)
	}
}

// link makes a link.
func (p *place) link(target, name string) {
	p.Helper()
	if err := os.Symlink(target, filepath.Join(p.dir, name)); err != nil {
		p.Skip(err)
	}
}

// putUnlessFolder is put, for names that may be in the way of each other: then there is no file.
func (p *place) putUnlessFolder(name, text string) {
	path := filepath.Join(p.dir, name)
	if os.MkdirAll(filepath.Dir(path), 0o777) == nil {
		_ = os.WriteFile(path, []byte(text), 0o666)
	}
}

func (p *place) chmod(name string, mode os.FileMode) {
	p.Helper()
	if err := os.Chmod(filepath.Join(p.dir, name), mode); err != nil {
		p.Fatal(err)
	}
}

func (p *place) text(name string) string {
	p.Helper()
	text, err := p.try(name)
	if err != nil {
		p.Fatal(err)
	}
	return text
}

func (p *place) try(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(p.dir, name))
	return string(text), err
}

// quoteJSON writes a string as JSON does.
func quoteJSON(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// prepare reads a call. The input is JSON with single quotes.
func (p *place) prepare(t *tool.Tool, input string) (*tool.Job, error) {
	return t.Prepare(p.env, acp.Raw(strings.ReplaceAll(input, "'", `"`)))
}

// do makes a call that must be understood.
func (p *place) do(t *tool.Tool, input string) (*tool.Result, error) {
	p.Helper()
	job, err := p.prepare(t, input)
	if err != nil {
		p.Fatal(err)
	}
	return job.Run(p.Context())
}

// must makes a call that must succeed.
func (p *place) must(t *tool.Tool, input string) *tool.Result {
	p.Helper()
	r, err := p.do(t, input)
	if err != nil {
		p.Fatal(err)
	}
	return r
}

func (p *place) wantText(r *tool.Result, want string) {
	p.Helper()
	if diff := cmp.Diff(want, r.Text); diff != "" {
		p.Errorf("the model reads (-want +got):\n%s", diff)
	}
}

func (p *place) wantLocations(got []acp.ToolCallLocation, want ...string) {
	p.Helper()
	var list []string
	for _, l := range got {
		if !filepath.IsAbs(l.Path) {
			p.Errorf("location %s is not absolute", l.Path)
		}
		rel, err := filepath.Rel(p.dir, l.Path)
		if err != nil {
			p.Fatal(err)
		}
		if l.Line != nil {
			rel += ":" + itoa(*l.Line)
		}
		list = append(list, rel)
	}
	if diff := cmp.Diff(want, list); diff != "" {
		p.Errorf("locations (-want +got):\n%s", diff)
	}
}

// A use is a tool and its input.
type use struct {
	tool  *tool.Tool
	input string
}

// Each tool says what it is: a name, a kind (S004.10), a schema that is an object, and whether it asks. What only reads does
// not (S000.13).
func TestToolsIntroduceThemselves(t *testing.T) {
	type intro struct {
		Name string
		Kind acp.ToolKind
		Asks bool
		Read bool
	}
	var got []intro
	for _, each := range tool.All() {
		got = append(got, intro{each.Name, each.Kind, each.Asks, each.ReadOnly})
		if each.Description == "" || !each.Schema.IsValid() || !strings.HasPrefix(string(each.Schema), `{"type":"object"`) {
			t.Errorf("%s: description %q, schema %s", each.Name, each.Description, each.Schema)
		}
	}
	want := []intro{
		{"list", acp.ToolKindRead, false, true},
		{"glob", acp.ToolKindSearch, false, true},
		{"grep", acp.ToolKindSearch, false, true},
		{"read", acp.ToolKindRead, false, true},
		{"write", acp.ToolKindEdit, true, false},
		{"edit", acp.ToolKindEdit, true, false},
		{"shell", acp.ToolKindExecute, true, false},
		{"job", acp.ToolKindExecute, false, false},
		{"fetch", acp.ToolKindFetch, true, false},
		{"plan", acp.ToolKindThink, false, false},
		{"ask", acp.ToolKindOther, false, false},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

// Input that doesn't fit is refused before anything happens, in words for the model. What leads outside the roots is too,
// by whatever way (S001.19, F154).
func TestBadInputIsRefused(t *testing.T) {
	p := at(t, "a.txt", "a\n")
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(p.dir, "link")); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		tool  *tool.Tool
		input string
		want  string
	}{
		{tool.List(), `{'path':'..'}`, "outside the root"},
		{tool.List(), `{'path':7}`, "doesn't fit its schema: path: type"},
		{tool.List(), `{'path':'link'}`, "leads by a link outside"},
		{tool.List(), `{'depth':0}`, "depth: minimum"},
		{tool.Glob(), `{'pattern':'*','path':'link'}`, "leads by a link outside"},
		{tool.Glob(), `{'pattern':'[a'}`, "is none"},
		{tool.Glob(), `{'pattern':'/etc/*'}`, "absolute"},
		{tool.Grep(""), `{}`, `missing properties: ["pattern"]`},
		{tool.Grep(""), `{'pattern':'a\nb'}`, "within lines"},
		{tool.Grep(""), `{'pattern':'a\\nb'}`, "within lines"},
		{tool.Grep(""), `{'pattern':'a('}`, "no regular expression"},
		{tool.Grep(""), `{'pattern':'a','glob':'{'}`, "is none"},
		{tool.Grep(""), `{'pattern':'a','output':'lines'}`, "output: enum"},
		{tool.Grep(""), `{'pattern':'a','path':'link'}`, "leads by a link outside"},
		{tool.Read(), `{}`, `missing properties: ["path"]`},
		{tool.Read(), `{'path':'a.txt','line':1}`, `unexpected additional properties ["line"]`},
		{tool.Read(), `{'path':'a.txt','offset':0}`, "offset: minimum"},
		{tool.Read(), `{'path':'a.txt','limit':0}`, "limit: minimum"},
		{tool.Read(), `{'path':'/etc/passwd'}`, "outside the root"},
		{tool.Read(), `{'path':'link/x'}`, "leads by a link outside"},
		{tool.Read(), `nonsense`, "doesn't fit its schema"},
		{tool.Write(), `{'path':'b.txt'}`, `missing properties: ["text"]`},
		{tool.Write(), `{'path':'../b.txt','text':''}`, "outside the root"},
		{tool.Edit(), `{'path':'a.txt'}`, `missing properties: ["edits"]`},
		{tool.Edit(), `{'path':'a.txt','edits':[]}`, "edits: minItems"},
		{tool.Edit(), `{'path':'a.txt','edits':[{'new':'b'}]}`, `missing properties: ["old"]`},
		{tool.Edit(), `{'path':'a.txt','edits':[{'old':'b'}]}`, `missing properties: ["new"]`},
		{tool.Edit(), `{'path':'a.txt','edits':[{'old':'','new':'b'}]}`, "old: minLength"},
		{tool.Edit(), `{'path':'a.txt','edits':[{'old':'a','new':'b'},{'old':'b','new':'b'}]}`, "edit 2 of 2: the old and the new text are the same"},
		{tool.Edit(), `{'path':'link/a.txt','edits':[{'old':'b','new':'c'}]}`, "outside"},
		{tool.Shell(), `{'command':' '}`, "no command"},
		{tool.Plan(), `{}`, `missing properties: ["entries"]`},
		{tool.Plan(), `{'entries':[{'content':' '}]}`, "entry 1 of the plan is empty"},
		{tool.Plan(), `{'entries':[{'content':'a','status':'perhaps'}]}`, "perhaps does not equal any of"},
	} {
		_, err := p.prepare(c.tool, c.input)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: got error %v, want one with %q", c.tool.Name, c.input, err, c.want)
		}
	}
}

// A job whose context has ended does nothing, and says so.
func TestEndedContext(t *testing.T) {
	p := at(t, "a.txt", "a\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		tool  *tool.Tool
		input string
	}{
		{tool.List(), `{}`},
		{tool.Glob(), `{'pattern':'a'}`},
		{tool.Grep(""), `{'pattern':'a'}`},
		{tool.Grep(""), `{'pattern':'a','path':'a.txt'}`},
		{tool.Read(), `{'path':'a.txt'}`},
		{tool.Write(), `{'path':'b.txt','text':'b'}`},
		{tool.Edit(), `{'path':'a.txt','edits':[{'old':'a','new':'b'}]}`},
		{tool.Shell(), `{'command':'sleep 100'}`},
	} {
		job, err := p.prepare(c.tool, c.input)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := job.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got error %v", c.tool.Name, err)
		}
	}
	if p.text("a.txt") != "a\n" {
		t.Error("a.txt was written")
	}
	if _, err := os.Stat(filepath.Join(p.dir, "b.txt")); err == nil {
		t.Error("b.txt was written")
	}
}
