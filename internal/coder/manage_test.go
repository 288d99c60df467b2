package coder_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

// keeping runs a test with sessions in a store and with sessions in memory: clients see no difference.
func keeping(t *testing.T, test func(t *testing.T, o func() coder.Options)) {
	t.Helper()
	t.Run("stored", func(t *testing.T) {
		dir := t.TempDir()
		test(t, func() coder.Options { return in(openStore(t, dir)) })
	})
	t.Run("in memory", func(t *testing.T) { test(t, func() coder.Options { return coder.Options{} }) })
}

func (c *client) openAnother() acp.SessionID {
	c.Helper()
	var opened acp.NewSessionResponse
	c.must(acp.MethodSessionNew, &acp.NewSessionRequest{CWD: c.dir, MCPServers: []acp.MCPServer{}}, &opened)
	return opened.SessionID
}

// listed are the sessions of a list, each with its title, a star before an archived one.
func (c *client) listed(archived acp.SessionArchiveFilter) (list []string) {
	c.Helper()
	var answer acp.ListSessionsResponse
	c.must(acp.MethodSessionList, &acp.ListSessionsRequest{CWD: c.dir, Archived: archived}, &answer)
	for _, s := range answer.Sessions {
		if s.Archived == nil {
			c.Fatalf("a list does not say whether %q is archived", s.Title)
		}
		list = append(list, map[bool]string{true: "*"}[*s.Archived]+s.Title)
	}
	return list
}

func (c *client) setTitle(title string) (string, error) {
	var answer acp.SetSessionTitleResponse
	err := c.rpc.Call(c.Context(), acp.MethodSessionSetTitle, &acp.SetSessionTitleRequest{SessionID: c.session, Title: title}, &answer)
	return answer.Title, err
}

// titles are the titles that updates give to a session.
func titles(updates []acp.SessionUpdate) (list []string) {
	for _, u := range updates {
		if info, ok := u.(*acp.SessionInfoUpdate); ok {
			title, _ := info.Title.Get()
			list = append(list, title)
		}
	}
	return list
}

// A title of the user's own stays: the agent makes none in its place, whenever it was given, and whoever loads the session is
// told it. The client that has the session open is told at once.
func TestTheUsersTitleStays(t *testing.T) {
	keeping(t, func(t *testing.T, o func() coder.Options) {
		c := beginWith(t, &client{}, o(), "a.txt", "hello\n")
		if got, err := c.setTitle(" mine,\n all  mine "); err != nil || got != "mine, all mine" {
			t.Fatalf("got %q, %v", got, err)
		}
		c.await(func(u acp.SessionUpdate) bool { return len(titles([]acp.SessionUpdate{u})) > 0 })
		if got := titles(c.turn("read a.txt", acp.StopReasonEndTurn)); len(got) > 0 {
			t.Errorf("the agent has called it %q", got)
		}
		if diff := cmp.Diff([]string{"mine, all mine"}, c.listed("")); diff != "" {
			t.Errorf("listed (-want +got):\n%s", diff)
		}
		c.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: c.session}, nil)
		if got, err := c.setTitle(strings.Repeat("ü", 300)); err != nil || got != strings.Repeat("ü", 199)+"…" {
			t.Errorf("got %q, %v", got, err)
		}
		c.forget()
		if _, err := c.load(); err != nil {
			t.Fatal(err)
		}
		if got := titles(c.seen()); len(got) != 1 || got[0] != strings.Repeat("ü", 199)+"…" {
			t.Errorf("who loads it is told %q", got)
		}
		c.session = c.openAnother()
		c.turn("read a.txt", acp.StopReasonEndTurn)
		if got, err := c.setTitle("after"); err != nil || got != "after" {
			t.Errorf("got %q, %v", got, err)
		}
		c.turn("list", acp.StopReasonEndTurn)
		if got := c.listed(""); got[0] != "after" {
			t.Errorf("listed: %q", got)
		}
		c.forget()
		if _, err := c.load(); err != nil {
			t.Fatal(err)
		}
		if got := titles(c.seen()); got[len(got)-1] != "after" {
			t.Errorf("who loads it once more is told %q", got)
		}
	})
}

// An archived session is in the lists that ask for it, is not open, and can be loaded as it was. It stays archived until it is
// taken out. Doing either twice is no error.
func TestSessionsAreArchived(t *testing.T) {
	keeping(t, func(t *testing.T, o func() coder.Options) {
		c := beginWith(t, &client{}, o(), "a.txt", "hello\n")
		c.turn("list", acp.StopReasonEndTurn)
		first := c.session
		c.session = c.openAnother()
		c.turn("read a.txt", acp.StopReasonEndTurn)
		c.session = first
		lists := func(when string, exclude, only, include []string) {
			t.Helper()
			got := [][]string{c.listed(""), c.listed(acp.SessionArchiveFilterOnly), c.listed(acp.SessionArchiveFilterInclude)}
			if diff := cmp.Diff([][]string{exclude, only, include}, got); diff != "" {
				t.Errorf("lists, %s (-want +got):\n%s", when, diff)
			}
		}
		lists("before", []string{"read a.txt", "list"}, nil, []string{"read a.txt", "list"})
		for range 2 {
			c.must(acp.MethodSessionArchive, &acp.ArchiveSessionRequest{SessionID: first}, nil)
		}
		lists("archived", []string{"read a.txt"}, []string{"*list"}, []string{"read a.txt", "*list"})
		if _, err := c.prompt("list"); !errors.Is(err, &acp.Error{Code: acp.CodeResourceNotFound}) {
			t.Errorf("a prompt of a session that was archived: %v", err)
		}
		if _, err := c.load(); err != nil {
			t.Errorf("loading it: %v", err)
		}
		lists("loaded", []string{"read a.txt"}, []string{"*list"}, []string{"read a.txt", "*list"})
		for range 2 {
			c.must(acp.MethodSessionUnarchive, &acp.UnarchiveSessionRequest{SessionID: first}, nil)
		}
		c.turn("hello", acp.StopReasonEndTurn)
		lists("after", []string{"list", "read a.txt"}, nil, []string{"list", "read a.txt"})
		err := c.rpc.Call(t.Context(), acp.MethodSessionList, &acp.ListSessionsRequest{Archived: "some"}, nil)
		if !errors.Is(err, &acp.Error{Code: acp.CodeInvalidParams}) {
			t.Errorf("a filter that there is not: %v", err)
		}
	})
}

// A session that another connection of the process has open is ended before it is archived or deleted: its turn is cancelled,
// and its client can't go on with it.
func TestPuttingASessionAwayEndsItElsewhere(t *testing.T) {
	for method, params := range map[string]func(acp.SessionID) any{
		acp.MethodSessionArchive: func(id acp.SessionID) any { return &acp.ArchiveSessionRequest{SessionID: id} },
		acp.MethodSessionDelete:  func(id acp.SessionID) any { return &acp.DeleteSessionRequest{SessionID: id} },
	} {
		t.Run(method, func(t *testing.T) {
			keeping(t, func(t *testing.T, o func() coder.Options) {
				a, err := coder.New(o())
				if err != nil {
					t.Fatal(err)
				}
				one, two := &client{dir: t.TempDir()}, &client{}
				one.connect(t, a)
				two.connect(t, a)
				one.session = one.openAnother()
				ended := make(chan acp.StopReason, 1)
				go func() {
					answer, _ := one.prompt("/demo hang")
					ended <- answer.StopReason
				}()
				one.await(func(u acp.SessionUpdate) bool { return saidText([]acp.SessionUpdate{u}) != "" })
				two.must(method, params(one.session), nil)
				if got := <-ended; got != acp.StopReasonCancelled {
					t.Errorf("the turn ended with %q", got)
				}
				if _, err := one.prompt("list"); !errors.Is(err, &acp.Error{Code: acp.CodeResourceNotFound}) {
					t.Errorf("a prompt on the first connection: %v", err)
				}
			})
		})
	}
}

// What another process has can't be archived here, since nothing here can end what it does; that it is open is known.
func TestASessionOfAnotherProcessIsNotArchived(t *testing.T) {
	dir := t.TempDir()
	c := beginWith(t, &client{}, in(openStore(t, dir)))
	a, err := coder.New(in(openStore(t, dir)))
	if err != nil {
		t.Fatal(err)
	}
	other := &client{}
	other.connect(t, a)
	err = other.rpc.Call(t.Context(), acp.MethodSessionArchive, &acp.ArchiveSessionRequest{SessionID: c.session}, nil)
	if !errors.Is(err, &acp.Error{Code: acp.CodeInvalidRequest}) || !strings.Contains(err.Error(), "in use by ") {
		t.Errorf("got %v", err)
	}
	c.turn("list", acp.StopReasonEndTurn)
	other.session = c.session
	if got := other.status(); got != acp.SessionStatusOpen {
		t.Errorf("its status is %q", got)
	}
}

func (c *client) status() acp.SessionStatus {
	c.Helper()
	var answer acp.SessionStatusResponse
	c.must(acp.MethodSessionStatus, &acp.SessionStatusRequest{SessionID: c.session}, &answer)
	return answer.Status
}

// A session is open or saved, for whichever client asks. F68: what is unknown is -32002, whatever is asked of it.
func TestF68_TheStatusOfASession(t *testing.T) {
	keeping(t, func(t *testing.T, o func() coder.Options) {
		c := beginWith(t, &client{}, o())
		if got := c.status(); got != acp.SessionStatusOpen {
			t.Errorf("an open session is %q", got)
		}
		c.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: c.session}, nil)
		if got := c.status(); got != acp.SessionStatusSaved {
			t.Errorf("a closed session is %q", got)
		}
		if _, err := c.resume(); err != nil {
			t.Fatal(err)
		}
		if got := c.status(); got != acp.SessionStatusOpen {
			t.Errorf("a resumed session is %q", got)
		}
		for method, params := range map[string]any{
			acp.MethodSessionStatus:    &acp.SessionStatusRequest{SessionID: "no"},
			acp.MethodSessionSetTitle:  &acp.SetSessionTitleRequest{SessionID: "no", Title: "x"},
			acp.MethodSessionArchive:   &acp.ArchiveSessionRequest{SessionID: "no"},
			acp.MethodSessionUnarchive: &acp.UnarchiveSessionRequest{SessionID: "no"},
		} {
			var sent *acp.Error
			err := c.rpc.Call(t.Context(), method, params, nil)
			if !errors.As(err, &sent) || sent.Code != acp.CodeResourceNotFound || !strings.Contains(string(sent.Data), `"no"`) {
				t.Errorf("%s: got %v", method, err)
			}
		}
	})
}

// A session in which nothing was said is in no list, unless the user has named it, and can be loaded by its id all the same.
func TestSessionsWithoutATurnAreNotListed(t *testing.T) {
	keeping(t, func(t *testing.T, o func() coder.Options) {
		c := beginWith(t, &client{}, o())
		first := c.session
		c.session = c.openAnother()
		if got := c.listed(""); len(got) != 0 {
			t.Errorf("listed: %q", got)
		}
		if _, err := c.setTitle("plans"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"plans"}, c.listed("")); diff != "" {
			t.Errorf("listed (-want +got):\n%s", diff)
		}
		c.session = first
		c.must(acp.MethodSessionClose, &acp.CloseSessionRequest{SessionID: c.session}, nil)
		if _, err := c.load(); err != nil {
			t.Error(err)
		}
		c.turn("/help", acp.StopReasonEndTurn)
		if diff := cmp.Diff([]string{"", "plans"}, c.listed("")); diff != "" {
			t.Errorf("listed (-want +got):\n%s", diff)
		}
	})
}

// F76: a list has no sessions of subagents, whatever was said in them.
func TestF76_ListsHaveNoSubagents(t *testing.T) {
	db := openStore(t, t.TempDir())
	c := beginWith(t, &client{}, in(db))
	c.turn("list", acp.StopReasonEndTurn)
	lease, err := db.Create(t.Context(), store.Session{ID: "child", CWD: c.dir, Parent: c.session, Title: "a child's"})
	if err != nil {
		t.Fatal(err)
	}
	said, err := store.PromptEvent([]acp.ContentBlock{acp.Text("look around")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := lease.Append(t.Context(), store.Change{Events: []store.Event{said}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"list"}, c.listed(acp.SessionArchiveFilterInclude)); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
}
