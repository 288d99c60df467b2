package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
)

// SetTitle gives a session a title, and reports whether it has it now. Own says that the user chose it: such a title is never
// replaced by one that is not. An empty one of the user's makes room for others. It needs no lease.
func (s *Store) SetTitle(ctx context.Context, id acp.SessionID, title string, own bool) (set bool, err error) {
	err = s.change(ctx, id, 0, func(t *tx) error {
		key, err := t.find(id)
		if err != nil {
			return err
		}
		var users bool
		if err := t.row("SELECT own FROM sessions WHERE key = ?", []any{key}, &users); err != nil {
			return err
		}
		if set = own || !users; !set {
			return nil
		}
		return t.exec("UPDATE sessions SET title = ?, own = ? WHERE key = ?", title, own && title != "", key)
	})
	return set && err == nil, err
}

// Archive puts a session among the archived ones, or takes it out. It needs no lease. One that another process has is not
// archived, but a *BusyError: it is in use.
func (s *Store) Archive(ctx context.Context, id acp.SessionID, archived bool) error {
	return s.change(ctx, id, 0, func(t *tx) error {
		var key int64
		var stored []byte
		err := t.row("SELECT key, owner FROM sessions WHERE id = ?", []any{string(id)}, &key, &stored)
		if errors.Is(err, sql.ErrNoRows) {
			return t.missing(id)
		}
		if err != nil {
			return err
		}
		owner, err := s.living(id, stored)
		switch {
		case err != nil:
			return err
		case archived && owner != nil && owner.Store != s.presence.me.Store:
			return &BusyError{id, *owner}
		}
		return t.exec("UPDATE sessions SET archived = ? WHERE key = ?", archived, key)
	})
}

// Fork makes a session that begins with what another one was after the event with a number, or is now if that is 0: with its
// events, its conversation, its settings and memory. Grants and usage are the other's alone. It returns the lease of the new
// one, and needs none of the other, which may be in use.
//
// Errors: as of Create, and a *SessionError for the other one.
func (s *Store) Fork(ctx context.Context, from acp.SessionID, session Session, at uint64) (*Lease, error) {
	l := s.newLease(session.ID)
	err := s.change(ctx, from, 0, func(t *tx) error {
		source, err := t.find(from)
		if err != nil {
			return err
		}
		if at, err = t.point(from, source, at); err != nil {
			return err
		}
		if err := t.create(l, session); err != nil {
			return err
		}
		return t.copy(source, l.key, int64(at))
	})
	if err != nil {
		return nil, err
	}
	return s.hold(l), nil
}

// point returns the number of the event up to which a session is forked.
func (t *tx) point(id acp.SessionID, key int64, at uint64) (uint64, error) {
	first, last := between(key, numberBits)
	var end int64
	err := t.row("SELECT ifnull(max(place), ?) - ? FROM events WHERE place BETWEEN ? AND ?", []any{first, first, first, last}, &end)
	switch {
	case err != nil:
		return 0, err
	case at == 0:
		return uint64(end), nil
	case at > uint64(end):
		return 0, fmt.Errorf("session %q can't be forked after event %d: it has %d", string(id), at, end)
	}
	return at, nil
}

// copy copies what a session was after an event.
func (t *tx) copy(source, key, at int64) error {
	first, last := between(source, numberBits)
	start, _ := between(key, numberBits)
	err := t.exec(`INSERT INTO events (place, kind, time, sum, data)
		SELECT place + ?, kind, time, sum, data FROM events WHERE place BETWEEN ? AND ?`, start-first, first, first+at)
	if err != nil {
		return err
	}
	err = t.exec(`INSERT INTO messages (place, after, until, sum, data)
		SELECT place + ?, after, iif(until > ?, NULL, until), sum, data FROM messages WHERE place BETWEEN ? AND ? AND after <= ?`,
		start-first, at, first, last, at)
	if err != nil {
		return err
	}
	first, _ = between(source, kindBits)
	start, _ = between(key, kindBits)
	return t.exec("INSERT INTO documents (place, sum, data) SELECT place + ?, sum, data FROM documents WHERE place IN (?, ?)",
		start-first, first+settingsKind, first+memoryKind)
}

// The numbers of the documents that a fork takes, see Documents.each.
const (
	settingsKind = 0
	memoryKind   = 3
)

// Delete removes a session, its subagents, and all that was stored of them. It fails with a *BusyError, and removes nothing, if
// another process has one of them; a lease of this store is lost.
func (s *Store) Delete(ctx context.Context, id acp.SessionID) error {
	err := s.change(ctx, id, 0, func(t *tx) error {
		key, err := t.find(id)
		if err != nil {
			return err
		}
		tree, err := s.tree(t, key)
		if err != nil {
			return err
		}
		for _, m := range tree { // an owner that can't be read keeps nobody from deleting
			if m.owner != nil && m.owner.Store != s.presence.me.Store {
				return &BusyError{m.id, *m.owner}
			}
		}
		return t.remove(tree)
	})
	if err == nil {
		s.shrink(ctx)
	}
	return err
}

// A member is a session of a tree.
type member struct {
	key     int64
	id      acp.SessionID
	updated int64
	owner   *Owner // that lives
	unclear error  // whether there is one
}

// tree returns a session and its subagents, and theirs.
func (s *Store) tree(t *tx, key int64) (tree []member, err error) {
	err = t.each(`WITH RECURSIVE tree (key) AS (
			SELECT ? UNION SELECT s.key FROM sessions s JOIN tree ON s.parent = tree.key
		) SELECT s.key, s.id, s.updated, s.owner FROM sessions s JOIN tree USING (key)`, []any{key},
		func(scan func(dest ...any) error) error {
			var m member
			var owner []byte
			if err := scan(&m.key, &m.id, &m.updated, &owner); err != nil {
				return err
			}
			m.owner, m.unclear = s.living(m.id, owner)
			tree = append(tree, m)
			return nil
		})
	return tree, err
}

// remove removes sessions and what belongs to them.
func (t *tx) remove(tree []member) error {
	for _, m := range tree {
		delete(t.w.tails, m.key)
		first, last := between(m.key, numberBits)
		for _, text := range []string{"DELETE FROM events WHERE place BETWEEN ? AND ?", "DELETE FROM messages WHERE place BETWEEN ? AND ?"} {
			if err := t.exec(text, first, last); err != nil {
				return err
			}
		}
		first, last = between(m.key, kindBits)
		if err := t.exec("DELETE FROM documents WHERE place BETWEEN ? AND ?", first, last); err != nil {
			return err
		}
		if err := t.exec("DELETE FROM sessions WHERE key = ?", m.key); err != nil {
			return err
		}
	}
	return nil
}
