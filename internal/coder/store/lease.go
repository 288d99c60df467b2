package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Lease is the right to append to a session, of which there is one at a time. It ends with Close, with the store, with the
// process, and when the session is deleted.
type Lease struct {
	store *Store
	id    acp.SessionID
	key   int64
	token []byte
}

// ID names the session.
func (l *Lease) ID() acp.SessionID { return l.id }

// Create makes a session and returns its lease.
//
// Errors: a *SessionError with ErrExists, or for its parent with ErrUnknown or ErrExpired.
func (s *Store) Create(ctx context.Context, session Session) (*Lease, error) {
	l := s.newLease(session.ID)
	err := s.change(ctx, "", 0, func(t *tx) error { return t.create(l, session) }) // of a new session nothing can be damaged
	if err != nil {
		return nil, err
	}
	return s.hold(l), nil
}

// Acquire returns the lease of a session. It is taken from an owner that is dead, and nobody else.
//
// Errors: a *BusyError that names the owner, which may be this process; a *SessionError with ErrUnknown, ErrExpired or ErrDamaged.
func (s *Store) Acquire(ctx context.Context, id acp.SessionID) (*Lease, error) {
	l := s.newLease(id)
	err := s.change(ctx, id, 0, func(t *tx) error { return t.acquire(l) })
	if err != nil {
		return nil, err
	}
	return s.hold(l), nil
}

func (s *Store) newLease(id acp.SessionID) *Lease {
	return &Lease{store: s, id: id, token: randomToken()}
}

func (s *Store) hold(l *Lease) *Lease {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held[l.id] = l
	return l
}

// Close gives the lease back. A lease that has ended already is no error. It waits for other processes no longer than Options.Busy;
// if it fails, the lease ends with the store.
func (l *Lease) Close() error {
	l.store.mu.Lock()
	if l.store.held[l.id] == l {
		delete(l.store.held, l.id)
	}
	l.store.mu.Unlock()
	err := l.store.change(context.Background(), l.id, 0, func(t *tx) error { return t.release(l) })
	if errors.Is(err, ErrClosed) {
		return nil
	}
	return err
}

func (t *tx) release(l *Lease) error {
	delete(t.w.tails, l.key)
	return t.exec("UPDATE sessions SET token = NULL, owner = NULL WHERE key = ? AND token = ?", l.key, l.token)
}

func (t *tx) create(l *Lease, session Session) error {
	var n int
	if err := t.row("SELECT count(*) FROM sessions WHERE id = ?", []any{string(l.id)}, &n); err != nil {
		return err
	}
	if n > 0 {
		return &SessionError{l.id, ErrExists}
	}
	parent, err := t.parent(session.Parent)
	if err != nil {
		return err
	}
	if err := t.exec("DELETE FROM tombstones WHERE id = ?", string(l.id)); err != nil {
		return err
	}
	at := micros(t.now)
	err = t.exec(`INSERT INTO sessions (id, parent, cwd, roots, title, own, created, updated, archived, token, owner)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?)`,
		string(l.id), parent, session.CWD, encodeRoots(session.Roots), session.Title, session.Own, at, at, l.token, t.owner(l))
	if err != nil {
		return err
	}
	return t.row("SELECT last_insert_rowid()", nil, &l.key)
}

func (t *tx) parent(id acp.SessionID) (key sql.NullInt64, err error) {
	if id == "" {
		return key, nil
	}
	key.Int64, err = t.find(id)
	key.Valid = true
	return key, err
}

// find returns the key of a session.
func (t *tx) find(id acp.SessionID) (key int64, err error) {
	err = t.row("SELECT key FROM sessions WHERE id = ?", []any{string(id)}, &key)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, t.missing(id)
	}
	return key, err
}

func (t *tx) acquire(l *Lease) error {
	var owner []byte
	err := t.row("SELECT key, owner FROM sessions WHERE id = ?", []any{string(l.id)}, &l.key, &owner)
	if errors.Is(err, sql.ErrNoRows) {
		return t.missing(l.id)
	}
	if err != nil {
		return err
	}
	living, err := l.store.living(l.id, owner)
	if err != nil {
		return err
	}
	if living != nil {
		return &BusyError{l.id, *living}
	}
	delete(t.w.tails, l.key)
	return t.exec("UPDATE sessions SET token = ?, owner = ? WHERE key = ?", l.token, t.owner(l), l.key)
}

// owner is how a lease names the process that has it.
func (t *tx) owner(l *Lease) string {
	me := l.store.presence.me
	me.Since = t.now
	text, err := json.Marshal(me)
	if err != nil {
		panic("an owner always has JSON: " + err.Error())
	}
	return string(text)
}
