package jsonrpc

import (
	"sync/atomic"
	"time"
)

// A loan is the time in which the reader runs a handler and another goroutine may take over reading.
//
// The reader must not be missing while a handler takes its time: cancels and answers are acted on as soon as they
// arrive. On a stream within the process, reading is therefore handed on at once. On one that leads outside, waking
// another thread for that costs more than most handlers do; there it is handed on as soon as the handler begins to wait
// inside this package, and otherwise when a watch finds that the loan has been open for a while. Arming a timer wakes
// a thread as well, so the watch is not armed for each loan: once begun, it goes on for as long as there are loans.
type loan struct {
	lazy  bool          // Outsider
	open  atomic.Bool   // whoever clears it is the reader from then on
	count atomic.Uint64 // of loans

	watched atomic.Bool // the watch is armed, or about to be armed again
	watch   *time.Timer
	last    uint64 // count at the watch's last look; the watch's own
}

// loanTime is the interval of the watch. So a handler keeps the reader from reading for twice that at most, or, if it
// computes without a pause on the only processor there is, for the runtime's time slice of 10 ms.
const loanTime = 200 * time.Microsecond

func (l *loan) init(c *Conn) {
	if s, ok := c.stream.(Outsider); ok && s.Outside() {
		l.lazy = true
		l.watch = time.AfterFunc(time.Hour, c.watchLoans)
		l.watch.Stop()
	}
}

// begin opens a loan.
func (l *loan) begin() {
	l.count.Add(1)
	l.open.Store(true)
	if l.lazy && l.watched.CompareAndSwap(false, true) {
		l.watch.Reset(loanTime)
	}
}

// watchLoans takes over from a reader whose loan has been open since the last look.
func (c *Conn) watchLoans() {
	l := &c.loan
	count := l.count.Load()
	if count == l.last {
		c.takeOver()
		l.watched.Store(false)
		// A loan that has begun since then found the watch armed.
		if l.count.Load() == count || !l.watched.CompareAndSwap(false, true) {
			return
		}
	}
	l.last = count
	l.watch.Reset(loanTime)
}

// takeOver starts another reader if the one there is runs a handler.
func (c *Conn) takeOver() {
	if c.loan.open.CompareAndSwap(true, false) {
		go c.read() // in the other's place in Conn.active
	}
}

// workAsReader runs a handler or works on a queue, either of which is counted in Conn.active already, on the reader's
// goroutine. It reports whether that still is the reader's.
func (c *Conn) workAsReader(req *Request, q *queue) (reads bool) {
	c.loan.begin()
	if !c.loan.lazy {
		c.takeOver()
	}
	returned := false
	defer func() {
		reads = c.loan.lazy && c.loan.open.CompareAndSwap(true, false)
		if reads && !returned { // runtime.Goexit in the handler
			go c.read()
		}
	}()
	if req != nil {
		c.serve(req)
	} else {
		c.work(q)
	}
	returned = true
	return false
}
