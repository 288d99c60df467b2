package store

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

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
// moves to the front, where it is seen when the list is read anew.
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
	page := &Page{}
	err := s.read(ctx, "", func(tx *sql.Tx) error {
		where, args, err := f.where(ctx, tx)
		if err != nil {
			return err
		}
		query := "SELECT " + columns + fromSessions + where + " AND (s.updated, s.key) < (?, ?) ORDER BY s.updated DESC, s.key DESC LIMIT ?"
		rows, err := tx.QueryContext(ctx, query, append(args, from.updated, from.key, limit+1)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			key, updated, r, err := s.scanRecord(rows.Scan)
			if err != nil {
				return err
			}
			if len(page.Sessions) == limit {
				page.Next = from.cursor(f)
				return nil
			}
			from = position{updated, key}
			page.Sessions = append(page.Sessions, r)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, err
	}
	return page, nil
}

// where is the filter in SQL.
func (f *Filter) where(ctx context.Context, tx *sql.Tx) (clause string, args []any, err error) {
	clause = "WHERE s.parent IS NULL"
	if f.Parent != "" {
		var key int64
		err := tx.QueryRowContext(ctx, "SELECT key FROM sessions WHERE id = ?", string(f.Parent)).Scan(&key)
		if err == sql.ErrNoRows {
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
	return crc32.Checksum([]byte("1\x00"+f.CWD+"\x00"+string(f.Parent)+"\x00"+string(archived)), castagnoli)
}
