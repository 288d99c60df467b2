package tool_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/tool"
	"github.com/patchbay-dev/patchbay/policy"
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

// Each tool says what it is: a name, a kind (S004.10), a schema that is an object, and whether it only reads.
func TestToolsIntroduceThemselves(t *testing.T) {
	type intro struct {
		Name string
		Kind acp.ToolKind
		Read bool
	}
	var got []intro
	for _, each := range tool.All() {
		got = append(got, intro{each.Name, each.Kind, each.ReadOnly})
		if each.Description == "" || !each.Schema.IsValid() || !strings.HasPrefix(string(each.Schema), `{"type":"object"`) {
			t.Errorf("%s: description %q, schema %s", each.Name, each.Description, each.Schema)
		}
	}
	want := []intro{
		{"list", acp.ToolKindRead, true},
		{"glob", acp.ToolKindSearch, true},
		{"grep", acp.ToolKindSearch, true},
		{"read", acp.ToolKindRead, true},
		{"write", acp.ToolKindEdit, false},
		{"edit", acp.ToolKindEdit, false},
		{"shell", acp.ToolKindExecute, false},
		{"job", acp.ToolKindExecute, false},
		{"fetch", acp.ToolKindFetch, false},
		{"plan", acp.ToolKindThink, false},
		{"ask", acp.ToolKindOther, false},
		{"task", acp.ToolKindOther, true},
		{"propose", acp.ToolKindSwitchMode, false},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

// Each tool says what it wants, as a policy knows it: files by the names that people have for them and by the real ones, a
// command with its folder, a page with its address (F56). What touches nothing says so, and a job of the background belongs
// to a command that was decided about.
func TestToolsSayWhatTheyWant(t *testing.T) {
	p := at(t, "a.txt", "a\n")
	if err := os.Symlink("a.txt", filepath.Join(p.dir, "link")); err != nil {
		t.Skip(err)
	}
	real, err := filepath.EvalSymlinks(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	in := func(tool string, paths ...string) policy.Call {
		return policy.Call{Tool: tool, Paths: slices.Compact(paths)}
	}
	file, link := filepath.Join(p.dir, "a.txt"), filepath.Join(p.dir, "link")
	for _, c := range []struct {
		tool  *tool.Tool
		input string
		want  policy.Call
	}{
		{tool.List(), `{}`, in(policy.List, p.dir, real)},
		{tool.Glob(), `{'pattern':'*'}`, in(policy.Glob, p.dir, real)},
		{tool.Grep(""), `{'pattern':'a','path':'a.txt'}`, in(policy.Grep, file, filepath.Join(real, "a.txt"))},
		{tool.Read(), `{'path':'link'}`, in(policy.Read, link, filepath.Join(real, "a.txt"))},
		{tool.Write(), `{'path':'link','text':''}`, in(policy.Write, link, filepath.Join(real, "a.txt"))},
		{tool.Edit(), `{'path':'a.txt','edits':[{'old':'a','new':'b'}]}`, in(policy.Edit, file, filepath.Join(real, "a.txt"))},
		{tool.Shell(), `{'command':'git  status'}`, policy.Call{Tool: policy.Bash, Command: "git  status"}},
		{tool.Shell(), `{'command':'ls','cwd':'.'}`, policy.Call{Tool: policy.Bash, Command: "ls", Dir: p.dir}},
		{tool.BackgroundJob(), `{'action':'list'}`, policy.Call{Tool: policy.Think}},
		{tool.Fetch(), `{'url':'https://go.dev/x'}`, policy.Call{Tool: policy.WebFetch, URL: "https://go.dev/x"}},
		{tool.Plan(), `{'entries':[{'content':'a'}]}`, policy.Call{Tool: policy.Think}},
		{tool.Ask(), `{'question':'a?'}`, policy.Call{Tool: policy.Think}},
		{tool.Task(), `{'description':'a','prompt':'b','subagent_type':'c'}`, policy.Call{Tool: policy.Task}},
		{tool.Propose(), `{'plan':'a'}`, policy.Call{Tool: policy.Think}},
	} {
		job, err := p.prepare(c.tool, c.input)
		if err != nil {
			t.Errorf("%s: %v", c.tool.Name, err)
			continue
		}
		c.want.Name, c.want.Kind = c.tool.Name, c.tool.Kind
		if runtime.GOOS == "windows" && c.want.Tool == policy.Bash {
			c.want.Foreign = "cmd"
		}
		if diff := cmp.Diff(c.want, job.Call); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", c.tool.Name, c.input, diff)
		}
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
