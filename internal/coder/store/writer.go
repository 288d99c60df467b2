package store

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// Bounds of what waits to be written, and of what is written at once. A caller waits for its own commit, so what a queued
// operation holds is its caller's.
const (
	maxQueued  = 1024 // operations; further callers wait to get in
	maxGroup   = 256  // operations in a transaction
	groupBytes = 4 << 20
)

// A writer does all that changes the file. There is one in a store, with one goroutine and one connection, so that what many
// sessions append at the same moment becomes one transaction.
type writer struct {
	conn  *sql.Conn
	path  string
	busy  time.Duration // how long to wait for other processes
	queue chan *operation
	quit  chan struct{} // closed to end the goroutine, after what is queued
	ended chan struct{} // closed when it has

	// Only the goroutine uses what follows.
	statements map[string]*sql.Stmt
	tails      map[int64]*tail // of the sessions that are appended to, by key
	delay      *time.Timer
}

// An operation is something to be done in a transaction, wholly or not at all. It may run more than once, each time as if it
// were the first.
type operation struct {
	run   func(*tx) error
	size  int // of what it writes, in bytes, about
	state atomic.Int32
	done  chan struct{} // closed when err is set
	err   error
}

// The states of an operation.
const (
	waiting   = iota
	taken     // by the writer, which will say how it went
	withdrawn // by the caller
)

func newWriter(conn *sql.Conn, path string, busy time.Duration) *writer {
	delay := time.NewTimer(time.Hour)
	delay.Stop()
	return &writer{
		conn: conn, path: path, busy: busy, queue: make(chan *operation, maxQueued), quit: make(chan struct{}), ended: make(chan struct{}),
		statements: map[string]*sql.Stmt{}, tails: map[int64]*tail{}, delay: delay,
	}
}

// do has run done, and returns when it is committed. If ctx ends before its transaction has begun, nothing is done; then the
// outcome is waited for, which takes no longer than writing does.
func (w *writer) do(ctx context.Context, size int, run func(*tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o := &operation{run: run, size: size, done: make(chan struct{})}
	select {
	case <-w.quit:
		return ErrClosed
	default:
	}
	select {
	case w.queue <- o:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.quit:
		return ErrClosed
	}
	select {
	case <-o.done:
		return o.err
	case <-ctx.Done():
		if o.state.CompareAndSwap(waiting, withdrawn) {
			return ctx.Err()
		}
	case <-w.ended:
		if o.state.CompareAndSwap(waiting, withdrawn) {
			return ErrClosed
		}
	}
	<-o.done
	return o.err
}

// close ends the writer when it has done what is queued.
func (w *writer) close() {
	close(w.quit)
	<-w.ended
}

// loop is the writer's goroutine. It ends when quit is closed and the queue is empty.
func (w *writer) loop() {
	defer close(w.ended)
	for {
		select {
		case o := <-w.queue:
			w.group(o)
			continue
		case <-w.quit:
		}
		select {
		case o := <-w.queue:
			w.group(o)
		default:
			return
		}
	}
}

// group does the first operation and all that are queued by the time that the transaction has begun.
func (w *writer) group(first *operation) {
	wanted, err := w.begin(first)
	if !wanted {
		return
	}
	group := w.gather(first)
	if err != nil {
		finish(group, err)
		return
	}
	t := &tx{w: w, now: time.Now()}
	results := make([]error, len(group))
	for i, o := range group {
		t.wrote = false
		results[i] = o.run(t)
		if results[i] == nil || !t.wrote && code(results[i]) == 0 {
			continue // it was refused, and the others are not concerned
		}
		w.rollback()
		w.single(group)
		return
	}
	if err := w.commit(); err != nil {
		w.rollback()
		w.single(group)
		return
	}
	for i, o := range group {
		o.finish(results[i])
	}
}

// single does the operations of a failed transaction one by one, to find those that can't be done.
func (w *writer) single(group []*operation) {
	for _, o := range group {
		if _, err := w.begin(o); err != nil {
			o.finish(err)
			continue
		}
		t := &tx{w: w, now: time.Now()}
		err := o.run(t)
		if err != nil {
			w.rollback()
			o.finish(err)
			continue
		}
		if err = w.commit(); err != nil {
			w.rollback()
		}
		o.finish(err)
	}
}

// gather takes what is queued.
func (w *writer) gather(first *operation) []*operation {
	var group []*operation
	size := 0
	take := func(o *operation) {
		if o.state.CompareAndSwap(waiting, taken) {
			group, size = append(group, o), size+o.size
		}
	}
	take(first)
	for len(group) < maxGroup && size < groupBytes {
		select {
		case o := <-w.queue:
			take(o)
		default:
			return group
		}
	}
	return group
}

func finish(group []*operation, err error) {
	for _, o := range group {
		o.finish(err)
	}
}

func (o *operation) finish(err error) {
	o.err = err
	close(o.done)
}

// begin begins a transaction. It waits while another process writes, but not for an operation that is no longer wanted.
func (w *writer) begin(first *operation) (wanted bool, err error) {
	deadline := time.Time{}
	wait := 50 * time.Microsecond
	for {
		_, err := w.exec("BEGIN IMMEDIATE")
		if err == nil || !isBusy(err) {
			return true, fileError(w.path, err)
		}
		now := time.Now()
		if deadline.IsZero() {
			deadline = now.Add(w.busy)
		}
		if now.After(deadline) {
			return true, fileError(w.path, err)
		}
		if first.state.Load() == withdrawn && len(w.queue) == 0 {
			return false, nil
		}
		w.delay.Reset(wait/2 + rand.N(wait))
		<-w.delay.C
		wait = min(2*wait, 4*time.Millisecond)
	}
}

func (w *writer) commit() error {
	_, err := w.exec("COMMIT")
	return err
}

// rollback undoes a transaction, unless SQLite has already. What was known about the sessions in it holds no longer.
func (w *writer) rollback() {
	_, _ = w.exec("ROLLBACK")
	clear(w.tails)
}

// statement returns a prepared statement. There are as many as this package has texts for them.
func (w *writer) statement(text string) (*sql.Stmt, error) {
	if s, ok := w.statements[text]; ok {
		return s, nil
	}
	s, err := w.conn.PrepareContext(context.Background(), text)
	if err != nil {
		return nil, err
	}
	w.statements[text] = s
	return s, nil
}

// exec runs a statement. Nothing interrupts it: an operation that has begun comes to its end.
func (w *writer) exec(text string, args ...any) (sql.Result, error) {
	s, err := w.statement(text)
	if err != nil {
		return nil, err
	}
	return s.Exec(args...)
}

// release closes what the writer has, after its goroutine has ended.
func (w *writer) release() error {
	var errs []error
	for _, s := range w.statements {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, w.conn.Close())...)
}

// A tx is the transaction that an operation runs in.
type tx struct {
	w     *writer
	now   time.Time
	wrote bool // something was changed
}

func (t *tx) exec(text string, args ...any) error {
	t.wrote = true
	_, err := t.w.exec(text, args...)
	return err
}

// row reads one row into dest. Without one it returns sql.ErrNoRows.
func (t *tx) row(text string, args []any, dest ...any) error {
	s, err := t.w.statement(text)
	if err != nil {
		return err
	}
	return s.QueryRow(args...).Scan(dest...)
}

// each reads rows. Next reads one of them.
func (t *tx) each(text string, args []any, next func(scan func(dest ...any) error) error) error {
	s, err := t.w.statement(text)
	if err != nil {
		return err
	}
	rows, err := s.Query(args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := next(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
