package sandbox_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	landlock "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"

	"github.com/patchbay-dev/patchbay/internal/sandbox"
)

// withKernel makes a kernel without some system call out of this one, for this process and all that it starts, and becomes
// this program again, with other arguments.
func withKernel(missing uint32, args ...string) error {
	runtime.LockOSThread()
	program := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: missing, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	f := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if err := number(unix.Syscall(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&f)))); err != nil {
		return err
	}
	return syscall.Exec("/proc/self/exe", args, os.Environ())
}

// tellSupport prints what is supported, and what comes of starting a program all the same.
func tellSupport() error {
	cmd := exec.Command("sh", "-c", "echo started")
	err := sandbox.ReadOnly("/").Wrap(cmd)
	if err == nil {
		out, _ := cmd.CombinedOutput()
		err = fmt.Errorf("it ran: %s", out)
	}
	text, _ := json.Marshal(struct {
		sandbox.Support
		Unsupported bool
		Error       string
	}{sandbox.Supported(), errors.Is(err, sandbox.ErrUnsupported), err.Error()})
	fmt.Println(string(text))
	return nil
}

// Without Landlock or without seccomp there is no sandbox: it says why, and starts nothing.
func TestAKernelThatCanNotHoldIsToldAndNothingStarts(t *testing.T) {
	inWorlds(t, func(w *world) {
		for _, test := range []struct {
			name    string
			missing uint32
			reason  string
		}{
			{"no landlock", unix.SYS_LANDLOCK_CREATE_RULESET, "this kernel has no Landlock"},
			{"landlock that binds nobody", unix.SYS_LANDLOCK_RESTRICT_SELF, "landlock: function not implemented"},
			{"no seccomp", unix.SYS_SECCOMP, "seccomp: function not implemented"},
		} {
			out, status := w.run(nil, w.acting(nil, fmt.Sprintf("kernel %d support", test.missing)))
			var got struct {
				sandbox.Support
				Unsupported bool
				Error       string
			}
			if err := json.Unmarshal([]byte(strings.TrimSuffix(out, "\nok")), &got); err != nil {
				w.Fatalf("%s: %q, status %d", test.name, out, status)
			}
			if got.OK || !got.Unsupported || !strings.Contains(got.Reason, test.reason) || !strings.Contains(got.Error, test.reason) {
				w.Errorf("%s: %s", test.name, out)
			}
		}
	})
}

// If the kernel fails in the child only, the program is not started either.
func TestAChildThatCanNotBindItselfStartsNothing(t *testing.T) {
	inWorlds(t, func(w *world) {
		for _, missing := range []uint32{unix.SYS_LANDLOCK_CREATE_RULESET, unix.SYS_LANDLOCK_RESTRICT_SELF, unix.SYS_SECCOMP, unix.SYS_CLOSE_RANGE, unix.SYS_CAPSET} {
			cmd := w.command("sh", "-c", "echo started")
			p := w.workspace()
			if err := p.Wrap(cmd); err != nil {
				w.Fatal(err)
			}
			child := w.acting(nil, fmt.Sprintf("kernel-child %d", missing))
			child.Env = append(cmd.Env, "CHILD="+strings.Join(cmd.Args, "\x1f"))
			out, status := w.run(nil, child)
			if status != sandbox.ExitFailed || !strings.HasPrefix(out, "patchbay sandbox: the program was not started: ") || strings.Contains(out, "started\n") {
				w.Errorf("without call %d: %q, status %d", missing, out, status)
			}
		}
	})
}

func TestHereAndNow(t *testing.T) {
	s := sandbox.Supported()
	t.Logf("%+v", s)
	if s.OK != (s.Reason == "") || s.OK && s.ABI < 3 {
		t.Errorf("it makes no sense: %+v", s)
	}
	// A sandbox that is broken must not look like a kernel without one: the other tests would be skipped.
	abi, err := landlock.LandlockGetABIVersion()
	status, _ := os.ReadFile("/proc/self/status")
	free := strings.Contains(string(status), "Seccomp:\t0")
	if err == nil && abi >= 3 && free && (runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64") && !s.OK {
		t.Errorf("a kernel with version %d of Landlock, and yet: %s", abi, s.Reason)
	}
	if again := sandbox.Supported(); again.OK != s.OK || again.ABI != s.ABI {
		t.Errorf("it changes its mind: %+v, %+v", s, again)
	}
}
