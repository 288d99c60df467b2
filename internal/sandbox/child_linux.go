package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// init takes over in a child. It runs before main, and before the init functions of most packages that main needs: a child
// has no use for them, and half of its time would go there.
func init() {
	switch {
	case len(os.Args) == 1 && os.Args[0] == probeName:
		os.Exit(answerProbe(os.Stdout))
	case len(os.Args) > 2 && os.Args[0] == childName:
		err := become(os.Args[1], os.Args[2:])
		fmt.Fprintln(os.Stderr, "patchbay sandbox:", err)
		os.Exit(ExitFailed)
	}
}

// become binds this process and becomes the program. It returns only if that fails.
func become(text string, args []string) error {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return fmt.Errorf("reading the policy: %w", err)
	}
	if err := o.bind(); err != nil {
		return fmt.Errorf("the program was not started: %w", err)
	}
	// Everything beyond was for this process: a descriptor of a file is a way past the policy.
	if err := unix.CloseRange(uint(o.Keep), 1<<31-1, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("the program was not started: closing descriptors: %w", err)
	}
	err := syscall.Exec(o.Program, args, os.Environ())
	return fmt.Errorf("starting %s: %w", o.Program, err)
}

// bind binds the calling thread, which stays locked, since it is the one that becomes the program.
func (o order) bind() error {
	runtime.LockOSThread()
	ruleset, err := o.ruleset()
	if err != nil {
		return err
	}
	defer unix.Close(ruleset)
	filter, err := o.filter()
	if err != nil {
		return err
	}
	// Also what keeps setuid programs from getting more than they were given.
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("giving up new privileges: %w", err)
	}
	if err := restrict(ruleset); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	if err := dropCapabilities(o.Frozen); err != nil {
		return fmt.Errorf("dropping capabilities: %w", err)
	}
	if err := install(filter); err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	return nil
}

// probe has a child bind itself and try what is refused.
func probe() Support {
	cmd := exec.Command(ourselves)
	cmd.Args = []string{probeName}
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == ExitFailed {
		err = nil
	}
	var s Support
	if err == nil {
		err = json.Unmarshal(out, &s)
	}
	if err != nil {
		return Support{Reason: fmt.Sprintf("trying it out failed: %v", err)}
	}
	return s
}
