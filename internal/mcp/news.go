package mcp

import (
	"sync"
)

// news tells the session what has changed, in order, without making a server wait for it.
type news struct {
	onStatus func(Status)
	onChange func()

	mu      sync.Mutex
	states  []Status      // to be told; a server has few of them in a minute
	changed bool          // onChange is to be called
	wake    chan struct{} // has a token if there is something
	done    chan struct{} // closed by close
	gone    chan struct{} // closed by tell as its last act
}

func startNews(onStatus func(Status), onChange func()) *news {
	n := &news{onStatus: onStatus, onChange: onChange, wake: make(chan struct{}, 1), done: make(chan struct{}), gone: make(chan struct{})}
	go n.tell()
	return n
}

// status says that a server's state has changed, change that there are other tools or prompts.
func (n *news) status(s Status) { n.add(func() { n.states = append(n.states, s) }) }
func (n *news) change()         { n.add(func() { n.changed = true }) }

func (n *news) add(what func()) {
	n.mu.Lock()
	what()
	n.mu.Unlock()
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// tell calls the session until close.
func (n *news) tell() {
	defer close(n.gone)
	for {
		select {
		case <-n.wake:
			n.tellAll()
		case <-n.done:
			return
		}
	}
}

func (n *news) tellAll() {
	n.mu.Lock()
	states, changed := n.states, n.changed
	n.states, n.changed = nil, false
	n.mu.Unlock()
	for _, s := range states {
		if n.onStatus != nil {
			n.onStatus(s)
		}
	}
	if changed && n.onChange != nil {
		n.onChange()
	}
}

// close waits until the session is being told nothing. What it has not been told by then, it is not.
func (n *news) close() {
	select {
	case <-n.done:
	default:
		close(n.done)
	}
	<-n.gone
}
