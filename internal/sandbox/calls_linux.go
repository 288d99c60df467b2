package sandbox

// machines are those that there is a filter for, as GOARCH has them. The numbers are written out, so that the filter of one
// can be tested on the other; a test compares them with those of x/sys.
var machines = map[string]*machine{
	"amd64": {
		arch: 0xc000_003e, x32: true,
		ioctl: 16, socket: 41, socketpair: 53, prlimit64: 302,
		metadata: append([]uint32{
			90, 91, 268, // chmod, fchmod, fchmodat
			92, 93, 94, 260, // chown, fchown, lchown, fchownat
			132, 235, 261, 280, // utime, utimes, futimesat, utimensat
			188, 189, 190, 197, 198, 199, // setxattr, lsetxattr, fsetxattr, removexattr, lremovexattr, fremovexattr
		}, newMetadata...),
		messages: []uint32{
			29, 30, 31, // shmget, shmat, shmctl
			64, 65, 66, 220, // semget, semop, semctl, semtimedop
			68, 69, 70, 71, // msgget, msgsnd, msgrcv, msgctl
			240, 241, // mq_open, mq_unlink
		},
		escapes:   []uint32{248, 249, 250, 304, 321, 298}, // add_key, request_key, keyctl, open_by_handle_at, bpf, perf_event_open
		uncounted: rings,
	},
	"arm64": {
		arch:  0xc000_00b7,
		ioctl: 29, socket: 198, socketpair: 199, prlimit64: 261,
		metadata: append([]uint32{
			52, 53, // fchmod, fchmodat
			54, 55, // fchownat, fchown
			88,                  // utimensat
			5, 6, 7, 14, 15, 16, // setxattr, lsetxattr, fsetxattr, removexattr, lremovexattr, fremovexattr
		}, newMetadata...),
		messages: []uint32{
			194, 195, 196, // shmget, shmctl, shmat
			190, 191, 192, 193, // semget, semctl, semtimedop, semop
			186, 187, 188, 189, // msgget, msgctl, msgrcv, msgsnd
			180, 181, // mq_open, mq_unlink
		},
		escapes:   []uint32{217, 218, 219, 265, 280, 241}, // as above
		uncounted: rings,
	},
}

// newMetadata are calls so new that they have the same number everywhere: fchmodat2, setxattrat, removexattrat, file_setattr.
var newMetadata = []uint32{452, 463, 466, 469}

// rings are those of io_uring, whose work no filter sees. Programs that would use it make do without where it is missing.
var rings = []uint32{425, 426, 427}
