package store_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

// A file that can't be used is named together with what is wrong with it, and stays as it is, byte for byte.
func TestDamagedFiles(t *testing.T) {
	header := func(at int, value uint32) func([]byte) []byte {
		return func(file []byte) []byte {
			binary.BigEndian.PutUint32(file[at:], value)
			return file
		}
	}
	for name, c := range map[string]struct {
		damage func(file []byte) []byte
		want   error
		says   string
	}{
		"zero bytes":          {func([]byte) []byte { return nil }, store.ErrFileDamaged, "empty"},
		"a few bytes":         {func(f []byte) []byte { return f[:50] }, store.ErrFileDamaged, "50 bytes"},
		"half a page":         {func(f []byte) []byte { return f[:2000] }, store.ErrFileDamaged, ""},
		"half the file":       {func(f []byte) []byte { return f[:len(f)/2] }, store.ErrFileDamaged, ""},
		"one byte too short":  {func(f []byte) []byte { return f[:len(f)-1] }, store.ErrFileDamaged, "within a page"},
		"a garbled header":    {func(f []byte) []byte { copy(f, "garbage, garbage"); return f }, store.ErrNotStore, "begin"},
		"a garbled page size": {func(f []byte) []byte { copy(f[16:], "\x00\x07"); return f }, store.ErrFileDamaged, "7 bytes"},
		"zeroes":              {func(f []byte) []byte { return make([]byte, len(f)) }, store.ErrNotStore, ""},
		"a text":              {func([]byte) []byte { return bytes.Repeat([]byte("text\n"), 100) }, store.ErrNotStore, ""},
		"a garbled schema":    {func(f []byte) []byte { copy(f[100:], "garbage, garbage"); return f }, store.ErrFileDamaged, ""},
		"another application": {header(68, 7), store.ErrNotStore, "another application"},
		"a newer version":     {header(60, 99), store.ErrNewer, "99"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, store.Options{})
			add(t, create(t, s, store.Session{ID: "a"}), store.Change{Events: []store.Event{prompt(t, strings.Repeat("x", 100_000))}})
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			whole, err := os.ReadFile(s.Path())
			if err != nil {
				t.Fatal(err)
			}
			bad := c.damage(bytes.Clone(whole))
			if err := os.WriteFile(s.Path(), bad, 0o600); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the first one must not have made it better or worse
				_, err = store.Open(t.Context(), dir, store.Options{})
				if e := (*store.FileError)(nil); !errors.As(err, &e) || e.Path != s.Path() || !errors.Is(err, c.want) {
					t.Errorf("got %v, want %v", err, c.want)
				} else if text := err.Error(); !strings.Contains(text, s.Path()) || !strings.Contains(text, c.says) {
					t.Errorf("it says %q", text)
				}
				if left, err := os.ReadFile(s.Path()); err != nil || !bytes.Equal(left, bad) {
					t.Fatal("the file has changed", err)
				}
			}
			if err := os.WriteFile(s.Path(), whole, 0o600); err != nil {
				t.Fatal(err)
			}
			if n := len(events(t, load(t, open(t, dir, store.Options{}), "a"))); n != 1 {
				t.Errorf("repaired, it has %d events", n)
			}
		})
	}
}

// What is in the place of the file or its folder is not touched either.
func TestSomethingElseInThePlace(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(dir, "state", "sessions.db")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for in, path := range map[string]string{file: filepath.Join(file, "sessions.db"), filepath.Dir(folder): folder} {
		_, err := store.Open(t.Context(), in, store.Options{})
		if e := (*store.FileError)(nil); !errors.As(err, &e) || e.Path != path {
			t.Errorf("got %v", err)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "mine" {
		t.Errorf("the file is %q, %v", text, err)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}

// A session of which something can't be read, or isn't what was written, is damaged: it alone, and nothing of it is removed
// (S001.4). Lists have it and all others, so that it can be deleted.
func TestDamagedSessions(t *testing.T) {
	for name, text := range map[string]string{
		"an event that has changed":        "UPDATE events SET data = CAST('[]' AS BLOB) WHERE place = (1 << 32) + 2",
		"an event that is gone":            "DELETE FROM events WHERE place = (1 << 32) + 2",
		"the first event":                  "DELETE FROM events WHERE place = (1 << 32) + 1",
		"a message that is gone":           "DELETE FROM messages WHERE place = (1 << 32) + 1",
		"a message that has changed":       "UPDATE messages SET data = CAST('x' AS BLOB) WHERE place = (1 << 32) + 1",
		"roots that are none":              "UPDATE sessions SET roots = '{' WHERE key = 1",
		"an owner that is none":            "UPDATE sessions SET owner = '{' WHERE key = 1",
		"settings that have changed":       "UPDATE documents SET data = CAST('x' AS BLOB) WHERE place = 1 << 4",
		"all events but the last are gone": "DELETE FROM events WHERE place < (1 << 32) + 3",
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, t.TempDir(), store.Options{})
			for _, id := range []acp.SessionID{"a", "b"} {
				add(t, create(t, s, store.Session{ID: id}), store.Change{
					Events:   []store.Event{prompt(t, "1"), prompt(t, "2"), prompt(t, "3")},
					Messages: [][]byte{[]byte("1"), []byte("2")}, Documents: store.Documents{Settings: []byte("{}")},
				})
			}
			store.Statement(t, s, text)
			rows := store.Rows(t, s)
			loaded, err := s.Load(t.Context(), "a")
			if err == nil {
				err = loaded.Check(t.Context())
			}
			if e := (*store.SessionError)(nil); !errors.As(err, &e) || e.ID != "a" || !errors.Is(err, store.ErrDamaged) {
				t.Errorf("got %v", err)
			}
			if n := store.Rows(t, s); n != rows {
				t.Errorf("there were %d rows, and there are %d", rows, n)
			}
			if err := load(t, s, "b").Check(t.Context()); err != nil {
				t.Errorf("the other one: %v", err)
			}
			if got := list(t, s, store.Filter{Used: true}, nothing); len(got) != 1 || len(got[0]) != 2 {
				t.Errorf("the list has %v", got)
			}
			if err := s.Delete(t.Context(), "a"); err != nil {
				t.Errorf("it can't be deleted: %v", err)
			}
		})
	}
}

// garbled makes a store of 20 sessions, in which the page is garbage that has a text. It returns the folder, and a sum of the file.
func garbled(t *testing.T, text string) (dir string, sum [sha256.Size]byte) {
	t.Helper()
	dir = t.TempDir()
	s := open(t, dir, store.Options{})
	for i := range 20 {
		l := create(t, s, store.Session{ID: poolName(i)})
		for n := range 20 {
			add(t, l, store.Change{Events: []store.Event{prompt(t, strings.Repeat(fmt.Sprintf("<%d:%d>", i, n), 100))}})
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(file, []byte(text)) / 4096 * 4096
	copy(file[at:], bytes.Repeat([]byte{0xa5}, 4096))
	if err := os.WriteFile(s.Path(), file, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir, sha256.Sum256(file)
}

// A page of the file that is garbage damages the session that has it. Others live on, and are listed.
func TestDamagedPages(t *testing.T) {
	for name, text := range map[string]string{"the end of a session": "<7:19>", "its beginning": "<7:0>"} {
		t.Run(name, func(t *testing.T) { testDamagedPage(t, text) })
	}
}

func testDamagedPage(t *testing.T, text string) {
	dir, before := garbled(t, text)
	s := open(t, dir, store.Options{})
	good := 0
	for i := range 20 {
		loaded, err := s.Load(t.Context(), poolName(i))
		if err == nil {
			err = loaded.Check(t.Context())
		}
		switch {
		case err == nil:
			good++
		case !errors.Is(err, store.ErrDamaged):
			t.Errorf("%d: %v", i, err)
		}
		if i == 7 && err == nil {
			t.Error("it isn't damaged")
		}
	}
	if good < 18 { // a page may have the end of one session and the beginning of the next
		t.Errorf("only %d sessions are whole", good)
	}
	for _, f := range []store.Filter{{}, {Used: true}, {Used: true, Limit: 3}} {
		if all := slices.Concat(list(t, s, f, nothing)...); len(all) != 20 {
			t.Errorf("%+v lists %q", f, all)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if file, err := os.ReadFile(s.Path()); err != nil || sha256.Sum256(file) != before {
		t.Error("reading has changed the file", err)
	}
}

// A session with a page that is garbage can't be appended to, while others are.
func TestDamagedPagesKeepNobodyFromWriting(t *testing.T) {
	dir, _ := garbled(t, "<7:19>")
	s := open(t, dir, store.Options{})
	commits := store.Commits(t, s)
	bad, fine := acquire(t, s, poolName(7)), acquire(t, s, poolName(15))
	unlock := store.Lock(t, s)
	failed, done := make(chan error), make(chan error)
	for l, result := range map[*store.Lease]chan error{bad: failed, fine: done} {
		go func() {
			_, err := l.Append(t.Context(), store.Change{Events: []store.Event{prompt(t, "on")}})
			result <- err
		}()
	}
	until(t, func() bool { return store.Queued(s) > 0 })
	unlock()
	if err := <-failed; !errors.Is(err, store.ErrDamaged) {
		t.Errorf("the damaged one: %v", err)
	}
	if err := <-done; err != nil {
		t.Errorf("the one beside it: %v", err)
	}
	if n := commits(); n != 3 {
		t.Errorf("there were %d commits", n)
	}
	if n := len(events(t, load(t, s, poolName(15)))); n != 21 {
		t.Errorf("there are %d events", n)
	}
}

// Where no session can be made, it is the file that is damaged, not the session.
func TestDamagedPagesOfAllSessions(t *testing.T) {
	dir, _ := garbled(t, "pool7")
	s := open(t, dir, store.Options{})
	_, err := s.Create(t.Context(), store.Session{ID: "new"})
	if e := (*store.FileError)(nil); !errors.As(err, &e) || !errors.Is(err, store.ErrFileDamaged) {
		t.Errorf("got %v", err)
	}
}

// A disk that is full is said to be that. What was there is there, and when there is space again all goes on.
func TestFullDisk(t *testing.T) {
	s := open(t, t.TempDir(), store.Options{})
	l := create(t, s, store.Session{ID: "a"})
	add(t, l, store.Change{Events: []store.Event{prompt(t, "before")}})
	pages, _ := store.Pages(t, s)
	store.MaxPages(t, s, pages+2)
	large := store.Change{Events: []store.Event{prompt(t, "small"), prompt(t, strings.Repeat("x", 1<<20))}}
	_, err := l.Append(t.Context(), large)
	if e := (*store.FileError)(nil); !errors.As(err, &e) || !errors.Is(err, store.ErrFull) || e.Path != s.Path() {
		t.Errorf("got %v", err)
	}
	if n := len(events(t, load(t, s, "a"))); n != 1 {
		t.Errorf("there are %d events", n)
	}
	store.MaxPages(t, s, 1<<30)
	if last := add(t, l, large); last != 3 {
		t.Errorf("the last event is %d", last)
	}
	if err := load(t, s, "a").Check(t.Context()); err != nil {
		t.Error(err)
	}
}
