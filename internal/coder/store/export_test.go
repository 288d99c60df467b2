package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"modernc.org/sqlite"
)

// Rows returns how many rows belong to sessions.
func Rows(t testing.TB, s *Store) (n int) {
	t.Helper()
	const query = "SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM messages) + (SELECT count(*) FROM documents)"
	if err := s.reader.QueryRow(query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Statement runs a statement on the database, by a connection of its own.
func Statement(t testing.TB, s *Store, text string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", source(s.path, "busy_timeout(10000)"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(context.Background(), text, args...); err != nil {
		t.Fatal(err)
	}
}

// Migrations returns options with further migrations.
func (o Options) Migrations(more ...string) Options {
	o.steps = append(append([]string{}, migrations...), more...)
	return o
}

// Join puts two pieces of a text together.
func Join(before, after []byte) (joined []byte, ok bool) {
	p, ok := parsePiece(before)
	p.data = bytes.Clone(p.data)
	ok = ok && p.join(after)
	return p.data, ok
}

// MaxPages has the file be full at so many pages.
func MaxPages(t testing.TB, s *Store, pages int) {
	t.Helper()
	err := s.writer.do(t.Context(), 0, func(tx *tx) error {
		var now int
		return tx.row(fmt.Sprintf("PRAGMA max_page_count = %d", pages), nil, &now)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Pages returns how many pages the file has, and how many of them are free.
func Pages(t testing.TB, s *Store) (all, free int) {
	t.Helper()
	if err := s.reader.QueryRow("PRAGMA page_count").Scan(&all); err != nil {
		t.Fatal(err)
	}
	if err := s.reader.QueryRow("PRAGMA freelist_count").Scan(&free); err != nil {
		t.Fatal(err)
	}
	return all, free
}

// Commits returns a function that says how many transactions the store has committed since. No one may use the store when
// Commits is called.
func Commits(t testing.TB, s *Store) func() int64 {
	t.Helper()
	var n atomic.Int64
	err := s.writer.conn.Raw(func(conn any) error {
		conn.(sqlite.HookRegisterer).RegisterCommitHook(func() int32 { n.Add(1); return 0 })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n.Load
}

// Queued returns how many operations wait, the one included that the writer waits with.
func Queued(s *Store) int { return len(s.writer.queue) }

// Lock keeps everyone from writing, as another process would, until unlock is called.
func Lock(t testing.TB, s *Store) (unlock func()) {
	t.Helper()
	db, err := sql.Open("sqlite", source(s.path, "busy_timeout(10000)"))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(context.Background())
	if err == nil {
		_, err = conn.ExecContext(context.Background(), "BEGIN IMMEDIATE")
	}
	if err != nil {
		t.Fatal(err)
	}
	return sync.OnceFunc(func() {
		if _, err := conn.ExecContext(context.Background(), "ROLLBACK"); err != nil {
			t.Error(err)
		}
		conn.Close()
		db.Close()
	})
}
