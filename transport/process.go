package transport

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/patchbay-dev/patchbay/internal/process"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// readOut is how long output is read after a process has died, if a descendant that was not found holds the pipe; and how
// long a process may live after it has closed its output before Read says so.
const readOut = time.Second

// A Process is a peer that runs as a subprocess, and the stream to it. Start makes one.
//
// It ends in one of three ways, and takes its descendants with it in each. When it ends by itself, Read returns what it
// had written and then an *ExitError (W8). Kill makes it do so. Close ends the stream at once and leads the process out
// in the background: Wait waits for that.
type Process struct {
	command Command
	cmd     *exec.Cmd
	family  *process.Family
	stdin   *os.File
	stdout  *output
	stream  *ByteStream // over stdout and stdin
	errors  *os.File    // standard error
	stderr  *tail       // what came from there last
	unhook  func() bool // detaches the context of Start

	closed     chan struct{} // Close closes it
	closeOnce  sync.Once
	ladder     sync.Once
	died       chan struct{} // run closes it when the process is dead
	stderrDone chan struct{} // drainStderr closes it as its last act
	done       chan struct{} // run closes it as its last act
	breaks     chan struct{} // a token in it interrupts a Read that waits for the reason of an error
	exit       *ExitError    // set before done is closed

	mu    sync.Mutex
	dead  bool        // so there is no one to signal any more: the number may belong to someone else
	timer *time.Timer // of the ladder's next step
}

var (
	_ jsonrpc.TryWriter   = (*Process)(nil)
	_ jsonrpc.PieceWriter = (*Process)(nil)
	_ jsonrpc.Outsider    = (*Process)(nil)
)

func newProcess(c Command, cmd *exec.Cmd, f *process.Family, e *ends) *Process {
	p := &Process{
		command:    c,
		cmd:        cmd,
		family:     f,
		stdin:      e.ours[0],
		stdout:     newOutput(e.ours[1]),
		errors:     e.ours[2],
		stderr:     &tail{size: c.StderrBytes, each: c.OnStderr},
		closed:     make(chan struct{}),
		died:       make(chan struct{}),
		stderrDone: make(chan struct{}),
		done:       make(chan struct{}),
		breaks:     make(chan struct{}, 1),
	}
	p.stream = New(p.stdout, p.stdin, c.Options)
	return p
}

// Pid returns the process's number, which may be in use by another process once this one has ended.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Stderr returns the end of what the process has written to standard error.
func (p *Process) Stderr() string { return p.stderr.text() }

// Done returns a channel that is closed when the process and its descendants have ended, however that came about.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits until the process and its descendants have ended and, after Close, until nothing of them is left here
// either. It returns nil if the process ended with status 0, an *ExitError if not, and the cause of ctx if that ends
// first. It does not make anything end.
func (p *Process) Wait(ctx context.Context) error {
	select {
	case <-p.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if p.isClosed() {
		<-p.stdout.done // at most a second from now
	}
	if p.exit.State != nil && p.exit.State.Success() {
		return nil
	}
	return p.exit
}

// Read returns messages from the process's standard output. See jsonrpc.Stream. After the last one it returns an
// *ExitError; errors.Is(err, io.EOF) is true for it. A process that has only closed its standard output is asked to end.
func (p *Process) Read(limit int) ([]jsonrpc.Frame, error) {
	frames, err := p.stream.Read(limit)
	switch {
	case err == jsonrpc.ErrInterrupted:
		select {
		case <-p.breaks:
		default:
		}
	case err != nil:
		err = p.explain(err, p.breaks)
	}
	return frames, err
}

// Write writes messages to the process's standard input. See jsonrpc.Stream. If the process has ended, so says the error.
func (p *Process) Write(messages [][]byte) error { return p.wrote(p.stream.Write(messages)) }

// WritePieces writes a message that comes in pieces. See jsonrpc.PieceWriter.
func (p *Process) WritePieces(pieces iter.Seq[[]byte]) error {
	return p.wrote(p.stream.WritePieces(pieces))
}

func (p *Process) wrote(err error) error {
	if err != nil {
		err = p.explain(err, nil)
	}
	return err
}

// TryWrite writes what goes without waiting. See jsonrpc.TryWriter.
func (p *Process) TryWrite(message []byte) (done bool, err error) {
	done, err = p.stream.TryWrite(message)
	switch {
	case err == nil:
		return done, nil
	case p.isClosed():
		return false, io.ErrClosedPipe
	default:
		// Why it failed takes time to find out. The error stays with the stream, and the next Write waits for the reason.
		return false, nil
	}
}

// Outside returns true. See jsonrpc.Outsider.
func (p *Process) Outside() bool { return true }

// Interrupt makes Read return jsonrpc.ErrInterrupted. See jsonrpc.Outsider.
func (p *Process) Interrupt() {
	select {
	case p.breaks <- struct{}{}:
	default:
	}
	p.stream.Interrupt()
}

// explain finds out what an error of the pipes means. One of them breaks a moment before the process is known to be dead.
func (p *Process) explain(err error, breaks <-chan struct{}) error {
	if p.isClosed() {
		return io.ErrClosedPipe
	}
	p.leave()
	t := time.NewTimer(readOut)
	defer t.Stop()
	select {
	case <-p.died:
	case <-p.closed:
		return io.ErrClosedPipe
	case <-breaks:
		return jsonrpc.ErrInterrupted
	case <-t.C:
		return fmt.Errorf("%s still runs but has closed its end of the pipe: %w", p.command.Path, err)
	}
	select {
	case <-p.done: // soon
		return p.exit
	case <-p.closed:
		return io.ErrClosedPipe
	}
}

func (p *Process) isClosed() bool {
	select {
	case <-p.closed:
		return true
	default:
		return false
	}
}

// Close ends the stream and returns at once, so that it may be called anywhere. The process is led out in the background:
// its standard input ends; after CloseGrace it gets SIGTERM, with its group (F81); after TermGrace they are killed. What it
// still writes is read and thrown away, so that no write of a last word kills it. Wait waits for all of this.
func (p *Process) Close() error {
	p.closeOnce.Do(func() {
		close(p.closed)
		p.stdout.abandon()
		p.leave()
	})
	return nil
}

// Kill kills the process and its group at once. The stream goes on: Read returns what the process had written and then an
// *ExitError.
func (p *Process) Kill() { p.signal(p.family.Kill) }

// leave starts the ladder: input's end, SIGTERM, SIGKILL. Its steps are timers; when the process dies, run stops them.
func (p *Process) leave() {
	p.ladder.Do(func() {
		_ = p.stdin.Close()
		p.after(p.command.CloseGrace, func() {
			p.signal(p.family.Terminate)
			p.after(p.command.TermGrace, p.Kill)
		})
	})
}

// after sets the ladder's next step.
func (p *Process) after(d time.Duration, step func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.dead {
		p.timer = time.AfterFunc(d, step)
	}
}

// signal runs a function that signals the process, unless it is dead.
func (p *Process) signal(send func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.dead {
		send()
	}
}

// run sees the process out. It is the goroutine that owns it, and ends after everything else that was started for it,
// except what reads output after Close.
//
// The order matters. As long as the process has not been reaped, no other can have its number, nor can a group: so its
// group is killed before. The status is known only afterwards, and the pipes end when the last descendant is gone.
func (p *Process) run() {
	defer close(p.done)
	p.family.AwaitDeath()
	p.mu.Lock()
	p.dead = true
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Unlock()
	close(p.died)
	p.unhook()

	p.family.Finish()
	if p.cmd.ProcessState == nil {
		_ = p.cmd.Wait() // what it says is in the state
	}
	p.family.Release()

	deadline := time.Now().Add(readOut)
	_ = p.stdin.Close() // ends a Write, should anyone else hold the other end
	p.stdout.expire(deadline)
	_ = p.errors.SetReadDeadline(deadline)
	<-p.stderrDone
	p.exit = &ExitError{Command: p.command.Path, State: p.cmd.ProcessState, Stderr: p.stderr.lines(exitLines, exitBytes)}
}

// drainStderr reads standard error to its end. Its goroutine belongs to run.
func (p *Process) drainStderr() {
	defer close(p.stderrDone)
	defer p.errors.Close()
	p.stderr.readFrom(p.errors)
}
