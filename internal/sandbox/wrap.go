package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
)

// ExitFailed is the exit status of a child that could not be bound, or could not start its program. What it says on standard
// error then begins with "patchbay sandbox: ".
const ExitFailed = 126

// ErrUnsupported is what Wrap's error is where no sandbox can be had. Supported says why.
var ErrUnsupported = errors.New("there is no sandbox here")

// An order is what a child is told: how to bind itself, and which program to become.
type order struct {
	Read    []string `json:"read"`
	Write   []string `json:"write"`
	Frozen  bool     `json:"frozen,omitempty"` // modes, owners, times and attributes can't be changed
	Network bool     `json:"network,omitempty"`
	Keep    int      `json:"keep"` // number of descriptors that the program gets, from 0 up
	Program string   `json:"program"`
}

// maxOrder is the largest order, in bytes: the kernel takes arguments of up to 128 KiB.
const maxOrder = 120 << 10

// Wrap changes a command that has not been started so that it runs under the policy, with a fitting environment. The
// program itself may be read whatever the policy says. Of the descriptors, only the standard ones and ExtraFiles are handed
// on. Other attributes, such as a process group or other credentials, stay as they are.
//
// A file that has to be there is looked for now, and Wrap fails if it is missing: call it right before starting the command.
func (p Policy) Wrap(cmd *exec.Cmd) error {
	if cmd.Err != nil {
		return cmd.Err
	}
	if s := Supported(); !s.OK {
		return fmt.Errorf("%w: %s", ErrUnsupported, s.Reason)
	}
	return p.wrap(cmd)
}

func (p Policy) wrap(cmd *exec.Cmd) error {
	program := cmd.Path
	if !filepath.IsAbs(program) && filepath.IsAbs(cmd.Dir) {
		program = filepath.Join(cmd.Dir, program)
	}
	if program, err := filepath.Abs(program); err == nil {
		p.Read = append(p.Read[:len(p.Read):len(p.Read)], program)
	}
	reads, writes, err := p.settle()
	if err != nil {
		return fmt.Errorf("preparing a sandbox: %w", err)
	}
	text, err := json.Marshal(order{Read: reads, Write: writes, Frozen: len(p.Write) == 0, Network: p.Network, Keep: 3 + len(cmd.ExtraFiles), Program: cmd.Path})
	if err != nil {
		return fmt.Errorf("preparing a sandbox: %w", err)
	}
	if len(text) > maxOrder {
		return fmt.Errorf("preparing a sandbox: its policy takes %d bytes, the limit is %d", len(text), maxOrder)
	}
	env := cmd.Environ()
	args := cmd.Args
	if len(args) == 0 {
		args = []string{cmd.Path}
	}
	cmd.Path = ourselves
	cmd.Args = append([]string{childName, string(text)}, args...)
	cmd.Env = p.environ(env)
	return nil
}

// ourselves is this program, even if its file has been replaced since it started. In a child that has not become anything
// else yet, it is the parent's program.
const ourselves = "/proc/self/exe"

// How a child is told from a program that is started as usual: by the name that it was given.
const (
	childName = "patchbay sandbox-exec"
	probeName = "patchbay sandbox-probe"
)
