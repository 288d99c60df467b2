package store

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Change is what Append adds to a session. Empty parts change nothing.
type Change struct {
	// Events are what the client sees, in order. Pieces of a text that follow each other, such as the chunks of an answer, may
	// become one event, which has one number.
	Events []Event

	// Messages are added to the conversation. With Replace they take the place of what it was.
	Messages [][]byte
	Replace  bool

	Documents

	// Place, if not nil, is where the session works from now on.
	Place *Place
}

// A Place is where a session works.
type Place struct {
	CWD   string
	Roots []string // beside CWD
}

// MaxBytes is how large an event, a message or a document can be.
const MaxBytes = 256 << 20

// updateEvery is how exactly a session's time is kept while nothing but updates come.
const updateEvery = time.Second

// Append adds to the session. When it returns without an error, all of the change outlives the process; with an error,
// nothing of it was written. It returns the number of the session's last event.
//
// Errors: a *SessionError with ErrLost, ErrUnknown, ErrExpired or ErrDamaged; a *FileError; ErrTooLarge; ErrClosed; that of
// ctx, see Store.
func (l *Lease) Append(ctx context.Context, c Change) (last uint64, err error) {
	size, err := c.size()
	if err != nil {
		return 0, &SessionError{l.id, err}
	}
	err = l.store.change(ctx, l.id, size, func(t *tx) error {
		last, err = t.append(l, &c)
		return err
	})
	if err != nil {
		return 0, err
	}
	return last, nil
}

// Rewind takes back all that was appended after an event: events, and what became of the conversation. Documents stay as they
// are. The next event gets the number that is free then.
func (l *Lease) Rewind(ctx context.Context, to uint64) error {
	return l.store.change(ctx, l.id, 0, func(t *tx) error {
		if _, err := t.holds(l); err != nil {
			return err
		}
		first, end := between(l.key, numberBits)
		delete(t.w.tails, l.key)
		if err := t.exec("DELETE FROM events WHERE place > ? AND place <= ?", first+int64(min(to, maxNumber)), end); err != nil {
			return err
		}
		if err := t.exec("DELETE FROM messages WHERE place BETWEEN ? AND ? AND after > ?", first, end, int64(to)); err != nil {
			return err
		}
		return t.exec("UPDATE messages SET until = NULL WHERE place BETWEEN ? AND ? AND until > ?", first, end, int64(to))
	})
}

const maxNumber = 1<<numberBits - 1

func (c *Change) size() (total int, err error) {
	add := func(data []byte) {
		total += len(data) + 100
		if len(data) > MaxBytes {
			err = fmt.Errorf("%w: %d bytes, and %d is the most", ErrTooLarge, len(data), MaxBytes)
		}
	}
	for _, e := range c.Events {
		add(e.Data)
	}
	for _, m := range c.Messages {
		add(m)
	}
	_ = c.Documents.each(func(_ int64, document *[]byte) error {
		add(*document)
		return nil
	})
	return total, err
}

// A tail is the end of a session that is appended to.
type tail struct {
	events   int64
	messages int64
	piece    piece // the last event, if pieces may be joined to it
}

func (t *tx) append(l *Lease, c *Change) (last uint64, err error) {
	updated, err := t.holds(l)
	if err != nil {
		return 0, err
	}
	end, err := t.tail(l.key)
	if err != nil {
		return 0, err
	}
	if len(c.Events) > maxNumber-int(end.events) || len(c.Messages) > maxNumber-int(end.messages) {
		return 0, &SessionError{l.id, ErrTooLarge}
	}
	if err := t.appendEvents(l.key, end, c.Events); err != nil {
		return 0, err
	}
	if err := t.appendMessages(l.key, end, c); err != nil {
		return 0, err
	}
	if err := t.put(l.key, &c.Documents); err != nil {
		return 0, err
	}
	if c.Place != nil {
		if err := t.exec("UPDATE sessions SET cwd = ?, roots = ? WHERE key = ?", c.Place.CWD, encodeRoots(c.Place.Roots), l.key); err != nil {
			return 0, err
		}
	}
	return uint64(end.events), t.touch(l.key, updated, c)
}

// holds fails if the session is no longer the lease's. It returns when the session was updated.
func (t *tx) holds(l *Lease) (updated time.Time, err error) {
	var token []byte
	var at int64
	err = t.row("SELECT token, updated FROM sessions WHERE key = ?", []any{l.key}, &token, &at)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return time.Time{}, t.missing(l.id)
	case err != nil:
		return time.Time{}, err
	case string(token) != string(l.token):
		return time.Time{}, &SessionError{l.id, ErrLost}
	}
	return fromMicros(at), nil
}

// missing says why a session is not there.
func (t *tx) missing(id acp.SessionID) error {
	var n int
	err := t.row("SELECT count(*) FROM tombstones WHERE id = ?", []any{string(id)}, &n)
	if err != nil {
		return err
	}
	if n > 0 {
		return &SessionError{id, ErrExpired}
	}
	return &SessionError{id, ErrUnknown}
}

// tail returns how a session ends. It stays known while the lease is held, since nobody else appends.
func (t *tx) tail(key int64) (*tail, error) {
	if known, ok := t.w.tails[key]; ok {
		return known, nil
	}
	first, last := between(key, numberBits)
	end := &tail{}
	var kind Kind
	var data []byte
	var stored int64
	err := t.row("SELECT place, kind, sum, data FROM events WHERE place BETWEEN ? AND ? ORDER BY place DESC LIMIT 1", []any{first, last},
		&end.events, &kind, &stored, &data)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	if end.events > 0 {
		end.events -= first
	}
	if kind == KindUpdate && sum(data) == stored {
		end.setPiece(data)
	}
	err = t.row("SELECT place FROM messages WHERE place BETWEEN ? AND ? ORDER BY place DESC LIMIT 1", []any{first, last}, &end.messages)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	if end.messages > 0 {
		end.messages -= first
	}
	t.w.tails[key] = end
	return end, nil
}

func (end *tail) setPiece(update []byte) {
	end.piece = piece{}
	if len(update) >= maxPiece {
		return
	}
	if p, ok := parsePiece(update); ok {
		p.data = bytes.Clone(p.data)
		end.piece = p
	}
}

// appendEvents writes events. Pieces of a text are joined before they are written.
func (t *tx) appendEvents(key int64, end *tail, events []Event) error {
	first, _ := between(key, numberBits)
	longer := false // the last event in the file is shorter than end.piece
	flush := func() error {
		if !longer {
			return nil
		}
		longer = false
		return t.exec("UPDATE events SET data = ?, sum = ? WHERE place = ?", end.piece.data, sum(end.piece.data), first+end.events)
	}
	for _, e := range events {
		if e.Kind == KindUpdate && end.piece.data != nil && end.piece.join(e.Data) {
			longer = true
			continue
		}
		if err := flush(); err != nil {
			return err
		}
		end.events++
		err := t.exec("INSERT INTO events (place, kind, time, sum, data) VALUES (?, ?, ?, ?, ?)",
			first+end.events, int64(e.Kind), micros(t.now), sum(e.Data), blob(e.Data))
		if err != nil {
			return err
		}
		end.piece = piece{}
		if e.Kind == KindUpdate {
			end.setPiece(e.Data)
		}
	}
	return flush()
}

func (t *tx) appendMessages(key int64, end *tail, c *Change) error {
	first, last := between(key, numberBits)
	if c.Replace {
		err := t.exec("UPDATE messages SET until = ? WHERE place BETWEEN ? AND ? AND until IS NULL", end.events, first, last)
		if err != nil {
			return err
		}
	}
	for _, m := range c.Messages {
		end.messages++
		err := t.exec("INSERT INTO messages (place, after, sum, data) VALUES (?, ?, ?, ?)", first+end.messages, end.events, sum(m), blob(m))
		if err != nil {
			return err
		}
	}
	return nil
}

// put writes the documents that there are.
func (t *tx) put(key int64, d *Documents) error {
	first, _ := between(key, kindBits)
	return d.each(func(kind int64, document *[]byte) error {
		if *document == nil {
			return nil
		}
		return t.exec("INSERT OR REPLACE INTO documents (place, sum, data) VALUES (?, ?, ?)", first+kind, sum(*document), blob(*document))
	})
}

// touch notes that the session was used. A stream of updates does so every second, since that moves the session in three
// indexes.
func (t *tx) touch(key int64, updated time.Time, c *Change) error {
	prompted := false
	for _, e := range c.Events {
		prompted = prompted || e.Kind == KindPrompt
	}
	if since := t.now.Sub(updated); !prompted && since >= 0 && since < updateEvery {
		return nil
	}
	return t.exec("UPDATE sessions SET updated = ? WHERE key = ?", micros(t.now), key)
}

// blob is data as a value that is never NULL.
func blob(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}
