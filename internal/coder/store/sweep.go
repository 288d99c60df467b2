package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// maxTombstones bounds how many sessions are known to have expired. The oldest are forgotten: they are unknown then.
const maxTombstones = 10_000

// sweepStep is how many sessions are looked for at once.
const sweepStep = 100

// Sweep removes the sessions that were not used for so long, each with its subagents, and returns how many there were. What is in
// use stays, and so does a session with a subagent that was used. Archived sessions go like all others. For who asks for one
// later, it has expired. If keep is not positive nothing is removed. A session that can't be removed keeps no other one.
func (s *Store) Sweep(ctx context.Context, keep time.Duration) (removed int, err error) {
	if keep <= 0 {
		return 0, nil
	}
	limit := micros(s.now().Add(-keep))
	var failed []error
	for from := (position{}); ; {
		old, err := s.unused(ctx, limit, from)
		if err != nil {
			return removed, errors.Join(append(failed, err)...)
		}
		if len(old) == 0 {
			break
		}
		for _, m := range old {
			gone, err := s.expire(ctx, m, limit)
			switch {
			case gone:
				removed++
			case errors.As(err, new(*SessionError)):
				failed = append(failed, err)
			case err != nil:
				return removed, errors.Join(append(failed, err)...)
			}
			from = position{m.updated, m.key}
		}
	}
	if removed > 0 {
		s.shrink(ctx)
	}
	return removed, errors.Join(failed...)
}

// unused returns some of the sessions after a position that were not used since a time. The oldest come first.
func (s *Store) unused(ctx context.Context, limit int64, from position) (old []member, err error) {
	err = s.read(ctx, "", func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `SELECT key, id, updated FROM sessions
			WHERE parent IS NULL AND (updated, key) > (?, ?) AND updated < ? ORDER BY updated, key LIMIT ?`,
			from.updated, from.key, limit, sweepStep)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var m member
			if err := rows.Scan(&m.key, &m.id, &m.updated); err != nil {
				return err
			}
			old = append(old, m)
		}
		return rows.Err()
	})
	return old, err
}

// expire removes a session, unless it or a subagent of it was used or is in use.
func (s *Store) expire(ctx context.Context, top member, limit int64) (gone bool, err error) {
	err = s.change(ctx, top.id, 0, func(t *tx) error {
		gone = false
		tree, err := s.tree(t, top.key)
		if err != nil {
			return err
		}
		for _, m := range tree {
			if m.unclear != nil {
				return m.unclear
			}
			if m.owner != nil || m.updated >= limit {
				return nil
			}
		}
		gone = len(tree) > 0
		for _, m := range tree {
			if err := t.exec("INSERT OR REPLACE INTO tombstones (id, expired) VALUES (?, ?)", string(m.id), micros(t.now)); err != nil {
				return err
			}
		}
		if err := t.remove(tree); err != nil {
			return err
		}
		return t.exec("DELETE FROM tombstones WHERE id IN (SELECT id FROM tombstones ORDER BY expired DESC LIMIT -1 OFFSET ?)", maxTombstones)
	})
	return gone && err == nil, err
}

// The file gets smaller when much of it is free: more than a quarter, and more than what is soon used again.
const (
	freeShare = 4
	freePages = 256
)

// shrink gives free pages back to the file system, some at a time, so that others get in between. If it fails, the next one does
// what is left.
func (s *Store) shrink(ctx context.Context) {
	var err error
	for more := true; more && err == nil; {
		err = s.change(ctx, "", 0, func(t *tx) error {
			var free, all int
			if err := t.row("PRAGMA freelist_count", nil, &free); err != nil {
				return err
			}
			if err := t.row("PRAGMA page_count", nil, &all); err != nil {
				return err
			}
			if more = free > freePages && free > all/freeShare; !more {
				return nil
			}
			return t.exec("PRAGMA incremental_vacuum(256)")
		})
	}
}
