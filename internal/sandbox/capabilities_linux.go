package sandbox

import "golang.org/x/sys/unix"

// The capabilities that root keeps: those with which it works on the files of other users, which Landlock bounds.
const (
	readCapabilities  = 1 << unix.CAP_DAC_OVERRIDE
	writeCapabilities = readCapabilities | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID
)

// dropCapabilities gives up the others. They are not got back by starting a program, since there are no new privileges.
func dropCapabilities(readOnly bool) error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return err
	}
	keep := uint32(writeCapabilities)
	if readOnly {
		keep = readCapabilities
	}
	keep &= data[0].Permitted
	data[0] = unix.CapUserData{Effective: keep, Permitted: keep}
	data[1] = unix.CapUserData{}
	return unix.Capset(&header, &data[0])
}
