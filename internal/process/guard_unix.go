//go:build unix

package process

import (
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// guardScript is told on its standard input of groups that begin (+) and end (-), and when that closes, because we are
// gone, kills those that have not ended. It knows nothing of us but what it reads.
const guardScript = `
while read -r op group; do
	left=
	for g in $groups; do
		[ "$g" = "$group" ] || left="$left $g"
	done
	groups=$left
	[ "$op" = - ] || groups="$groups $group"
done
for g in $groups; do
	kill -s KILL -- "-$g"
done`

// A guard is a small process that outlives ours by a moment. A program that is killed with SIGKILL has no moment of its own
// to end what it started, and what it started reads nothing that would tell it (F48, F92).
type guard struct {
	once sync.Once
	mu   sync.Mutex
	pipe *os.File // nil if there is no guard, or none any more
}

var theGuard guard

// StartGuarded is Start for a command that has no other way to learn of our end: its group is killed even if we are killed
// before we can do that. What has left the group by then goes on.
func StartGuarded(cmd *exec.Cmd) (*Family, error) {
	f, err := Start(cmd)
	if err == nil {
		theGuard.once.Do(theGuard.start)
		f.guarded = true
		theGuard.tell('+', f.cmd.Process.Pid)
	}
	return f, err
}

// dismissGuard is called while the group's number is still taken.
func (f *Family) dismissGuard() {
	if f.guarded {
		theGuard.tell('-', f.cmd.Process.Pid)
	}
}

// start starts the guard. Without one, things are as they are on a system that has no shell: no worse than before.
func (g *guard) start() {
	r, w, err := os.Pipe()
	if err != nil {
		return
	}
	defer r.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		_ = w.Close()
		return
	}
	defer null.Close()
	p, err := os.StartProcess("/bin/sh", []string{"sh", "-c", guardScript}, &os.ProcAttr{
		Dir:   "/",
		Env:   []string{},
		Files: []*os.File{r, null, null},
		Sys:   &syscall.SysProcAttr{Setsid: true}, // no signal to our group or from our terminal reaches it
	})
	if err != nil {
		_ = w.Close()
		return
	}
	_ = p.Release() // it ends when we do, and then nobody is there to wait for it
	g.pipe = w
}

// guardPatience is how long the guard may take to make room in its pipe, which holds thousands of lines.
const guardPatience = time.Second

// tell writes one line, which a pipe takes as a whole. A guard that does not read is given up.
func (g *guard) tell(op byte, group int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pipe == nil {
		return
	}
	_ = g.pipe.SetWriteDeadline(time.Now().Add(guardPatience))
	if _, err := fmt.Fprintf(g.pipe, "%c %d\n", op, group); err != nil {
		_ = g.pipe.Close()
		g.pipe = nil
	}
}
