package store

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strconv"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Filter says which sessions List returns.
type Filter struct {
	// CWD asks for the sessions that work there. Empty means anywhere.
	CWD string

	// Parent asks for the subagents of a session. Empty asks for the user's own sessions (F76).
	Parent acp.SessionID

	// Archived says whether archived sessions are among them, or alone. Empty leaves them out.
	Archived acp.SessionArchiveFilter

	// Used leaves out the sessions in which the user has never said anything, unless the user has named them.
	Used bool

	// Cursor is Next of the page before, with the rest of the filter as it was then.
	Cursor string

	// Limit is the most that a page has; 50 if it is 0, and never more than 1,000.
	Limit int
}

// A Page is a part of a list.
type Page struct {
	Sessions []Record // the one that was used last comes first
	Next     string   // the cursor of the next page; empty if this is the last
}

// List returns a page of the sessions. While pages are read, none comes twice and none that nobody uses is left out. One that is used
// moves to the front, where it is seen when the list is read anew. A session that is damaged is there with what of it can be read.
//
// Errors: ErrCursor for a cursor that List has not made, or not for this filter; a *SessionError if Parent is not there.
func (s *Store) List(ctx context.Context, f Filter) (*Page, error) {
	limit := min(f.Limit, 1000)
	if limit <= 0 {
		limit = 50
	}
	from := position{updated: math.MaxInt64, key: math.MaxInt64}
	if f.Cursor != "" {
		var err error
		if from, err = parseCursor(f.Cursor, f); err != nil {
			return nil, err
		}
	}
	found, err := s.list(ctx, f, from, limit+1)
	if f.Used && errors.Is(err, ErrFileDamaged) {
		found, err = s.legible(ctx, f, from, limit+1)
	}
	if err != nil {
		return nil, err
	}
	page := &Page{}
	if len(found) > limit {
		found = found[:limit]
		page.Next = found[limit-1].at.cursor(f)
	}
	for _, r := range found {
		page.Sessions = append(page.Sessions, r.Record)
	}
	return page, nil
}

// A listed session is one in a list, with its place there.
type listed struct {
	at position
	Record
}

// list returns the first n sessions after a position.
func (s *Store) list(ctx context.Context, f Filter, from position, n int) (found []listed, err error) {
	err = s.read(ctx, "", func(tx *sql.Tx) error {
		where, args, err := f.where(ctx, tx)
		if err != nil {
			return err
		}
		query := "SELECT " + columns + fromSessions + where + " AND (s.updated, s.key) < (?, ?) ORDER BY s.updated DESC, s.key DESC LIMIT ?"
		rows, err := tx.QueryContext(ctx, query, append(args, from.updated, from.key, n)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			key, updated, r, err := s.scanRecord(rows.Scan)
			if err != nil && !errors.Is(err, ErrDamaged) {
				return err // a damaged session hides no others, and whoever is to delete it has to see it
			}
			found = append(found, listed{position{updated, key}, r})
		}
		return rows.Err()
	})
	return found, err
}

// legible is list where the events of a session can't be read, which fails a query about those of all. It looks at one after
// the other, and takes such a session for one that was used.
func (s *Store) legible(ctx context.Context, f Filter, from position, n int) (found []listed, err error) {
	f.Used = false
	for {
		some, err := s.list(ctx, f, from, n)
		if err != nil {
			return nil, err
		}
		for _, r := range some {
			used, err := s.used(ctx, r.at.key)
			switch {
			case err != nil && !errors.Is(err, ErrFileDamaged):
				return nil, err
			case err != nil, used, r.Own:
				found = append(found, r)
			}
			if len(found) == n {
				return found, nil
			}
			from = r.at
		}
		if len(some) < n {
			return found, nil
		}
	}
}

// used reports whether the user has said something in a session.
func (s *Store) used(ctx context.Context, key int64) (used bool, err error) {
	first, last := between(key, numberBits)
	err = s.read(ctx, "", func(tx *sql.Tx) error {
		return tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM events WHERE place BETWEEN ? AND ? AND kind = ?)",
			first, last, KindPrompt).Scan(&used)
	})
	return used, err
}

// where is the filter in SQL.
func (f *Filter) where(ctx context.Context, tx *sql.Tx) (clause string, args []any, err error) {
	clause = "WHERE s.parent IS NULL"
	if f.Parent != "" {
		var key int64
		err := tx.QueryRowContext(ctx, "SELECT key FROM sessions WHERE id = ?", string(f.Parent)).Scan(&key)
		if errors.Is(err, sql.ErrNoRows) {
			return "", nil, missing(ctx, tx, f.Parent)
		}
		if err != nil {
			return "", nil, err
		}
		clause, args = "WHERE s.parent = ?", append(args, key)
	}
	if f.CWD != "" {
		clause, args = clause+" AND s.cwd = ?", append(args, f.CWD)
	}
	if f.Used { // the first event is a prompt, or soon followed by one
		clause += " AND (s.own OR EXISTS (SELECT 1 FROM events e WHERE e.place BETWEEN s.key << ? AND s.key << ? | ? AND e.kind = ?))"
		_, last := between(0, numberBits)
		args = append(args, numberBits, numberBits, last, KindPrompt)
	}
	switch f.Archived {
	case acp.SessionArchiveFilterInclude:
	case acp.SessionArchiveFilterOnly:
		clause += " AND s.archived = 1"
	case acp.SessionArchiveFilterExclude, "":
		clause += " AND s.archived = 0"
	default:
		return "", nil, fmt.Errorf("there is no filter %q for archived sessions", string(f.Archived))
	}
	return clause, args, nil
}

// A position is where a page ends: at the last session of it.
type position struct {
	updated, key int64
}

// cursorLength is that of a cursor in bytes: two numbers, the filter and a sum over all of that.
const cursorLength = 8 + 8 + 4 + 4

func (p position) cursor(f Filter) string {
	b := binary.BigEndian.AppendUint64(nil, uint64(p.updated))
	b = binary.BigEndian.AppendUint64(b, uint64(p.key))
	b = binary.BigEndian.AppendUint32(b, f.mark())
	b = binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	return base64.RawURLEncoding.EncodeToString(b)
}

func parseCursor(cursor string, f Filter) (position, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(b) != cursorLength || binary.BigEndian.Uint32(b[20:]) != crc32.Checksum(b[:20], castagnoli) {
		return position{}, fmt.Errorf("%w: %.80q", ErrCursor, cursor)
	}
	if binary.BigEndian.Uint32(b[16:]) != f.mark() {
		return position{}, fmt.Errorf("%w: it was made for another filter", ErrCursor)
	}
	return position{int64(binary.BigEndian.Uint64(b)), int64(binary.BigEndian.Uint64(b[8:]))}, nil
}

// mark tells filters apart.
func (f Filter) mark() uint32 {
	archived := f.Archived
	if archived == "" {
		archived = acp.SessionArchiveFilterExclude
	}
	return crc32.Checksum([]byte("1\x00"+f.CWD+"\x00"+string(f.Parent)+"\x00"+string(archived)+"\x00"+strconv.FormatBool(f.Used)), castagnoli)
}
