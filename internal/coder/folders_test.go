package coder_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
)

// S002.7: a session is refused whose folder does not exist, is a file, or is no absolute path, however it is opened, and the
// error names it. F69: one whose folder was deleted can be loaded with another.
func TestF69_TheFoldersOfASessionAreThere(t *testing.T) {
	c := begin(t, &client{}, "a.txt", "hello\n")
	file, missing, other := filepath.Join(c.dir, "a.txt"), filepath.Join(c.dir, "no"), t.TempDir()
	for name, refused := range map[string]struct {
		cwd  string
		more []string
		want string
	}{
		"missing":             {missing, nil, "which does not exist"},
		"a file":              {file, nil, "which is no folder"},
		"below a file":        {filepath.Join(file, "x"), nil, "which can't be used: not a directory"},
		"relative":            {"src", nil, "want an absolute path"},
		"another is missing":  {c.dir, []string{other, missing}, "additionalDirectories[1] is"},
		"another is a file":   {c.dir, []string{file}, "which is no folder"},
		"another is relative": {c.dir, []string{"src"}, "additionalDirectories[0] is"},
	} {
		for method, params := range map[string]any{
			acp.MethodSessionNew:    &acp.NewSessionRequest{CWD: refused.cwd, AdditionalDirectories: refused.more, MCPServers: []acp.MCPServer{}},
			acp.MethodSessionLoad:   &acp.LoadSessionRequest{SessionID: c.session, CWD: refused.cwd, AdditionalDirectories: refused.more, MCPServers: []acp.MCPServer{}},
			acp.MethodSessionResume: &acp.ResumeSessionRequest{SessionID: c.session, CWD: refused.cwd, AdditionalDirectories: refused.more},
			acp.MethodSessionFork:   &acp.ForkSessionRequest{SessionID: c.session, CWD: refused.cwd, AdditionalDirectories: refused.more},
		} {
			err := c.rpc.Call(t.Context(), method, params, nil)
			path := refused.cwd
			if len(refused.more) > 0 {
				path = refused.more[len(refused.more)-1]
			}
			if !errors.Is(err, &acp.Error{Code: acp.CodeInvalidParams}) || !strings.Contains(err.Error(), refused.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s, %s: got %v", method, name, err)
			}
		}
	}
	c.turn("list", acp.StopReasonEndTurn) // the session that is open goes on

	if err := os.RemoveAll(c.dir); err != nil {
		t.Fatal(err)
	}
	load := &acp.LoadSessionRequest{SessionID: c.session, CWD: other, MCPServers: []acp.MCPServer{}}
	c.must(acp.MethodSessionLoad, load, nil)
	if got := c.script(c.turn("list", acp.StopReasonEndTurn)); !strings.Contains(got, ". has 0 entries") {
		t.Errorf("got\n%s", got)
	}
}
