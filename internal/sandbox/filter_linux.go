package sandbox

import (
	"errors"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data, whose arguments are 64 bits each, on little-endian machines.
const (
	offsetCall = 0
	offsetArch = 4
	offsetArgs = 16
)

// x32 marks calls of a second interface to the same kernel, whose numbers would slip past a filter for the first.
const x32 = 0x4000_0000

// A filter is a program of the kernel's classic BPF that looks at each system call.
type filter []unix.SockFilter

func (f *filter) add(code uint16, k uint32) { f.jump(code, k, 0, 0) }

// jump adds an instruction that skips so many others if its test holds, and so many if it doesn't.
func (f *filter) jump(code uint16, k uint32, yes, no uint8) {
	*f = append(*f, unix.SockFilter{Code: code, Jt: yes, Jf: no, K: k})
}

func (f *filter) load(offset uint32) { f.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, offset) }

// arg loads the lower half of an argument. The kernel doesn't look at the upper one of an int either, so that who compares
// all of it can be fooled.
func (f *filter) arg(n uint32) { f.load(offsetArgs + 8*n) }

// equal skips the next instructions unless the value is k.
func (f *filter) equal(k uint32, otherwise uint8) {
	f.jump(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, k, 0, otherwise)
}

func (f *filter) allow() { f.add(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ALLOW) }

func (f *filter) refuse(errno unix.Errno) {
	f.add(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ERRNO|uint32(errno))
}

// on adds a block that decides about one call. It has to return in all cases.
func (f *filter) on(call uint32, decide func(f *filter)) {
	var block filter
	decide(&block)
	f.equal(call, uint8(len(block)))
	*f = append(*f, block...)
}

// refuseAll refuses some calls.
func (f *filter) refuseAll(errno unix.Errno, calls ...uint32) {
	for _, call := range calls {
		f.on(call, func(f *filter) { f.refuse(errno) })
	}
}

// A machine is a processor's numbers of the calls that not all have.
type machine struct {
	arch                                   uint32 // as audit has it
	ioctl, prlimit64, socket, socketpair   uint32
	metadata, messages, escapes, uncounted []uint32
	x32                                    bool
}

// filter returns the program for this machine.
func (o order) filter() (filter, error) {
	m := machines[runtime.GOARCH]
	if m == nil {
		return nil, errors.New("there is no filter of system calls for processors of the kind " + runtime.GOARCH)
	}
	return o.filterFor(m), nil
}

func (o order) filterFor(m *machine) filter {
	var f filter
	f.load(offsetArch)
	f.jump(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, m.arch, 1, 0)
	f.add(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_KILL_PROCESS) // the calls of 32-bit programs have other numbers
	f.load(offsetCall)
	if m.x32 {
		f.jump(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, x32, 0, 1)
		f.refuse(unix.ENOSYS)
	}
	f.on(m.ioctl, decideIoctl)
	f.on(m.prlimit64, decidePrlimit)
	f.on(m.socket, o.decideSocket)
	f.on(m.socketpair, decideSocketpair)
	f.refuseAll(unix.ENOSYS, m.uncounted...)
	f.refuseAll(unix.EPERM, m.escapes...)
	if !o.Network {
		f.refuseAll(unix.EACCES, m.messages...)
	}
	if o.Frozen {
		f.refuseAll(unix.EPERM, m.metadata...)
	}
	f.allow()
	return f
}

// decideSocket refuses all families of sockets but those of the Internet, where they are allowed, with what programs need to
// know about their network. Without any socket but a pair, there is nothing to connect or to send from.
func (o order) decideSocket(f *filter) {
	if o.Network {
		f.arg(0)
		for _, family := range []uint32{unix.AF_INET, unix.AF_INET6} {
			f.equal(family, 1)
			f.allow()
		}
		f.equal(unix.AF_NETLINK, 3)
		f.arg(2)
		f.equal(unix.NETLINK_ROUTE, 1)
		f.allow()
	}
	f.refuse(unix.EACCES)
}

// decideSocketpair refuses pairs that can be taken apart: one end of a pair of datagram sockets can send to any other, or
// be connected to it.
func decideSocketpair(f *filter) {
	const kind = 0xf // of the second argument, the rest are flags
	f.arg(0)
	f.jump(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, unix.AF_UNIX, 1, 0)
	f.refuse(unix.EACCES)
	f.arg(1)
	f.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, kind)
	f.equal(unix.SOCK_DGRAM, 1)
	f.refuse(unix.EACCES)
	f.equal(unix.SOCK_RAW, 1) // is taken for SOCK_DGRAM
	f.refuse(unix.EACCES)
	f.allow()
}

// Requests of ioctl that x/sys doesn't have for all machines. They are the same on those that there is a filter for.
const (
	fsIocSetFlags     = 0x4008_6602 // chattr
	fsIoc32SetFlags   = 0x4004_6602
	fsIocSetXattr     = 0x401c_5820
	fsIocEnableVerity = 0x4080_6685
	fsIocSetPolicy    = 0x800c_6613 // encryption
	fsIocSetVersion   = 0x4008_7602
)

// decideIoctl refuses typing at the user's terminal, and changing attributes of files that are only open for reading.
func decideIoctl(f *filter) {
	f.arg(1)
	for _, request := range []uint32{
		unix.TIOCSTI, unix.TIOCLINUX, fsIocSetFlags, fsIoc32SetFlags, fsIocSetXattr, fsIocEnableVerity, fsIocSetPolicy, fsIocSetVersion,
	} {
		f.equal(request, 1)
		f.refuse(unix.EPERM)
	}
	f.allow()
}

// decidePrlimit refuses the limits of others: who sets a process's processor time to zero has killed it.
func decidePrlimit(f *filter) {
	f.arg(0)
	f.equal(0, 1)
	f.allow()
	f.refuse(unix.EPERM)
}

// install puts the calling thread, and all that comes of it, under the filter.
func install(f filter) error {
	program := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return errno
	}
	return nil
}
