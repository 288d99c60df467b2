package store

import (
	"context"
	"database/sql"
	"errors"
	"iter"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Loaded session is one as it was when it was loaded. Its events and messages are read when they are asked for.
type Loaded struct {
	Record
	Documents

	// Last is the number of the last event, 0 if there is none.
	Last uint64

	store *Store
	key   int64
}

// Load reads a session. It needs no lease, and disturbs nobody who has it. Whether the folders of the session are still there
// is for the caller to see.
//
// Errors: a *SessionError with ErrUnknown, ErrExpired or ErrDamaged.
func (s *Store) Load(ctx context.Context, id acp.SessionID) (*Loaded, error) {
	l := &Loaded{store: s}
	err := s.read(ctx, id, func(tx *sql.Tx) (err error) {
		row := tx.QueryRowContext(ctx, "SELECT "+columns+fromSessions+"WHERE s.id = ?", string(id))
		l.key, _, l.Record, err = s.scanRecord(row.Scan)
		if errors.Is(err, sql.ErrNoRows) {
			return missing(ctx, tx, id)
		}
		if err != nil {
			return err
		}
		first, last := between(l.key, numberBits)
		var end sql.NullInt64
		err = tx.QueryRowContext(ctx, "SELECT max(place) FROM events WHERE place BETWEEN ? AND ?", first, last).Scan(&end)
		if err != nil {
			return err
		}
		if end.Valid {
			l.Last = uint64(end.Int64 - first)
		}
		return l.readDocuments(ctx, tx)
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// read reads in a transaction, which sees the file as it is when it begins.
func (s *Store) read(ctx context.Context, id acp.SessionID, f func(*sql.Tx) error) error {
	err := s.readTx(ctx, f)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case id != "":
		err = sessionError(id, err)
	}
	select {
	case <-s.writer.quit:
		return ErrClosed
	default:
		return fileError(s.path, err)
	}
}

func (s *Store) readTx(ctx context.Context, f func(*sql.Tx) error) error {
	tx, err := s.reader.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // nothing was written
	return f(tx)
}

// missing says why a session is not there.
func missing(ctx context.Context, tx *sql.Tx, id acp.SessionID) error {
	var n int
	err := tx.QueryRowContext(ctx, "SELECT count(*) FROM tombstones WHERE id = ?", string(id)).Scan(&n)
	if err != nil {
		return err
	}
	if n > 0 {
		return &SessionError{id, ErrExpired}
	}
	return &SessionError{id, ErrUnknown}
}

func (l *Loaded) readDocuments(ctx context.Context, tx *sql.Tx) error {
	first, last := between(l.key, kindBits)
	rows, err := tx.QueryContext(ctx, "SELECT place, sum, data FROM documents WHERE place BETWEEN ? AND ?", first, last)
	if err != nil {
		return err
	}
	defer rows.Close()
	found := map[int64][]byte{}
	for rows.Next() {
		var place, stored int64
		var data []byte
		if err := rows.Scan(&place, &stored, &data); err != nil {
			return err
		}
		if sum(data) != stored {
			return damaged(l.ID, "document %d has changed", place-first)
		}
		found[place-first] = blob(data)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return l.Documents.each(func(kind int64, document *[]byte) error {
		*document = found[kind]
		return nil
	})
}

// Bounds of what an iterator holds.
const (
	pageRows  = 256
	pageBytes = 1 << 20 // and one event more
)

// Events returns the events in order. A few are read at a time, and nothing is held between them: a slow caller keeps nobody
// waiting. It ends after the first error, which is ErrDamaged within a *SessionError if an event can't be read.
func (l *Loaded) Events(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for next := uint64(1); next <= l.Last; {
			page, err := l.page(ctx, next)
			for _, e := range page {
				if !yield(e, nil) {
					return
				}
			}
			if err != nil {
				yield(Event{}, err)
				return
			}
			next += uint64(len(page))
		}
	}
}

// page reads some events. Those before an error are good.
func (l *Loaded) page(ctx context.Context, next uint64) (page []Event, err error) {
	first, _ := between(l.key, numberBits)
	err = l.store.read(ctx, l.ID, func(tx *sql.Tx) error {
		if err := l.exists(ctx, tx); err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, "SELECT place, kind, time, sum, data FROM events WHERE place BETWEEN ? AND ? ORDER BY place LIMIT ?",
			first+int64(next), first+int64(l.Last), pageRows)
		if err != nil {
			return err
		}
		defer rows.Close()
		for size := 0; size < pageBytes && rows.Next(); {
			var place, at, stored int64
			var data sql.RawBytes
			e := Event{Number: next + uint64(len(page))}
			if err := rows.Scan(&place, &e.Kind, &at, &stored, &data); err != nil {
				return err
			}
			if place-first != int64(e.Number) {
				return damaged(l.ID, "event %d is missing", e.Number)
			}
			if sum(data) != stored {
				return damaged(l.ID, "event %d has changed", e.Number)
			}
			e.Time, e.Data = fromMicros(at), append([]byte{}, data...)
			page, size = append(page, e), size+len(data)
		}
		if err := rows.Err(); err != nil {
			return err
		}
		if len(page) == 0 {
			return damaged(l.ID, "event %d is missing", next)
		}
		return nil
	})
	return page, err
}

// Messages returns the conversation, in the manner of Events.
func (l *Loaded) Messages(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for after := int64(0); after >= 0; {
			var page [][]byte
			var err error
			page, after, err = l.messages(ctx, after)
			for _, m := range page {
				if !yield(m, nil) {
					return
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// messages reads some messages after one. At the end, next is -1.
func (l *Loaded) messages(ctx context.Context, after int64) (page [][]byte, next int64, err error) {
	first, last := between(l.key, numberBits)
	next = after
	err = l.store.read(ctx, l.ID, func(tx *sql.Tx) error {
		if err := l.exists(ctx, tx); err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `SELECT place, sum, until <= ?, iif(until <= ?, NULL, data) FROM messages
			WHERE place > ? AND place <= ? AND after <= ? ORDER BY place LIMIT ?`, l.Last, l.Last, first+after, last, l.Last, pageRows)
		if err != nil {
			return err
		}
		defer rows.Close()
		for size := 0; size < pageBytes && rows.Next(); {
			var place, stored int64
			var replaced sql.NullBool
			var data sql.RawBytes
			if err := rows.Scan(&place, &stored, &replaced, &data); err != nil {
				return err
			}
			if next++; place-first != next {
				return damaged(l.ID, "message %d is missing", next)
			}
			if replaced.Bool {
				continue
			}
			if sum(data) != stored {
				return damaged(l.ID, "message %d has changed", next)
			}
			page, size = append(page, append([]byte{}, data...)), size+len(data)
		}
		return rows.Err()
	})
	if next == after {
		next = -1
	}
	return page, next, err
}

// exists fails if the session has been removed since it was loaded.
func (l *Loaded) exists(ctx context.Context, tx *sql.Tx) error {
	var n int
	err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sessions WHERE key = ?", l.key).Scan(&n)
	if err == nil && n == 0 {
		return missing(ctx, tx, l.ID)
	}
	return err
}

// Check reads all of the session, and returns what Events or Messages would end with: a session can be found damaged before
// anything of it is shown.
func (l *Loaded) Check(ctx context.Context) error {
	for _, err := range l.Events(ctx) {
		if err != nil {
			return err
		}
	}
	for _, err := range l.Messages(ctx) {
		if err != nil {
			return err
		}
	}
	return nil
}
