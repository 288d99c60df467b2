package jsonrpc

import (
	"sync/atomic"
	"time"
)

// A loan is the time in which the reader runs a handler and another goroutine may take over reading.
//
// The reader must not be missing while a handler takes its time: cancels and answers are acted on as soon as they
// arrive. On a stream within the process, reading is therefore handed on at once. On one that leads outside, where a
// wakened thread costs more than most handlers, it is handed on as soon as the handler begins to wait inside this
// package, and otherwise after loanTime.
type loan struct {
	lazy  bool        // Outsider
	open  atomic.Bool // whoever clears it is the reader from then on
	timer *time.Timer
}

// loanTime is how long a handler may keep the reader from reading. If it computes without a pause on the only processor
// there is, it is the runtime's time slice, 10 ms.
const loanTime = 50 * time.Microsecond

func (l *loan) init(c *Conn) {
	if s, ok := c.stream.(Outsider); ok && s.Outside() {
		l.lazy = true
		l.timer = time.AfterFunc(time.Hour, c.takeOver)
		l.timer.Stop()
	}
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
	c.loan.open.Store(true)
	if c.loan.lazy {
		c.loan.timer.Reset(loanTime)
	} else {
		c.takeOver()
	}
	returned := false
	defer func() {
		reads = c.loan.lazy && c.loan.open.CompareAndSwap(true, false)
		if reads {
			c.loan.timer.Stop()
		}
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
