package terminal

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/patchbay-dev/patchbay/internal/process"
)

const (
	// readOut is how long output is read after a command has ended, if a descendant that was not found holds the pipe.
	readOut = time.Second

	// closeTime is how long Close waits, beyond the grace, for what the kernel will not let go of.
	closeTime = 5 * time.Second
)

// A Terminal is a command that runs or has run, and the end of its output. Start makes one. Its methods may be called at
// any time, at once, and after each other in any order.
type Terminal struct {
	cmd    *exec.Cmd
	family *process.Family
	pipe   *os.File // of both outputs
	output buffer
	grace  time.Duration

	drained chan struct{} // drain closes it as its last act
	done    chan struct{} // see closes it as its last act
	exit    Exit          // set before done is closed

	mu     sync.Mutex
	dead   bool        // so there is no one to signal any more: the number may belong to someone else
	killed bool        // Kill was called
	timer  *time.Timer // of Kill's second step
}

// An Exit says how a command ended. If it could not be found out, both members are empty.
type Exit struct {
	Code   *uint32 // nil if a signal ended it
	Signal string  // such as "SIGKILL"; empty if the command ended by itself
}

// An Output is what a command has written to both of its outputs, in the order in which it arrived.
type Output struct {
	// Text is the end of it, at most as many bytes as the limit says, cut before a character (F106). Bytes that are not
	// UTF-8 are replaced by U+FFFD.
	Text string

	// Truncated says that there was more before.
	Truncated bool

	// Exit says how the command ended; nil while it runs. Nothing is added to the text afterwards.
	Exit *Exit
}

func run(c Command, cmd *exec.Cmd, family *process.Family, pipe *os.File) *Terminal {
	limit := c.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	t := &Terminal{
		cmd:     cmd,
		family:  family,
		pipe:    pipe,
		output:  buffer{limit: max(limit, 0)},
		grace:   c.grace(),
		drained: make(chan struct{}),
		done:    make(chan struct{}),
	}
	go t.drain()
	go t.see()
	return t
}

// Pid returns the command's process number, which may be in use by another process once this one has ended.
func (t *Terminal) Pid() int { return t.cmd.Process.Pid }

// Done returns a channel that is closed when the command has ended, with what it started, and its output was read.
func (t *Terminal) Done() <-chan struct{} { return t.done }

// Output returns the end of the output so far.
func (t *Terminal) Output() Output {
	select {
	case <-t.done:
		exit := t.exit
		text, truncated := t.output.text(true)
		return Output{text, truncated, &exit}
	default:
		text, truncated := t.output.text(false)
		return Output{text, truncated, nil}
	}
}

// Wait waits until the command has ended and says how. If ctx ends first, it returns the context's error, and the command
// goes on. Any number may wait at once.
func (t *Terminal) Wait(ctx context.Context) (Exit, error) {
	select {
	case <-t.done:
		return t.exit, nil
	default:
	}
	select {
	case <-t.done:
		return t.exit, nil
	case <-ctx.Done():
		return Exit{}, ctx.Err()
	}
}

// Kill has the command end, with all that it started: it gets SIGTERM, and after the grace SIGKILL (F48). It does not wait
// for that. When the command has ended, and when it is called again, it does nothing.
func (t *Terminal) Kill() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dead || t.killed {
		return
	}
	t.killed = true
	if t.grace == 0 {
		t.family.Kill()
		return
	}
	t.family.Terminate()
	t.timer = time.AfterFunc(t.grace, t.force)
}

// force is the second step of Kill.
func (t *Terminal) force() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.dead {
		t.family.Kill()
	}
}

// Close is Kill, and waits until the command has ended. The output stays. What the kernel keeps alive even so is left to it
// after five seconds.
func (t *Terminal) Close() {
	t.Kill()
	limit := time.NewTimer(t.grace + closeTime)
	defer limit.Stop()
	select {
	case <-t.done:
	case <-limit.C:
	}
}

// see sees the command out: it is the goroutine that owns it, and ends last. As long as the process has not been reaped, no
// other can have its number, so what is left of its group is killed before.
func (t *Terminal) see() {
	defer close(t.done)
	t.family.AwaitDeath()
	t.mu.Lock()
	t.dead = true
	if t.timer != nil {
		t.timer.Stop()
	}
	t.mu.Unlock()

	t.family.Finish()
	if t.cmd.ProcessState == nil {
		_ = t.cmd.Wait() // what it says is in the state
	}
	t.family.Release()
	t.exit = exitOf(t.cmd.ProcessState)

	_ = t.pipe.SetReadDeadline(time.Now().Add(readOut))
	<-t.drained
	t.output.settle()
}

// drain reads the output to its end. Its goroutine belongs to see.
func (t *Terminal) drain() {
	defer close(t.drained)
	defer t.pipe.Close()
	chunk := make([]byte, 32<<10)
	for {
		n, err := t.pipe.Read(chunk)
		t.output.add(chunk[:n])
		if err != nil {
			return
		}
	}
}
