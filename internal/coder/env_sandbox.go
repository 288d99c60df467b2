package coder

import (
	"context"
	"fmt"
	"os/exec"

	"github.com/patchbay-dev/patchbay/internal/sandbox"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// startBound starts a command that the kernel bounds as the mode says it now. It fails where the kernel can't: nothing runs
// without the walls that it should have. A command that is in the background already when the mode changes keeps what it
// was started with: a process can't be bound by another one, and what the user has let run is not ended by a look at a plan.
func (e *env) startBound(ctx context.Context, c tool.Command, b bounds) (tool.Process, error) {
	policy, release, err := e.policy(b)
	if err != nil {
		return nil, fmt.Errorf("the command has to be sandboxed: %w", err)
	}
	c.Wrap = policy.Wrap
	p, err := e.startLocal(ctx, c)
	if err != nil {
		release()
		return nil, err
	}
	return &boundProcess{p, release}, nil
}

// policy returns what the kernel is to hold. Whoever uses it calls release when the command has ended.
func (e *env) policy(b bounds) (policy sandbox.Policy, release func(), err error) {
	if s := sandbox.Supported(); !s.OK {
		return sandbox.Policy{}, nil, fmt.Errorf("%w: %s", sandbox.ErrUnsupported, s.Reason)
	}
	if b == boundToRead {
		return sandbox.ReadOnly(e.session.roots...), func() {}, nil
	}
	e.coder.background.endWith(e.turn.Session().Conn(), e.session) // the folder lasts until then
	temp, release, err := e.session.desk.scratch.use()
	if err != nil {
		return sandbox.Policy{}, nil, err
	}
	return sandbox.Workspace(temp, e.session.roots...), release, nil
}

// Bind keeps a program that a tool starts for itself to looking, in the modes that bound what is started.
func (e *env) Bind(cmd *exec.Cmd) error {
	if e.session.mode().bounds == unbounded {
		return e.Local.Bind(cmd)
	}
	return e.bindToRead(cmd)
}

func (e *env) bindToRead(cmd *exec.Cmd) error {
	if err := e.Local.Bind(cmd); err != nil {
		return err
	}
	return sandbox.ReadOnly(e.session.roots...).Wrap(cmd)
}

// A boundProcess uses the folder for what is temporary until it is closed.
type boundProcess struct {
	tool.Process
	release func()
}

func (p *boundProcess) Close() {
	p.Process.Close()
	p.release()
}

// Sandbox returns where the sandboxed tools of the session work.
func (e *env) Sandbox() (tool.Env, error) { return walled{e}, nil }

// A walled env is where sandboxed tools work: their files are those that commands see, which are this machine's, and commands
// are bound whatever the mode says.
type walled struct{ *env }

func (w walled) ReadFile(ctx context.Context, path tool.Path) (string, error) {
	return w.Local.ReadFile(ctx, path)
}

func (w walled) WriteFile(ctx context.Context, path tool.Path, text string) error {
	return w.Local.WriteFile(ctx, path, text)
}

func (w walled) Start(ctx context.Context, c tool.Command) (tool.Process, error) {
	b := boundToTheRoots
	if now := w.session.mode().bounds; now != unbounded {
		b = now
	}
	return w.startBound(ctx, c, b)
}

func (w walled) Bind(cmd *exec.Cmd) error { return w.bindToRead(cmd) }

func (w walled) Sandbox() (tool.Env, error) { return w, nil }
