package sandbox_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/patchbay-dev/patchbay/internal/sandbox"
)

// outcome says what came of a deed: "ok", or the system's error.
func outcome(err error) string {
	var errno syscall.Errno
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &errno):
		return unix.ErrnoName(errno)
	}
	return err.Error()
}

// do does what the words say.
func do(words []string) error {
	arg := func(i int) string { return words[min(i, len(words)-1)] }
	number := func(i int) int { n, _ := strconv.Atoi(arg(i)); return n }
	a, b := arg(1), arg(2)
	switch words[0] {
	case "support":
		return tellSupport()
	case "kernel":
		return withKernel(uint32(number(1)), actor, b)
	case "kernel-child": // what it is started with is in the environment, as words don't have blanks
		return withKernel(uint32(number(1)), strings.Split(os.Getenv("CHILD"), "\x1f")...)
	case "nest":
		return nest(a, b)
	}
	if deed, ok := fileActs[words[0]]; ok {
		return deed(a, b)
	}
	if deed, ok := processActs[words[0]]; ok {
		return deed(number(1))
	}
	if deed, ok := netActs[words[0]]; ok {
		return deed(a, b)
	}
	return errors.New("unknown act " + words[0])
}

// ignore leaves the result away.
func ignore[T any](_ T, err error) error { return err }

var fileActs = map[string]func(a, b string) error{
	"read":  func(a, _ string) error { return ignore(os.ReadFile(a)) },
	"list":  func(a, _ string) error { return ignore(os.ReadDir(a)) },
	"stat":  func(a, _ string) error { return ignore(os.Stat(a)) },
	"write": func(a, _ string) error { return os.WriteFile(a, []byte("x"), 0o644) },
	"append": func(a, _ string) error {
		f, err := os.OpenFile(a, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		return f.Close()
	},
	"create": func(a, _ string) error {
		f, err := os.OpenFile(a, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err != nil {
			return err
		}
		return errors.Join(f.Close(), os.Remove(a))
	},
	"truncate": func(a, _ string) error { return unix.Truncate(a, 3) },
	"mkdir":    func(a, _ string) error { return errors.Join(os.Mkdir(a, 0o755), os.Remove(a)) },
	"remove": func(a, _ string) error {
		text, _ := os.ReadFile(a)
		if err := os.Remove(a); err != nil {
			return err
		}
		return os.WriteFile(a, text, 0o644)
	},
	"rename": func(a, b string) error {
		if err := os.Rename(a, b); err != nil {
			return err
		}
		return os.Rename(b, a)
	},
	"link": func(a, b string) error {
		if err := os.Link(a, b); err != nil {
			return err
		}
		return os.Remove(b)
	},
	"symlink": func(a, b string) error {
		if err := os.Symlink(a, b); err != nil {
			return err
		}
		return os.Remove(b)
	},
	"read-by-link": func(a, b string) error {
		_ = os.Symlink(a, b)
		defer os.Remove(b)
		return ignore(os.ReadFile(b))
	},
	"read-reopened": func(a, _ string) error {
		fd, err := unix.Open(a, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		return ignore(os.ReadFile("/proc/self/fd/" + strconv.Itoa(fd)))
	},
	"read-from-root": func(a, _ string) error {
		here, err := os.Getwd()
		if err == nil {
			err = os.Chdir("/")
		}
		if err != nil {
			return err
		}
		defer os.Chdir(here)
		return ignore(os.ReadFile(a[1:]))
	},
	"read-by-chroot": func(a, _ string) error {
		if err := unix.Chroot(filepath.Dir(a)); err != nil {
			return err
		}
		return ignore(os.ReadFile("/" + filepath.Base(a)))
	},
	"read-by-handle": func(a, _ string) error {
		handle, _, err := unix.NameToHandleAt(unix.AT_FDCWD, a, 0)
		if err != nil {
			return err
		}
		dir, err := unix.Open(filepath.Dir(a), unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		if root, err := unix.Open("/usr", unix.O_RDONLY|unix.O_CLOEXEC, 0); err == nil {
			dir = root
		}
		return ignore(unix.OpenByHandleAt(dir, handle, unix.O_RDONLY))
	},
	"execute":   func(a, _ string) error { return syscall.Exec(a, []string{a}, nil) },
	"mkfifo":    func(a, _ string) error { return errors.Join(unix.Mkfifo(a, 0o644), os.Remove(a)) },
	"mknod":     func(a, _ string) error { return errors.Join(unix.Mknod(a, unix.S_IFCHR|0o644, 1<<8|3), os.Remove(a)) },
	"chmod":     func(a, _ string) error { return os.Chmod(a, 0o644) },
	"fchmod":    func(a, _ string) error { return onFile(a, func(fd int) error { return unix.Fchmod(fd, 0o644) }) },
	"fchmodat2": func(a, _ string) error { return unix.Fchmodat(unix.AT_FDCWD, a, 0o644, unix.AT_SYMLINK_NOFOLLOW) },
	"chown":     func(a, _ string) error { return os.Chown(a, os.Geteuid(), os.Getegid()) },
	"give-away": func(a, _ string) error { return errors.Join(os.Chown(a, 1, 1), os.Chown(a, 0, 0)) },
	"lchown":    func(a, _ string) error { return os.Lchown(a, os.Geteuid(), os.Getegid()) },
	"fchown": func(a, _ string) error {
		return onFile(a, func(fd int) error { return unix.Fchown(fd, os.Geteuid(), os.Getegid()) })
	},
	"utimes":   func(a, _ string) error { return os.Chtimes(a, time.Now(), time.Now()) },
	"setxattr": func(a, _ string) error { return unix.Setxattr(a, "user.test", []byte("x"), 0) },
	"rmxattr":  func(a, _ string) error { return denied(unix.Removexattr(a, "user.none"), unix.ENODATA) },
	"setflags": func(a, _ string) error {
		return onFile(a, func(fd int) error { return unix.IoctlSetPointerInt(fd, 0x40086602, 0) })
	},
	"mount": func(a, b string) error { return unix.Mount(a, b, "", unix.MS_BIND, "") },
	"mount-new": func(a, _ string) error {
		return inOwnMounts(func() error { return unix.Mount("none", a, "tmpfs", 0, "") })
	},
	"pivot-root": func(a, _ string) error { return inOwnMounts(func() error { return unix.PivotRoot(a, a) }) },
}

// denied returns an error unless it is one that shows that the call was let through.
func denied(err, through error) error {
	if err == through {
		return nil
	}
	return err
}

func onFile(path string, do func(fd int) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return do(int(f.Fd()))
}

// inOwnMounts does something in a namespace of its own, which everyone may have by way of a namespace of users.
func inOwnMounts(do func() error) error {
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return err
	}
	return do()
}

var processActs = map[string]func(pid int) error{
	"signal":       func(pid int) error { return unix.Kill(pid, 0) },
	"kill":         func(pid int) error { return unix.Kill(pid, unix.SIGKILL) },
	"parent":       func(int) error { return unix.Kill(os.Getppid(), 0) },
	"ptrace":       func(pid int) error { return unix.PtraceSeize(pid) },
	"trace-parent": func(int) error { return unix.PtraceSeize(os.Getppid()) },
	"environ":      func(pid int) error { return ignore(os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))) },
	"memory": func(pid int) error {
		f, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
		if err != nil {
			return err
		}
		return f.Close()
	},
	"its-root": func(pid int) error { return ignore(os.ReadDir(fmt.Sprintf("/proc/%d/root/", pid))) },
	"take-fd": func(pid int) error {
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			return err
		}
		return ignore(unix.PidfdGetfd(fd, 0, 0))
	},
	"limit": func(pid int) error {
		return unix.Prlimit(pid, unix.RLIMIT_CPU, &unix.Rlimit{Cur: 1000, Max: 1000}, nil)
	},
	"own-limit": func(int) error { return unix.Prlimit(0, unix.RLIMIT_CPU, nil, &unix.Rlimit{}) },
	"child": func(int) error {
		p, err := os.StartProcess("/proc/self/exe", []string{actor, "sleep"}, &os.ProcAttr{})
		if err != nil {
			return err
		}
		err = p.Kill()
		_, _ = p.Wait()
		return err
	},
	"type": func(fd int) error { c := byte('x'); return ioctl(fd, unix.TIOCSTI, unsafe.Pointer(&c)) },
	"type-high": func(fd int) error { // the kernel looks at the lower half of the request
		c := byte('x')
		return ioctl(fd, 1<<32|unix.TIOCSTI, unsafe.Pointer(&c))
	},
	"close":         func(fd int) error { return unix.Close(fd) },
	"connect4":      func(fd int) error { return unix.Connect(fd, &unix.SockaddrInet4{Port: 9, Addr: [4]byte{127, 0, 0, 1}}) },
	"keyring":       func(int) error { return ignore(unix.KeyctlGetKeyringID(unix.KEY_SPEC_USER_KEYRING, true)) },
	"shared-memory": func(int) error { return ignore(unix.SysvShmGet(0, 4096, 0o600|unix.IPC_CREAT)) },
	"ring":          func(int) error { return number(unix.Syscall(unix.SYS_IO_URING_SETUP, 0, 0, 0)) },
	"bpf":           func(int) error { return number(unix.Syscall(unix.SYS_BPF, 0, 0, 0)) },
}

func ioctl(fd int, request uintptr, p unsafe.Pointer) error {
	return number(unix.Syscall(unix.SYS_IOCTL, uintptr(fd), request, uintptr(p)))
}

func number(_, _ uintptr, errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

var netActs = map[string]func(a, b string) error{
	"dial": func(network, address string) error {
		c, err := net.DialTimeout(network, address, 5*time.Second)
		if err != nil {
			return err
		}
		if network[:3] == "udp" {
			_, err = c.Write([]byte("x"))
		}
		return errors.Join(err, c.Close())
	},
	"listen": func(network, address string) error {
		l, err := net.Listen(network, address)
		if err != nil {
			return err
		}
		return l.Close()
	},
	"socket": func(family, kind string) error {
		f, _ := strconv.Atoi(family)
		k, _ := strconv.Atoi(kind)
		return ignore(unix.Socket(f, k, 0))
	},
	"socket-high": func(string, string) error { // an int has no upper half
		return number(unix.Syscall(unix.SYS_SOCKET, 1<<32|unix.AF_INET, unix.SOCK_DGRAM, 0))
	},
	"raw": func(string, string) error { return ignore(unix.Socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP)) },
	"pair": func(kind, _ string) error {
		k, _ := strconv.Atoi(kind)
		return ignore(unix.Socketpair(unix.AF_UNIX, k|unix.SOCK_CLOEXEC, 0))
	},
}

// nest starts acts in a workspace of its own, and tells what came of them.
func nest(outer, inner string) error {
	temp, err := sandbox.MakeTemp()
	if err != nil {
		return err
	}
	p := sandbox.Workspace(temp, inner)
	p.Read = append(p.Read, outer)
	var told []string
	for _, d := range [][3]string{
		{"read", "read", outer + "/file"}, {"write inner", "write", inner + "/new"}, {"write outer", "write", outer + "/new"},
		{"key", "read", outer + "/../.ssh/id"},
	} {
		cmd := exec.Command("/proc/self/exe")
		cmd.Args = []string{actor, d[1] + " " + d[2]}
		if path, err := os.Executable(); err == nil {
			cmd.Path = path
		}
		if err := p.Wrap(cmd); err != nil {
			return err
		}
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%s: %w: %s", d[0], err, out)
		}
		told = append(told, d[0]+": "+strings.TrimSpace(string(out)))
	}
	fmt.Println(strings.Join(told, ", "))
	return sandbox.RemoveTemp(temp)
}
