package coder_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

// contents are the bytes of a store's files, those that have what is kept.
func contents(t *testing.T, db *store.Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, suffix := range []string{"", "-wal"} {
		text, err := os.ReadFile(db.Path() + suffix)
		if err != nil {
			t.Fatal(err)
		}
		all[suffix] = string(text)
	}
	return all
}

// damage changes what is stored of the first prompt of a session, behind the store's back.
func damage(t *testing.T, db *store.Store, before, after string) {
	t.Helper()
	raw, err := sql.Open("sqlite", db.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	changed, err := raw.ExecContext(t.Context(), "UPDATE events SET data = CAST(replace(data, ?, ?) AS BLOB) WHERE instr(data, ?)", before, after, before)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := changed.RowsAffected(); err != nil || n == 0 {
		t.Fatalf("%d events were changed, %v", n, err)
	}
}

// F68, F69, F74, S001.4: a session that is unknown, one that has expired, one that is damaged and one whose folder is gone are
// refused, each in its own words, however they are opened, and nothing that is stored of them changes by a byte. With the
// folder made anew, or with another one, the last is there again.
func TestF69_RefusedSessionsStayAsTheyAre(t *testing.T) {
	db := openStore(t, t.TempDir())
	c := beginWith(t, &client{can: everyUpdate}, in(db))
	expired := c.session
	c.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: expired}, nil)
	if _, err := db.Sweep(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	place := t.TempDir()
	gone := filepath.Join(place, "gone")
	if err := os.Mkdir(gone, 0o777); err != nil {
		t.Fatal(err)
	}
	said := func(cwd, words string) acp.SessionID {
		c.dir = cwd
		c.session = c.openAnother()
		c.turn(words, acp.StopReasonEndTurn)
		c.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: c.session}, nil)
		return c.session
	}
	broken, homeless := said(place, "say something"), said(gone, "/help")
	damage(t, db, "something", "somethinG")
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	before := contents(t, db)
	for name, refused := range map[string]struct {
		session acp.SessionID
		cwd     string
		code    int
		says    string
	}{
		"unknown": {"nobody", place, acp.CodeResourceNotFound, "nobody"},
		"expired": {expired, place, acp.CodeResourceNotFound, "has expired"},
		"damaged": {broken, place, acp.CodeInternalError, "is damaged: event 1 has changed"},
		"gone":    {homeless, gone, acp.CodeInvalidParams, "which does not exist"},
	} {
		for method, params := range map[string]any{
			acp.MethodSessionLoad:   &acp.LoadSessionRequest{SessionID: refused.session, CWD: refused.cwd, MCPServers: []acp.MCPServer{}},
			acp.MethodSessionResume: &acp.ResumeSessionRequest{SessionID: refused.session, CWD: refused.cwd},
		} {
			c.forget()
			var sent *acp.Error
			err := c.rpc.Call(t.Context(), method, params, nil)
			if !errors.As(err, &sent) || sent.Code != refused.code || !strings.Contains(sent.Message, refused.says) {
				t.Errorf("%s, %s: got %v", method, name, err)
			}
			if got := c.seen(); len(got) > 0 {
				t.Errorf("%s, %s: the client was shown %v", method, name, written(t, got))
			}
		}
	}
	if diff := cmp.Diff(before, contents(t, db)); diff != "" {
		t.Error("the files of the store have changed")
	}

	c.session, c.dir = homeless, place
	if _, err := c.load(); err != nil {
		t.Errorf("with another folder: %v", err)
	}
	isWarning := func(u acp.SessionUpdate) bool { return isNotice(u, "The session goes on in another folder") }
	c.await(isWarning)
	c.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: homeless}, nil)
	if err := os.Mkdir(gone, 0o777); err != nil {
		t.Fatal(err)
	}
	c.dir = gone
	c.forget()
	if _, err := c.load(); err != nil {
		t.Errorf("with its folder made anew: %v", err)
	}
	if got := saidText(c.seen()); !strings.Contains(got, "This is `patchbay agent`") {
		t.Errorf("what was said is now %q", got)
	}
	damage(t, db, "somethinG", "something")
	c.session, c.dir = broken, place
	if _, err := c.load(); err != nil {
		t.Errorf("repaired: %v", err)
	}
}
