package coder_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// openStore opens the store in a folder, as a process of its own would.
func openStore(t *testing.T, dir string) *store.Store {
	t.Helper()
	db, err := store.Open(t.Context(), dir, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// in makes a store one that an agent keeps its sessions in.
func in(db *store.Store) coder.Options {
	return coder.Options{Sessions: func(context.Context) (*store.Store, error) { return db, nil }}
}

// successor is a client of another agent, which has the same sessions; the one before has ended with all it held.
func (c *client) successor(t *testing.T, before *store.Store, dir string, m *scripted) *client {
	t.Helper()
	if before != nil {
		if err := before.Close(); err != nil {
			t.Fatal(err)
		}
	}
	next := &client{dir: c.dir, session: c.session, permit: c.permit, can: c.can}
	next.connect(t, coder.WithStore(m, openStore(t, dir)))
	return next
}

// S001.4: after a restart the model is told what was said before, and what it costs is counted on.
func TestAConversationGoesOnAfterARestart(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	m := &scripted{answers: [][]any{
		{&model.Call{ID: "1", Name: "list", Input: acp.Raw(`{}`)}, stop(model.StopCalls)},
		{model.Text("one"), stop(model.StopEnd)},
		{model.Text("no"), stop(model.StopRefusal)},
		{errors.New("no such host")},
		{model.Text("two"), stop(model.StopEnd)},
	}}
	c := &client{dir: t.TempDir(), permit: answers(acp.PermissionOptionKindAllowOnce)}
	c.connect(t, coder.WithStore(m, db))
	var opened acp.NewSessionResponse
	c.must(acp.MethodSessionNew, &acp.NewSessionRequest{CWD: c.dir, MCPServers: []acp.MCPServer{}}, &opened)
	c.session = opened.SessionID
	c.turn("first", acp.StopReasonEndTurn)
	c.turn("refused", acp.StopReasonRefusal)
	if _, err := c.prompt("failed"); err == nil {
		t.Error("the turn did not fail")
	}
	next := c.successor(t, db, dir, m)
	if _, err := next.load(); err != nil {
		t.Fatal(err)
	}
	for _, u := range next.seen() {
		if chunk, ok := u.(*acp.UserMessageChunk); ok && chunk.Content.(*acp.TextContent).Text == "refused" {
			t.Error("a refused turn is replayed")
		}
	}
	next.turn("second", acp.StopReasonEndTurn)
	want := []string{"user first", "assistant call list", "user result . has 0 entries false", "assistant one", "user second"}
	if diff := cmp.Diff(want, texts(m.requests[len(m.requests)-1])); diff != "" {
		t.Errorf("the model is told (-want +got):\n%s", diff)
	}
}

// F68, F77, S001.4: what keeps a session from being opened is told, each in its own words, and destroys nothing.
func TestF68_WhyASessionCantBeOpened(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	c := beginWith(t, &client{}, in(db), "a.txt", "hello\n")
	c.turn("read a.txt", acp.StopReasonEndTurn)
	other := &client{dir: c.dir, session: c.session}
	a, err := coder.New(in(openStore(t, dir)))
	if err != nil {
		t.Fatal(err)
	}
	other.connect(t, a)
	refused := func(what string, code int, word string) {
		t.Helper()
		_, err := other.load()
		var sent *acp.Error
		if !errors.As(err, &sent) || sent.Code != code || !strings.Contains(sent.Message, word) {
			t.Errorf("%s: got %v", what, err)
		}
	}
	refused("open elsewhere", acp.CodeInvalidRequest, "in use by ")
	other.session = "nobody"
	refused("unknown", acp.CodeResourceNotFound, "nobody")
	other.session = c.session
	c.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: c.session}, nil)
	other.dir = filepath.Join(c.dir, "gone")
	refused("folder gone", acp.CodeInvalidParams, "does not exist")
	other.dir = c.dir
	if _, err := other.load(); err != nil {
		t.Fatalf("after it was closed: %v", err)
	}
	other.turn("read a.txt", acp.StopReasonEndTurn)
	other.must(acp.MethodSessionDelete, &acp.DeleteSessionRequest{SessionID: c.session}, nil)
	refused("deleted", acp.CodeResourceNotFound, string(c.session))
}

// F71: sessions are listed with the folder that they were opened in last, page by page, with a title; a fork has what the
// other one has and goes its own way.
func TestStoredSessionsAreListedAndForked(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	c := beginWith(t, &client{}, in(db), "a.txt", "hello\n")
	first := c.session
	c.turn("read a.txt", acp.StopReasonEndTurn)
	var forked acp.ForkSessionResponse
	c.must(acp.MethodSessionFork, &acp.ForkSessionRequest{SessionID: first, CWD: c.dir}, &forked)
	c.session = forked.SessionID
	if said := saidText(c.turn("dance", acp.StopReasonEndTurn)); strings.Contains(said, "no language model behind me") {
		t.Error("the fork doesn't know what was said")
	}
	var answer acp.ListSessionsResponse
	c.must(acp.MethodSessionList, &acp.ListSessionsRequest{CWD: c.dir}, &answer)
	if len(answer.Sessions) != 2 || answer.Sessions[0].SessionID != forked.SessionID || answer.Sessions[1].Title != "read a.txt" {
		t.Errorf("listed: %+v", answer.Sessions)
	}
	c.session = first
	c.dir = t.TempDir()
	if _, err := c.load(); err != nil {
		t.Fatal(err)
	}
	c.must(acp.MethodSessionList, &acp.ListSessionsRequest{CWD: c.dir}, &answer)
	if len(answer.Sessions) != 1 || answer.Sessions[0].SessionID != first {
		t.Errorf("listed for the new folder: %+v", answer.Sessions)
	}
	err := c.rpc.Call(t.Context(), acp.MethodSessionList, &acp.ListSessionsRequest{Cursor: "x"}, nil)
	if !errors.Is(err, &acp.Error{Code: acp.CodeInvalidParams}) {
		t.Errorf("a cursor of no page: got %v", err)
	}
}

// Without a store that can be used the user is told once, and sessions go on in memory.
func TestSessionsGoOnWithoutAStore(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	opened := 0
	c := beginWith(t, &client{can: everyUpdate}, coder.Options{Sessions: func(ctx context.Context) (*store.Store, error) {
		opened++
		return store.Open(ctx, filepath.Join(file, "x"), store.Options{})
	}}, "a.txt", "hello\n")
	c.await(func(u acp.SessionUpdate) bool {
		return strings.Contains(saidText([]acp.SessionUpdate{u}), "Sessions are not kept") || isNotice(u, "Sessions are not kept")
	})
	c.turn("read a.txt", acp.StopReasonEndTurn)
	c.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: c.session}, nil)
	if _, err := c.load(); err != nil || opened != 1 {
		t.Errorf("got %v after %d attempts", err, opened)
	}
	c.must(acp.MethodSessionDelete, &acp.DeleteSessionRequest{SessionID: c.session}, nil)
}

func isNotice(u acp.SessionUpdate, title string) bool {
	n, ok := u.(*acp.Notice)
	return ok && n.Title == title
}

// F68, F74, S001.4: expired and damaged are told apart, and what is damaged stays as it is.
func TestF74_ExpiredAndDamagedSessions(t *testing.T) {
	db := openStore(t, t.TempDir())
	c := beginWith(t, &client{}, in(db), "a.txt", "hello\n")
	refused := func(code int, word string) {
		t.Helper()
		_, err := c.load()
		var sent *acp.Error
		if !errors.As(err, &sent) || sent.Code != code || !strings.Contains(sent.Message, word) {
			t.Errorf("got %v, want code %d and %q", err, code, word)
		}
	}
	c.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: c.session}, nil)
	lease, err := db.Acquire(t.Context(), c.session)
	if err != nil {
		t.Fatal(err)
	}
	_, err = lease.Append(t.Context(), store.Change{Messages: [][]byte{[]byte("no message")}})
	if err := errors.Join(err, lease.Close()); err != nil {
		t.Fatal(err)
	}
	refused(acp.CodeInternalError, "can't be read")
	refused(acp.CodeInternalError, "can't be read")
	if _, err := db.Sweep(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	refused(acp.CodeResourceNotFound, "expired")
}

// F77, F91: a turn whose process was killed is finished when the session is loaded: its calls have failed, and the model is
// told so, and that it was interrupted.
func TestAKilledTurnIsFinished(t *testing.T) {
	dir := t.TempDir()
	db := openStore(t, dir)
	m := &scripted{answers: [][]any{
		{model.Text("I look."), &model.Call{ID: "1", Name: "write", Input: acp.Raw(`{"path":"a","text":"b"}`)}, stop(model.StopCalls)},
		{model.Text("ok"), stop(model.StopEnd)},
	}}
	c := &client{dir: t.TempDir()}
	asked := make(chan struct{})
	c.permit = func(ctx context.Context, _ *acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
		close(asked)
		<-ctx.Done()
		return acp.PermissionCancelled()
	}
	c.connect(t, coder.WithStore(m, db))
	var opened acp.NewSessionResponse
	c.must(acp.MethodSessionNew, &acp.NewSessionRequest{CWD: c.dir, MCPServers: []acp.MCPServer{}}, &opened)
	c.session = opened.SessionID
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = c.prompt("go") // ends with the connection
	}()
	<-asked
	next := c.successor(t, db, dir, m) // what this process writes from now on is lost, as if it were killed
	if _, err := next.load(); err != nil {
		t.Fatal(err)
	}
	if got := next.script(next.seen()); !strings.HasSuffix(got, " failed\n") {
		t.Errorf("got\n%s", got)
	}
	next.turn("and now?", acp.StopReasonEndTurn)
	want := []string{
		"user go", "assistant I look. call write",
		"user result the turn ended while this call was carried out: what it was to do may be done in part true",
		"assistant [interrupted: the agent was ended]", "user and now?",
	}
	if diff := cmp.Diff(want, texts(m.requests[1])); diff != "" {
		t.Errorf("the model is told (-want +got):\n%s", diff)
	}
	_ = c.rpc.Close()
	<-ended
}
