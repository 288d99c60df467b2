package client

import (
	"iter"
	"sync"
	"sync/atomic"

	"github.com/patchbay-dev/patchbay/acp"
)

// A stream keeps updates for one loop over them. The session's worker pushes, so that what a loop has not taken holds
// the worker up once the budget is spent, and with it the reader in the end (W6): a slow loop loses nothing. While there
// is no loop nothing is held up: then it is the stream that forgets.
type stream struct {
	session *Session
	turn    *Turn         // the only one whose updates it gets; nil for all
	wake    chan struct{} // of capacity 1, to the loop: there is something to see
	room    chan struct{} // of capacity 1, to the worker: there may be room

	mu      sync.Mutex
	items   []queued
	looping bool
	ended   bool
	missed  int
}

// A queued update and the bytes that it counts for.
type queued struct {
	update acp.SessionUpdate
	size   int
	pieces []string // of the message, the first one too, where several updates have become one
}

// updateCost is what an update counts for beyond the size of its message.
const updateCost = 128

// overload times the budget is where calls fail that hold up the loop they were made in.
const overload = 4

func newStream(s *Session) *stream {
	return &stream{session: s, wake: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// signal lets whoever waits on the channel look again.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// push adds an update. It waits while the budget is spent, until the loop has taken one, or has been left.
func (q *stream) push(u acp.SessionUpdate, size int) {
	for !q.offer(queued{update: u, size: size + updateCost}) {
		select {
		case <-q.room:
		case <-q.session.client.closing:
			return
		case <-q.session.ended:
			return
		}
	}
}

// offer reports whether the update is dealt with.
func (q *stream) offer(it queued) bool {
	retained := &q.session.client.retained
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.ended:
		return true
	case len(q.items) == 0 || q.session.admits(retained.Load()+int64(it.size)):
	case q.looping:
		return false
	default:
		q.missed += updatesIn(q.items)
		q.forgetLocked()
	}
	retained.Add(int64(it.size))
	if last := len(q.items) - 1; last >= 0 && q.session.client.opts.JoinChunks && q.items[last].join(it) {
		return true // and the loop has been woken
	}
	q.items = append(q.items, it)
	signal(q.wake)
	return true
}

// updatesIn returns how many updates there were before some have become one.
func updatesIn(items []queued) (n int) {
	for i := range items {
		n += max(1, len(items[i].pieces))
	}
	return n
}

// forgetLocked drops what is kept.
func (q *stream) forgetLocked() {
	q.uncountLocked()
	q.items = nil
}

func (q *stream) uncountLocked() {
	sum := 0
	for i := range q.items {
		sum += q.items[i].size
		q.items[i].size = 0
	}
	q.session.client.retained.Add(-int64(sum))
}

// end says that there will be no more updates. Those that are kept can still be looped over, and no longer count.
func (q *stream) end() {
	q.mu.Lock()
	q.ended = true
	q.uncountLocked()
	q.mu.Unlock()
	signal(q.wake)
	signal(q.room)
}

// all loops over the updates until the stream has ended. If a loop runs already there is nothing for another one.
func (q *stream) all(yield func(acp.SessionUpdate) bool) {
	q.mu.Lock()
	if q.looping {
		q.mu.Unlock()
		return
	}
	q.looping = true
	q.mu.Unlock()
	defer func() {
		q.mu.Lock()
		q.looping = false
		q.mu.Unlock()
		signal(q.room)
		signal(q.wake) // what it left behind is for the next loop
	}()
	for {
		u, ok := q.next()
		if !ok || !yield(u) {
			return
		}
	}
}

// next waits for an update; it returns false when there will be none.
func (q *stream) next() (acp.SessionUpdate, bool) {
	for {
		q.mu.Lock()
		if len(q.items) > 0 {
			it := q.items[0]
			q.items[0] = queued{}
			if q.items = q.items[1:]; len(q.items) == 0 {
				q.items = nil
			}
			q.mu.Unlock()
			q.session.client.retained.Add(-int64(it.size))
			signal(q.room)
			return it.whole(), true
		}
		ended := q.ended
		q.mu.Unlock()
		if ended {
			return nil, false
		}
		<-q.wake
	}
}

func (q *stream) lost() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.missed
}

// streams are those that a session's updates go to. Reading is free of locks, since it happens for each update.
type streams struct {
	mu   sync.Mutex
	list atomic.Pointer[[]*stream]
}

func (ss *streams) all() []*stream {
	if list := ss.list.Load(); list != nil {
		return *list
	}
	return nil
}

func (ss *streams) add(q *stream) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	list := append(append([]*stream(nil), ss.all()...), q)
	ss.list.Store(&list)
}

// remove takes a stream away and ends it.
func (ss *streams) remove(q *stream) {
	ss.mu.Lock()
	var list []*stream
	for _, other := range ss.all() {
		if other != q {
			list = append(list, other)
		}
	}
	ss.list.Store(&list)
	ss.mu.Unlock()
	q.end()
}

// Updates returns the session's updates from now on, in and between turns, until the session or the connection ends. It
// is the primary stream; a Turn's is a view of it.
//
// A loop over them may be slow and loses nothing: what it has not taken waits within Options.Budget, and beyond that
// holds up the session's next updates, and in the end the connection. Calls to the session from within the loop work all
// the same; in the worst case, at four times the budget, they fail with jsonrpc.ErrOverloaded. From the call of Updates
// until the loop begins, nothing is held up: beyond the budget, what came first is forgotten. The result is for one
// loop; leaving it ends it.
func (s *Session) Updates() iter.Seq[acp.SessionUpdate] {
	q := newStream(s)
	s.streams.add(q)
	select {
	case <-s.ended:
		s.streams.remove(q)
	default:
	}
	return func(yield func(acp.SessionUpdate) bool) {
		defer func() {
			s.streams.remove(q)
			q.mu.Lock()
			q.items = nil
			q.mu.Unlock()
		}()
		q.all(yield)
	}
}
