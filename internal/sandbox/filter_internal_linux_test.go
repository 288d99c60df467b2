//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// A call is what the kernel shows a filter.
type call struct {
	nr, arch uint32
	args     [6]uint64
}

// evaluate runs a filter as the kernel would, and returns its verdict.
func (f filter) evaluate(c call) (verdict uint32, err error) {
	data := binary.LittleEndian.AppendUint32(nil, c.nr)
	data = binary.LittleEndian.AppendUint32(data, c.arch)
	data = binary.LittleEndian.AppendUint64(data, 0) // the instruction pointer
	for _, arg := range c.args {
		data = binary.LittleEndian.AppendUint64(data, arg)
	}
	var a uint32
	for pc := 0; pc < len(f); pc++ {
		in := f[pc]
		skip := func(yes bool) {
			if yes {
				pc += int(in.Jt)
			} else {
				pc += int(in.Jf)
			}
		}
		switch in.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			a = binary.LittleEndian.Uint32(data[in.K:])
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			a &= in.K
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			skip(a == in.K)
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			skip(a >= in.K)
		case unix.BPF_RET | unix.BPF_K:
			return in.K, nil
		default:
			return 0, fmt.Errorf("instruction %d is unknown: %+v", pc, in)
		}
	}
	return 0, fmt.Errorf("no verdict about %+v", c)
}

func errno(e unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }

func TestTheFilterOfEachMachine(t *testing.T) {
	const allow = unix.SECCOMP_RET_ALLOW
	for name, m := range machines {
		with := func(nr uint32, args ...uint64) call {
			c := call{nr: nr, arch: m.arch}
			copy(c.args[:], args)
			return c
		}
		closed, open := order{Frozen: true}, order{Network: true}
		type verdicts struct {
			what         string
			call         call
			closed, open uint32
		}
		tests := []verdicts{
			{"the calls of another machine", call{nr: 0, arch: 0x4000_0003}, unix.SECCOMP_RET_KILL_PROCESS, unix.SECCOMP_RET_KILL_PROCESS},
			{"an ordinary call", with(1000), allow, allow},
			{"a socket of the Internet", with(m.socket, unix.AF_INET, unix.SOCK_STREAM), errno(unix.EACCES), allow},
			{"a socket of the Internet, version 6", with(m.socket, unix.AF_INET6, unix.SOCK_DGRAM), errno(unix.EACCES), allow},
			{"a Unix socket", with(m.socket, unix.AF_UNIX, unix.SOCK_STREAM), errno(unix.EACCES), errno(unix.EACCES)},
			{"a Unix socket, with more in the upper half", with(m.socket, 1<<32|unix.AF_UNIX), errno(unix.EACCES), errno(unix.EACCES)},
			{"packets", with(m.socket, unix.AF_PACKET, unix.SOCK_RAW), errno(unix.EACCES), errno(unix.EACCES)},
			{"routes", with(m.socket, unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE), errno(unix.EACCES), allow},
			{"audit", with(m.socket, unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT), errno(unix.EACCES), errno(unix.EACCES)},
			{"a pair", with(m.socketpair, unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC), allow, allow},
			{"a pair of datagrams", with(m.socketpair, unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK), errno(unix.EACCES), errno(unix.EACCES)},
			{"a pair of others", with(m.socketpair, unix.AF_TIPC, unix.SOCK_STREAM), errno(unix.EACCES), errno(unix.EACCES)},
			{"asking a terminal", with(m.ioctl, 0, unix.TIOCGWINSZ), allow, allow},
			{"typing at a terminal", with(m.ioctl, 0, 1<<63|unix.TIOCSTI), errno(unix.EPERM), errno(unix.EPERM)},
			{"one's own limits", with(m.prlimit64, 0), allow, allow},
			{"another's limits", with(m.prlimit64, 1), errno(unix.EPERM), errno(unix.EPERM)},
		}
		for _, nr := range m.metadata {
			tests = append(tests, verdicts{"metadata", with(nr), errno(unix.EPERM), allow})
		}
		for _, nr := range m.messages {
			tests = append(tests, verdicts{"messages", with(nr), errno(unix.EACCES), allow})
		}
		for _, nr := range m.escapes {
			tests = append(tests, verdicts{"escapes", with(nr), errno(unix.EPERM), errno(unix.EPERM)})
		}
		for _, nr := range m.uncounted {
			tests = append(tests, verdicts{"rings", with(nr), errno(unix.ENOSYS), errno(unix.ENOSYS)})
		}
		if m.x32 {
			tests = append(tests, verdicts{"x32", with(x32 | m.socket), errno(unix.ENOSYS), errno(unix.ENOSYS)})
		}
		for _, test := range tests {
			for i, o := range []order{closed, open} {
				want := []uint32{test.closed, test.open}[i]
				if got, err := o.filterFor(m).evaluate(test.call); err != nil || got != want {
					t.Errorf("%s, %s (%d), policy %+v: %#x, %v, want %#x", name, test.what, test.call.nr, o, got, err, want)
				}
			}
		}
	}
}

// The numbers are those of the machine that runs the test.
func TestTheNumbersOfCalls(t *testing.T) {
	m := machines[runtime.GOARCH]
	for name, pair := range map[string][2]uint32{
		"ioctl": {m.ioctl, unix.SYS_IOCTL}, "prlimit64": {m.prlimit64, unix.SYS_PRLIMIT64},
		"socket": {m.socket, unix.SYS_SOCKET}, "socketpair": {m.socketpair, unix.SYS_SOCKETPAIR},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %d, not %d", name, pair[1], pair[0])
		}
	}
	for name, test := range map[string]struct{ got, want []uint32 }{
		"messages": {m.messages, []uint32{
			unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMCTL, unix.SYS_SEMTIMEDOP,
			unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
		}},
		"escapes": {m.escapes, []uint32{
			unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN,
		}},
		"rings": {m.uncounted, []uint32{unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER}},
		"metadata": {m.metadata, append(oldMetadata, unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT,
			unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR,
			unix.SYS_FCHMODAT2, unix.SYS_SETXATTRAT, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR)},
	} {
		got, want := slices.Sorted(slices.Values(test.got)), slices.Sorted(slices.Values(test.want))
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestGapsOfOldKernels(t *testing.T) {
	for abi, want := range map[int]int{3: 2, 4: 2, 5: 1, 6: 0, 7: 0, 11: 0, 99: 0} {
		if got := gaps(abi); len(got) != want {
			t.Errorf("Landlock %d has gaps %q", abi, got)
		}
	}
}
