package sandbox_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/patchbay-dev/patchbay/internal/sandbox"
)

func TestOtherProcessesAreLeftAlone(t *testing.T) {
	inWorlds(t, func(w *world) {
		if len(sandbox.Supported().Gaps) > 0 {
			w.Skip("this kernel can't hold signals")
		}
		other := w.start()
		deeds := []deed{
			{do: "signal " + other, want: "EPERM"},
			{do: "environ " + other, want: "EACCES|EPERM"},
			{do: "memory " + other, want: "EACCES|EPERM"},
			{do: "its-root " + other, want: "EACCES|EPERM"},
			{do: "take-fd " + other, want: "EPERM"},
			{do: "limit " + other, want: "EPERM"},
			{do: "ptrace " + other, want: "EPERM"},
			{do: "own-limit", want: "ok"},
			{do: "child", want: "ok"},
			{do: "parent", want: "EPERM", free: "-"},
			{do: "trace-parent", want: "EPERM", free: "-"},
			{do: "keyring", want: "EPERM", free: "-"},
			{do: "bpf", want: "EPERM", free: "-"},
		}
		w.hold(w.workspace(), deeds)
		w.hold(w.readOnly(), deeds)
		w.hold(w.workspace(), []deed{{do: "kill " + other, want: "EPERM"}})
	})
}

// Who may type at the user's terminal runs commands outside of the sandbox.
func TestNothingIsTypedAtATerminal(t *testing.T) {
	inWorlds(t, func(w *world) {
		master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
		if err != nil {
			w.Skip(err)
		}
		defer master.Close()
		n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
		if err == nil {
			err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
		}
		if err != nil {
			w.Skip(err)
		}
		terminal, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
		if err != nil {
			w.Skip(err)
		}
		defer terminal.Close()
		p := w.workspace()
		for _, act := range []string{"type", "type-high"} {
			if got, _ := w.run(&p, w.acting([]*os.File{terminal}, act+" 3")); got != "EPERM" {
				w.Errorf("%s: %s", act, got)
			}
			if got, _ := w.run(nil, w.acting([]*os.File{terminal}, act+" 3")); w.isRoot() && got != "ok" {
				w.Errorf("%s without a sandbox: %s", act, got)
			}
		}
	})
}

// Root keeps what it needs to work on other users' files, and only that.
func TestRootKeepsFewCapabilities(t *testing.T) {
	inWorlds(t, func(w *world) {
		if !w.isRoot() {
			w.Skip("not root")
		}
		const read, write = 1 << unix.CAP_DAC_OVERRIDE, 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID
		for _, test := range []struct {
			policy sandbox.Policy
			want   uint64
		}{{w.readOnly(), read}, {w.workspace(), write}} {
			// In a grandchild, so that starting programs brings nothing back.
			out, _ := w.sh(test.policy, "sh -c 'grep -e CapEff -e CapPrm /proc/self/status | cat'")
			for line := range strings.Lines(out) {
				got, err := strconv.ParseUint(strings.Fields(line)[1], 16, 64)
				if err != nil || got != test.want {
					w.Errorf("%s, want %x", line, test.want)
				}
			}
			if strings.Count(out, "Cap") != 2 {
				w.Errorf("no capabilities in %q", out)
			}
		}
		w.hold(w.workspace(), []deed{{do: "give-away {root}/file", want: "EPERM"}})
	})
}

// Whatever a bound process starts is bound too.
func TestGrandchildrenAreBound(t *testing.T) {
	inWorlds(t, func(w *world) {
		out, _ := w.sh(w.workspace(), "(setsid sh -c 'cat "+w.home+"/.ssh/id; echo x > "+w.outside+"/new' & wait) | cat; nohup cat ../.ssh/id 2>&1")
		if _, err := os.Stat(w.outside + "/new"); err == nil || strings.Contains(out, "KEY") || strings.Count(out, "denied") < 2 {
			w.Errorf("they say %q; %v", out, err)
		}
	})
}

// setuid programs get nothing, so that sudo is no way out.
func TestSetuidProgramsGetNothing(t *testing.T) {
	inWorlds(t, func(w *world) {
		if w.who == nil {
			w.Skip("root needs no setuid")
		}
		path, err := program()
		if err != nil {
			w.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(w.root+"/setuid", text, 0o755)
		}
		if err == nil {
			err = os.Chmod(w.root+"/setuid", 0o755|os.ModeSetuid)
		}
		if err != nil {
			w.Fatal(err)
		}
		w.write("root-only", "KEY")
		if err := os.Chmod(w.dir+"/root-only", 0o600); err != nil {
			w.Fatal(err)
		}
		p := w.workspace()
		p.Read = append(p.Read, w.dir+"/root-only")
		cmd := w.acting(nil, "read "+w.dir+"/root-only")
		cmd.Path = w.root + "/setuid"
		if got, _ := w.run(nil, cmd); got != "ok" {
			w.Skipf("setuid does not work here: %s", got)
		}
		cmd = w.acting(nil, "read "+w.dir+"/root-only")
		cmd.Path = w.root + "/setuid"
		if got, _ := w.run(&p, cmd); got != "EACCES" {
			w.Errorf("a setuid program: %s", got)
		}
	})
}
