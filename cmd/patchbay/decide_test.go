package main

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/internal/confine"
)

// folders returns a space with a root that has a folder, and links that lead out of it.
func folders(t *testing.T) (space confine.Space, outside string) {
	t.Helper()
	root, outside := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, target := range map[string]string{"out": outside, "self": root} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Skip(err)
		}
	}
	return confine.Space{Cwd: root, Roots: []string{root}}, outside
}

// S000.13: what passes without asking.
func TestModes(t *testing.T) {
	space, outside := folders(t)
	inside := filepath.Join(space.Cwd, "a.txt")
	edit := func(kind acp.ToolKind, path string) *client.ToolCall {
		return &client.ToolCall{Kind: kind, Locations: []acp.ToolCallLocation{{Path: path}}}
	}
	for _, c := range []struct {
		what string
		call *client.ToolCall
		want [4]verdict // default, acceptEdits, bypassPermissions, plan
	}{
		{"an edit", edit(acp.ToolKindEdit, inside), [4]verdict{ask, allow, allow, reject}},
		{"a deletion", edit(acp.ToolKindDelete, inside), [4]verdict{ask, allow, allow, reject}},
		{"a move", edit(acp.ToolKindMove, inside), [4]verdict{ask, allow, allow, reject}},
		{"an edit of nothing in particular", &client.ToolCall{Kind: acp.ToolKindEdit}, [4]verdict{ask, allow, allow, reject}},
		{"an edit outside", edit(acp.ToolKindEdit, filepath.Join(outside, "a")), [4]verdict{ask, ask, allow, reject}},
		{"an edit by a link that leads out", edit(acp.ToolKindEdit, filepath.Join(space.Cwd, "out", "a")), [4]verdict{ask, ask, allow, reject}},
		{"a diff outside", &client.ToolCall{Kind: acp.ToolKindEdit, Content: []acp.ToolCallContent{acp.DiffContent("/etc/passwd", nil, "")}}, [4]verdict{ask, ask, allow, reject}},
		{"reading", edit(acp.ToolKindRead, inside), [4]verdict{ask, ask, allow, reject}},
		{"something", &client.ToolCall{}, [4]verdict{ask, ask, allow, reject}},
		{"a command", &client.ToolCall{Kind: acp.ToolKindExecute, RawInput: acp.Raw(`{"command":"make"}`)}, [4]verdict{ask, ask, allow, reject}},
		{"a command for files", &client.ToolCall{Kind: acp.ToolKindExecute, RawInput: acp.Raw(`{"command":"mkdir x"}`)}, [4]verdict{ask, allow, allow, reject}},
		{"a command for files that hides its kind", &client.ToolCall{Kind: acp.ToolKindOther, RawInput: acp.Raw(`{"command":"mkdir x"}`)}, [4]verdict{ask, ask, allow, reject}},
	} {
		for i, mode := range []string{modeDefault, modeEdits, modeBypass, modePlan} {
			if got := judge(mode, space, c.call); got != c.want[i] {
				t.Errorf("%s in %s: %v, want %v", c.what, mode, got, c.want[i])
			}
		}
	}
}

// S000.13: shell lines made only of mkdir, rm and mv inside the roots, and nothing that merely looks like one.
func TestShellLinesThatAreEdits(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths of a Unix shell")
	}
	space, outside := folders(t)
	for line, want := range map[string]bool{
		"mkdir a":                              true,
		"mkdir -p a/b && mv a dir; rm -rf 'a'": true,
		`rm "a b" || mkdir --parents -- -x`:    true,
		"rm " + space.Cwd + "/dir":             true,
		"mkdir a\nrm a":                        true,

		"":                                false,
		"rm":                              false,
		"ls":                              false,
		"rm a; make":                      false,
		"rm a | cat":                      false,
		"rm a > b":                        false,
		"rm a &":                          false,
		"! rm a":                          false,
		"(rm a)":                          false,
		"if rm a; then rm b; fi":          false,
		"X=1 rm a":                        false,
		"rm $HOME":                        false,
		"rm $(make)":                      false,
		"rm `make`":                       false,
		`rm "$X"`:                         false,
		"rm $'a'":                         false,
		"rm *":                            false,
		"rm ~":                            false,
		"rm {a,b}":                        false,
		`rm \~`:                           false,
		"rm ../a":                         false,
		"rm dir/../../a":                  false,
		"rm /etc/passwd":                  false,
		"rm " + outside + "/a":            false,
		"rm out/a":                        false,
		"rm -r .":                         false,
		"rm -r dir/..":                    false,
		"rm -r self":                      false, // the root by another name
		"rm -r ''":                        false,
		"mv a /tmp":                       false,
		"mv -t /tmp a":                    false,
		"mv --target-directory=/tmp a":    false,
		"mkdir -m 777 a":                  false,
		"rm --no-preserve-root a":         false,
		"/bin/rm a":                       false,
		"sudo rm a":                       false,
		"rm() { make; }; rm a":            false,
		"rm 'a":                           false,
		"mkdir a && (cd / && rm -rf etc)": false,
	} {
		input, err := json.Marshal(map[string]string{"command": line})
		if err != nil {
			t.Fatal(err)
		}
		if got := isFileCommand(space, input); got != want {
			t.Errorf("%q: %t, want %t", line, got, want)
		}
	}
}

func TestInputsOfShellTools(t *testing.T) {
	space, outside := folders(t)
	for input, want := range map[string]bool{
		`{"command":["bash","-lc","mkdir a"]}`:          true,
		`{"command":"mkdir a","cwd":"dir"}`:             true,
		`{"command":"mkdir a","description":"Make it"}`: true,
		`{"command":["mkdir","a"]}`:                     false,
		`{"command":["bash","-c","make"]}`:              false,
		`{"command":["bash","-x","mkdir a"]}`:           false,
		`{"command":"mkdir","args":["a"]}`:              false,
		`{"command":"mkdir a","cwd":"` + outside + `"}`: false,
		`{"command":"mkdir a","workdir":"out"}`:         false,
		`{"command":"mkdir a","cwd":1}`:                 false,
		`{"command":"rm ../a","workdir":"dir"}`:         true, // seen from there it is inside
		`{"command":"rm ../dir","workdir":"dir"}`:       false,
		`{"cmd":"mkdir a"}`:                             false,
		`"mkdir a"`:                                     false,
		`[]`:                                            false,
		``:                                              false,
	} {
		if got := isFileCommand(space, acp.Raw(input)); got != want {
			t.Errorf("%s: %t, want %t", input, got, want)
		}
	}
}

// A request may leave out what the agent has said of the call before.
func TestRequestsAreReadWithWhatIsKnown(t *testing.T) {
	known := &client.ToolCall{ID: "c", Title: "Old", Kind: acp.ToolKindEdit, RawInput: acp.Raw(`{}`)}
	call := described(known, &acp.ToolCallUpdate{ToolCallID: "c", Title: acp.Some("New")})
	if call.Title != "New" || call.Kind != acp.ToolKindEdit || string(call.RawInput) != `{}` || known.Title != "Old" {
		t.Errorf("got %+v", call)
	}
	if call = described(nil, &acp.ToolCallUpdate{ToolCallID: "d"}); call.ID != "d" || titleOf(call) != "tool call d" {
		t.Errorf("got %+v", call)
	}
}
