package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

// fill makes a session of another time, in which something was said.
func fill(t *testing.T, state string, session store.Session, when time.Time) {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(state, "patchbay"), store.Options{Now: func() time.Time { return when }})
	if err != nil {
		t.Fatal(err)
	}
	lease, err := db.Create(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	prompt, errPrompt := store.PromptEvent([]acp.ContentBlock{acp.Text("list")})
	end, errEnd := store.EndEvent(acp.StopReasonEndTurn)
	_, err = lease.Append(t.Context(), store.Change{Events: []store.Event{prompt, end}})
	if err := errors.Join(errPrompt, errEnd, err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// F173, S001.4: with retention, an agent removes what was not used for so long when it opens the file, besides its work. What
// went is expired, whatever is asked of it, and what never was is unknown. Without the option all stays.
func TestF173_OldSessionsAreRemoved(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	old := store.Session{ID: "old", CWD: t.TempDir()}
	fill(t, state, old, time.Now().Add(-40*24*time.Hour))
	fill(t, state, store.Session{ID: "young", CWD: old.CWD}, time.Now().Add(-20*24*time.Hour))
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	keeps := startAgent(t, path)
	keeps.open()
	keeps.must(acp.MethodSessionLoad, &acp.LoadSessionRequest{SessionID: old.ID, CWD: old.CWD, MCPServers: []acp.MCPServer{}}, nil)
	keeps.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: old.ID}, nil)

	removes := startAgent(t, path, "--keep-sessions", "30d")
	removes.open()
	gone := false
	for deadline := time.Now().Add(20 * time.Second); !gone && time.Now().Before(deadline); {
		gone = removes.rpc.Call(t.Context(), acp.MethodSessionStatus, &acp.SessionStatusRequest{SessionID: old.ID}, nil) != nil
	}
	for method, params := range map[string]any{
		acp.MethodSessionStatus:   &acp.SessionStatusRequest{SessionID: old.ID},
		acp.MethodSessionLoad:     &acp.LoadSessionRequest{SessionID: old.ID, CWD: old.CWD, MCPServers: []acp.MCPServer{}},
		acp.MethodSessionResume:   &acp.ResumeSessionRequest{SessionID: old.ID, CWD: old.CWD},
		acp.MethodSessionFork:     &acp.ForkSessionRequest{SessionID: old.ID, CWD: old.CWD},
		acp.MethodSessionSetTitle: &acp.SetSessionTitleRequest{SessionID: old.ID, Title: "x"},
		acp.MethodSessionArchive:  &acp.ArchiveSessionRequest{SessionID: old.ID},
	} {
		var sent *acp.Error
		err := removes.rpc.Call(t.Context(), method, params, nil)
		if !errors.As(err, &sent) || sent.Code != acp.CodeResourceNotFound || !strings.Contains(sent.Message, "expired") {
			t.Errorf("%s: got %v", method, err)
		}
	}
	removes.must(acp.MethodSessionDelete, &acp.DeleteSessionRequest{SessionID: old.ID}, nil) // what is gone is gone
	removes.must(acp.MethodSessionLoad, &acp.LoadSessionRequest{SessionID: "young", CWD: old.CWD, MCPServers: []acp.MCPServer{}}, nil)
	err = removes.rpc.Call(t.Context(), acp.MethodSessionStatus, &acp.SessionStatusRequest{SessionID: "never"}, nil)
	if err == nil || strings.Contains(err.Error(), "expired") {
		t.Errorf("one that never was: %v", err)
	}
}

// A title that is given by the command is kept like one that a client gives: one line of at most 200 characters.
func TestALongTitleIsCut(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	fill(t, state, store.Session{ID: "a", CWD: state}, time.Now())
	if err := (&sessionsRenameCmd{sessionID: sessionID{"a"}, Title: "so\n" + strings.Repeat("ä", 300)}).Run(); err != nil {
		t.Fatal(err)
	}
	err := withSessions(func(ctx context.Context, db *store.Store) error {
		loaded, err := db.Load(ctx, "a")
		if err == nil && loaded.Title != "so "+strings.Repeat("ä", 196)+"…" {
			t.Errorf("the title is %q", loaded.Title)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// When something was is said in one unit, which is never ahead of the time.
func TestAge(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Hour: "now", 59 * time.Second: "now", time.Minute: "1 min ago", 3599 * time.Second: "59 min ago", time.Hour: "1 h ago",
		47*time.Hour + 59*time.Minute: "47 h ago", 48 * time.Hour: "2 days ago", 4000 * 24 * time.Hour: "4000 days ago",
	} {
		if got := age(d); got != want {
			t.Errorf("%v: got %q, want %q", d, got, want)
		}
	}
}
