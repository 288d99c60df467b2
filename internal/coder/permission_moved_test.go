package coder_test

import (
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
)

// S001.20: that edits pass was chosen for the folders that the session worked in. In others it asks again, whether it was closed or
// not, also as a fork; in the same ones it doesn't.
func TestS001_20_AcceptedEditsStayInTheirFolders(t *testing.T) {
	keeping(t, func(t *testing.T, o func() coder.Options) {
		for _, each := range []struct {
			closed, moved bool
			chosen, want  string
		}{
			{false, false, "acceptEdits", "acceptEdits"},
			{true, false, "acceptEdits", "acceptEdits"},
			{false, true, "acceptEdits", "default"},
			{true, true, "acceptEdits", "default"},
			{false, true, "bypassPermissions", "default"},
		} {
			c := beginWith(t, &client{}, o())
			if _, err := c.set("permissions", choice(each.chosen)); err != nil {
				t.Fatal(err)
			}
			if each.moved {
				c.dir = realDir(t)
			}
			if each.closed {
				c.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: c.session}, nil)
			}
			got, err := c.load()
			if err != nil || valueOf(got, "permissions") != each.want {
				t.Errorf("%+v: the options are %q, %v", each, values(got), err)
			}
		}
		c := beginWith(t, &client{}, o())
		if _, err := c.set("permissions", choice("acceptEdits")); err != nil {
			t.Fatal(err)
		}
		var forked acp.ForkSessionResponse
		c.must(acp.MethodSessionFork, &acp.ForkSessionRequest{SessionID: c.session, CWD: realDir(t)}, &forked)
		if got := valueOf(forked.ConfigOptions, "permissions"); got != "default" {
			t.Errorf("the fork's permissions are %q", got)
		}
	})
}

// S001.20, F59: what was allowed in other folders doesn't come back where the session works now, however often it is loaded there.
func TestS001_20_AnswersDontComeBackElsewhere(t *testing.T) {
	shell := callOf("shell", `{"command":"echo hello"}`)
	m := &scripted{answers: [][]any{shell, finished, shell, finished, shell, finished}}
	dir := t.TempDir()
	db := openStore(t, dir)
	c := &client{dir: realDir(t), permit: answers(acp.PermissionOptionKindAllowAlways)}
	c.connect(t, coder.WithStore(m, db))
	c.session = c.openWith()
	c.turn("go", acp.StopReasonEndTurn)
	if _, err := c.set("permissions", choice("acceptEdits")); err != nil {
		t.Fatal(err)
	}
	c.dir = realDir(t)
	for range 2 {
		next := c.successor(t, db, dir, m)
		got, err := next.load()
		if err != nil || valueOf(got, "permissions") != "default" {
			t.Errorf("the options are %q, %v", values(got), err)
		}
		if said := saidText(next.turn("/permissions", acp.StopReasonEndTurn)); !strings.Contains(said, "no answer that lasts") {
			t.Errorf("/permissions says %q", said)
		}
		next.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: next.session}, nil)
		c, db = next, nil
	}
}
