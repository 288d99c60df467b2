package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/patchbay-dev/patchbay/internal/coder/store"
	"github.com/patchbay-dev/patchbay/internal/confine"
	"github.com/patchbay-dev/patchbay/internal/sandbox"
	"github.com/patchbay-dev/patchbay/policy/ledger"
)

// sandboxFlags bound an agent and all that it starts.
type sandboxFlags struct {
	Sandbox      string  `default:"off" enum:"off,read-only,workspace" help:"What the kernel lets the agent change, with all that it starts: off (anything), workspace (the folder), or read-only (nothing)."`
	SandboxWrite []given `sep:"none" placeholder:"PATH" help:"A file or folder that the agent may change in a sandbox too, such as that of its settings. Can be given several times."`
}

// A wall is a sandbox in use. Nil is none.
type wall struct {
	policy sandbox.Policy
	looks  bool // it lets nothing be changed
}

// wall makes the sandbox that the flags ask for. The agent may read what the user may, since it needs its program, its settings
// and its keys, and reach its model; it changes the folder, if that, and what is temporary. Close it when the agent has ended.
func (f *sandboxFlags) wall(cwd string, builtIn bool) (*wall, error) {
	if f.Sandbox == "off" {
		if len(f.SandboxWrite) > 0 {
			return nil, fmt.Errorf("--sandbox-write needs --sandbox")
		}
		return nil, nil
	}
	if s := sandbox.Supported(); !s.OK {
		return nil, fmt.Errorf("--sandbox: %s", s.Reason)
	}
	w := &wall{looks: f.Sandbox == "read-only", policy: sandbox.Policy{Read: []string{"/"}, KeepHome: true, Network: true}}
	if !w.looks {
		w.policy.Write = append(w.policy.Write, cwd)
	}
	for _, path := range f.SandboxWrite {
		path, err := filepath.Abs(string(path))
		if err == nil {
			_, err = os.Stat(path)
		}
		if err != nil {
			return nil, fmt.Errorf("--sandbox-write: %w", err)
		}
		w.policy.Write = append(w.policy.Write, path)
	}
	if builtIn {
		dir, err := sessionFolder()
		if err != nil {
			return nil, err
		}
		w.policy.Write = append(w.policy.Write, dir)
	}
	var err error
	w.policy.Temp, err = sandbox.MakeTemp()
	return w, err
}

// sessionFolder makes the folder where the built-in agent keeps sessions, which it could not do in a sandbox.
func sessionFolder() (string, error) {
	dir, err := store.DefaultDir()
	if err != nil {
		return "", err
	}
	return dir, os.MkdirAll(dir, 0o700)
}

// bars refuses what an agent behind the wall could change, and that says what it may: the log of decisions and the answers that are
// kept. The wall is as good as none where its prisoner has the keys.
func (w *wall) bars(rules *rulebook) error {
	if w == nil {
		return nil
	}
	if rules.audit != nil && w.opens(rules.audit.Path()) {
		err := fmt.Errorf("--sandbox: the agent could change the audit log %s: keep it outside of what the agent may write, by --audit FILE", rules.audit.Path())
		if rules.strict {
			return err
		}
		rules.audit, rules.unlogged = nil, err
	}
	if kept, ok := rules.policy.Grants.Store.(*ledger.Grants); ok && w.opens(kept.Path()) {
		return fmt.Errorf("--sandbox: the agent could change the answers in %s: run it in another folder, or with --no-grants", kept.Path())
	}
	return nil
}

// opens reports whether the agent may change a file, or might if that can't be told.
func (w *wall) opens(path string) bool {
	real, err := confine.Real(path)
	if err != nil {
		return true
	}
	return slices.ContainsFunc(w.policy.Write, func(root string) bool {
		if root, err = confine.Real(root); err != nil {
			return true
		}
		rel, err := filepath.Rel(root, real)
		return err == nil && filepath.IsLocal(rel)
	})
}

// wrap has a command run behind the wall.
func (w *wall) wrap() func(*exec.Cmd) error {
	if w == nil {
		return nil
	}
	return w.policy.Wrap
}

func (w *wall) close() {
	if w != nil {
		_ = sandbox.RemoveTemp(w.policy.Temp)
	}
}
