package tool

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

const (
	maxJobs      = 16        // commands in the background of a session that are kept, those that have ended included
	maxJobOutput = 256 << 10 // of each, in bytes, between two looks at it
)

// A Background has the commands of a session that run while their calls have ended: jobs, as the model knows them. The zero
// value has none. Close has to be called in the end.
type Background struct {
	starting sync.WaitGroup // of those that have been admitted and may become processes yet

	mu     sync.Mutex           // guards what follows
	list   []*backgroundCommand // the oldest first
	count  int                  // of all there ever were
	closed bool
}

// A backgroundCommand is one of them.
type backgroundCommand struct {
	id      string
	title   string  // the command on one line
	process Process // nil while it is being started
}

var errSessionEnded = errors.New("the session has ended")

// start starts a command and returns its id. If there are too many, the oldest that has ended gives way.
func (b *Background) start(title string, start func() (Process, error)) (id string, err error) {
	c, old, err := b.admit(title)
	if err != nil {
		return "", err
	}
	defer b.starting.Done()
	if old != nil {
		old.process.Close()
	}
	p, err := start()
	if err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.list = slices.DeleteFunc(b.list, func(each *backgroundCommand) bool { return each == c })
		return "", err
	}
	if !b.begin(c, p) {
		p.Close()
		return "", errSessionEnded
	}
	return c.id, nil
}

// admit takes a place for a command, from an old one if need be.
func (b *Background) admit(title string) (c, old *backgroundCommand, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, nil, errSessionEnded
	}
	if len(b.list) >= maxJobs {
		i := slices.IndexFunc(b.list, (*backgroundCommand).ended)
		if i < 0 {
			return nil, nil, fmt.Errorf("%d commands run in the background already; stop one of them first", len(b.list))
		}
		old = b.list[i]
		b.list = slices.Delete(b.list, i, i+1)
	}
	b.count++
	c = &backgroundCommand{id: fmt.Sprintf("job_%d", b.count), title: title}
	b.list = append(b.list, c)
	b.starting.Add(1)
	return c, old, nil
}

// begin notes the process of a command, unless everything was closed meanwhile.
func (b *Background) begin(c *backgroundCommand, p Process) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		c.process = p
	}
	return !b.closed
}

// ended reports whether the command has ended. It is called with the Background's lock held, or once the process is known.
func (c *backgroundCommand) ended() bool {
	if c.process == nil {
		return false
	}
	select {
	case <-c.process.Done():
		return true
	default:
		return false
	}
}

// get finds a command by its id.
func (b *Background) get(id string) (*backgroundCommand, error) {
	var ids []string
	for _, c := range b.all() {
		if c.id == id {
			return c, nil
		}
		ids = append(ids, c.id)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("there is no job %q: nothing runs in the background", id)
	}
	return nil, fmt.Errorf("there is no job %q; there are %s", id, strings.Join(ids, ", "))
}

// all returns the commands that have started.
func (b *Background) all() []*backgroundCommand {
	b.mu.Lock()
	defer b.mu.Unlock()
	var started []*backgroundCommand
	for _, c := range b.list {
		if c.process != nil {
			started = append(started, c)
		}
	}
	return started
}

// Close ends all commands, with what they started, and waits for that (F92). None can be started any more.
func (b *Background) Close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.starting.Wait() // whoever has a process by now closes it
	var all sync.WaitGroup
	for _, c := range b.all() {
		all.Go(c.process.Close)
	}
	all.Wait()
}
