package client

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/confine"
	"github.com/patchbay-dev/patchbay/internal/terminal"
)

// A terminalOwner is what a terminal has to know of its session.
type terminalOwner struct {
	id    acp.SessionID
	cwd   string
	roots []string
	done  <-chan struct{} // closed when the session has ended
}

func ownerOf(s *Session) terminalOwner {
	return terminalOwner{id: s.ID(), cwd: s.CWD(), roots: s.Roots(), done: s.Done()}
}

func (t *Terminals) create(ctx context.Context, owner terminalOwner, req *acp.CreateTerminalRequest) (*acp.CreateTerminalResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	command, err := t.command(owner, req)
	if err != nil {
		return nil, err
	}
	if err := t.reserve(); err != nil {
		return nil, err
	}
	term, err := terminal.Start(command)
	id := acp.TerminalID("term_" + rand.Text()) // unlike any in the history of a loaded session
	t.register(id, term, owner.id)
	if err != nil {
		return nil, startError(err)
	}
	// Whoever ended the session or gave up the request may have looked for the terminal before it was there.
	select {
	case <-owner.done:
		err = ErrSessionClosed
	default:
		err = ctx.Err()
	}
	if err != nil {
		t.releaseAll(func(o *ownedTerminal) bool { return o.Terminal == term })
		return nil, err
	}
	return &acp.CreateTerminalResponse{TerminalID: id}, nil
}

// command reads what is to be run.
func (t *Terminals) command(owner terminalOwner, req *acp.CreateTerminalRequest) (terminal.Command, error) {
	c := terminal.Command{Path: req.Command, Args: req.Args, Base: t.Env, Limit: t.limit(req.OutputByteLimit), TermGrace: t.TermGrace, Wrap: t.Wrap}
	var err error
	if c.Dir, err = t.dir(owner, req.CWD); err != nil {
		return c, err
	}
	if strings.TrimSpace(req.Command) == "" {
		return c, acp.ErrInvalidParams("terminal/create: the command is empty")
	}
	for _, v := range req.Env {
		if v.Name == "" || strings.ContainsAny(v.Name, "=\x00") || strings.ContainsRune(v.Value, 0) {
			return c, acp.ErrInvalidParams("terminal/create: %q can't be a variable of the environment", v.Name+"="+v.Value)
		}
		c.Env = append(c.Env, v.Name+"="+v.Value)
	}
	if len(req.Args) == 0 && !terminal.IsProgram(req.Command, c.Dir) {
		c.Path, c.Line = "", req.Command
	}
	return c, nil
}

// dir returns where a command starts: where the agent says, spelled as it says, if that is inside the roots.
func (t *Terminals) dir(owner terminalOwner, cwd string) (string, error) {
	if cwd == "" {
		cwd = owner.cwd
	}
	if !filepath.IsAbs(cwd) {
		return "", acp.ErrInvalidParams("terminal/create: cwd must be an absolute path, got %q", cwd)
	}
	if cwd == owner.cwd {
		return cwd, nil
	}
	space := confine.Space{Cwd: owner.cwd, Roots: owner.roots, Exceptions: t.Exceptions}
	if _, err := space.Resolve(cwd); err != nil {
		return "", acp.ErrInvalidParams("terminal/create: cwd: %v", err)
	}
	return cwd, nil
}

// limit returns how much output is kept, as terminal.Command takes it.
func (t *Terminals) limit(asked *uint64) int {
	limit := cmp.Or(t.OutputBytes, DefaultTerminalBytes)
	most := cmp.Or(t.MaxOutputBytes, DefaultMaxTerminalBytes)
	switch {
	case asked == nil:
		return limit
	case *asked == 0:
		return -1
	default:
		return int(min(*asked, uint64(max(most, 1))))
	}
}

// startError makes the error that the agent gets.
func startError(err error) error {
	for _, fault := range []error{
		exec.ErrNotFound, exec.ErrDot, fs.ErrNotExist, fs.ErrPermission,
		syscall.ENOTDIR, syscall.ENOEXEC, syscall.EINVAL, syscall.E2BIG,
	} {
		if errors.Is(err, fault) {
			return acp.ErrInvalidParams("terminal/create: %v", err)
		}
	}
	return acp.ErrInternal("terminal/create: %v", err)
}

// reserve makes room for another terminal, which register takes.
func (t *Terminals) reserve() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	most := cmp.Or(t.MaxTerminals, DefaultMaxTerminals)
	if t.starting+len(t.live)+len(t.ending) >= most {
		return acp.ErrInvalidRequest("terminal/create: there are %d terminals already: release some first", most)
	}
	t.starting++
	return nil
}

// register adds a terminal, or none if the command did not start.
func (t *Terminals) register(id acp.TerminalID, term *terminal.Terminal, session acp.SessionID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.starting--
	if term == nil {
		return
	}
	if t.live == nil {
		t.live = map[acp.TerminalID]*ownedTerminal{}
		t.ending = map[acp.TerminalID]*ownedTerminal{}
	}
	t.live[id] = &ownedTerminal{term, session}
}

// find returns a terminal of a session. One of another session's is as unknown as one that was released.
func (t *Terminals) find(session acp.SessionID, id acp.TerminalID) (*terminal.Terminal, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	term, ok := t.live[id]
	if !ok || term.session != session {
		return nil, acp.ErrInvalidParams("session %s has no terminal %q, or has released it", session, id)
	}
	return term.Terminal, nil
}

func (t *Terminals) output(session acp.SessionID, req *acp.TerminalOutputRequest) (*acp.TerminalOutputResponse, error) {
	term, err := t.find(session, req.TerminalID)
	if err != nil {
		return nil, err
	}
	shown := shownBy(term)
	return &acp.TerminalOutputResponse{Output: shown.Text, Truncated: shown.Truncated, ExitStatus: shown.Exit}, nil
}

func (t *Terminals) wait(ctx context.Context, session acp.SessionID, req *acp.WaitForTerminalExitRequest) (*acp.WaitForTerminalExitResponse, error) {
	term, err := t.find(session, req.TerminalID)
	if err != nil {
		return nil, err
	}
	exit, err := term.Wait(ctx)
	if err != nil {
		return nil, err
	}
	return &acp.WaitForTerminalExitResponse{ExitCode: exit.Code, Signal: exit.Signal}, nil
}

func (t *Terminals) kill(session acp.SessionID, req *acp.KillTerminalRequest) (*acp.KillTerminalResponse, error) {
	term, err := t.find(session, req.TerminalID)
	if err != nil {
		return nil, err
	}
	term.Kill()
	return &acp.KillTerminalResponse{}, nil
}

func (t *Terminals) release(session acp.SessionID, req *acp.ReleaseTerminalRequest) (*acp.ReleaseTerminalResponse, error) {
	term, err := t.find(session, req.TerminalID)
	if err != nil {
		return nil, err
	}
	t.releaseAll(func(o *ownedTerminal) bool { return o.Terminal == term })
	return &acp.ReleaseTerminalResponse{}, nil
}

// releaseAll releases the terminals that match, and waits for those too that are on their way out already.
func (t *Terminals) releaseAll(match func(*ownedTerminal) bool) {
	t.mu.Lock()
	leaving := map[acp.TerminalID]*ownedTerminal{}
	for id, term := range t.live {
		if match(term) {
			delete(t.live, id)
			t.ending[id] = term
		}
	}
	for id, term := range t.ending {
		if match(term) {
			leaving[id] = term
		}
	}
	t.mu.Unlock()

	var all sync.WaitGroup
	for id, term := range leaving {
		all.Go(func() {
			term.Close()
			t.forget(id, term)
		})
	}
	all.Wait()
}

// forget keeps nothing of a terminal that has ended but its output.
func (t *Terminals) forget(id acp.TerminalID, term *ownedTerminal) {
	shown := shownBy(term.Terminal)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ending[id] != term {
		return // someone else waited for it too
	}
	delete(t.ending, id)
	t.kept.add(id, shown, cmp.Or(t.KeptTerminals, DefaultKeptTerminals), cmp.Or(t.KeptBytes, DefaultKeptBytes))
}

// shownBy returns what a terminal shows.
func shownBy(term *terminal.Terminal) TerminalOutput {
	out := term.Output()
	shown := TerminalOutput{Text: out.Text, Truncated: out.Truncated}
	if out.Exit != nil {
		shown.Exit = &acp.TerminalExitStatus{ExitCode: out.Exit.Code, Signal: out.Exit.Signal}
	}
	return shown
}
