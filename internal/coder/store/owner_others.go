//go:build !linux

package store

import (
	"math/rand/v2"
	"sync"
)

// A presence shows the processes that share a directory that a store is open: they look whether its process runs, and for
// those of their own process they know.
type presence struct {
	me Owner
}

// here has the stores of this process that are open, by their numbers.
var here sync.Map

func appear(string) (*presence, error) {
	p := &presence{myself(rand.Int64())}
	here.Store(p.me.Store, true)
	return p, nil
}

// alive reports whether the store of an owner is open.
func (p *presence) alive(o Owner) bool {
	if o.Boot != p.me.Boot {
		return false
	}
	if o.same(p.me) {
		_, open := here.Load(o.Store)
		return open
	}
	start, exists := startOf(o.PID)
	return exists && start == o.Start
}

func (p *presence) leave() error {
	here.Delete(p.me.Store)
	return nil
}
