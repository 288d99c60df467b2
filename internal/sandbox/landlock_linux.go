package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// What may be done with files and, below folders, with what is in them. Devices are neither made nor controlled.
const (
	readFile  landlock.AccessFSSet = ll.AccessFSExecute | ll.AccessFSReadFile
	readTree                       = readFile | ll.AccessFSReadDir
	writeFile                      = readFile | ll.AccessFSWriteFile | ll.AccessFSTruncate
	writeTree                      = writeFile | readTree | ll.AccessFSRemoveDir | ll.AccessFSRemoveFile | ll.AccessFSMakeDir |
		ll.AccessFSMakeReg | ll.AccessFSMakeSock | ll.AccessFSMakeFifo | ll.AccessFSMakeSym | ll.AccessFSRefer
	useDevice landlock.AccessFSSet = ll.AccessFSReadFile | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSIoctlDev
)

// versions are what each version of Landlock can refuse, from minABI on. What is left out here is not refused.
var versions = []landlock.Config{
	landlock.V3, landlock.V4, landlock.V5, landlock.V6, landlock.V7, landlock.V8, landlock.V9, landlock.V10, landlock.V11,
}

// landlockABI returns the version of Landlock, or 0.
func landlockABI() int {
	abi, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	// The first kernels with version 6 held signals between the threads of one process (erratum 2). The library does not
	// use that version there, and so can't we.
	if errata, err := ll.LandlockGetErrata(); abi >= 6 && (err != nil || errata&2 == 0) {
		return 5
	}
	return abi
}

// ruleset makes the set of rules that restrict then enforces.
func (o order) ruleset() (fd int, err error) {
	abi := landlockABI()
	if abi < minABI {
		return -1, fmt.Errorf("the kernel's Landlock has version %d, and %d is needed", abi, minABI)
	}
	config := versions[min(abi-minABI, len(versions)-1)]
	if o.Network {
		config.HandledAccessNet = 0
	}
	var rules []landlock.Rule
	var held []int
	defer func() {
		for _, fd := range held {
			_ = unix.Close(fd)
		}
	}()
	add := func(path string, file, tree landlock.AccessFSSet) error {
		fd, isDir, err := hold(path)
		if err != nil {
			return err
		}
		held = append(held, fd)
		access := file
		if isDir {
			access = tree
		}
		rules = append(rules, landlock.PathAccess(access&config.HandledAccessFS, "/proc/self/fd/"+strconv.Itoa(fd)))
		return nil
	}
	for _, path := range o.Write {
		if err := add(path, writeFile, writeTree); err != nil {
			return -1, fmt.Errorf("what may be changed: %s: %w", path, err)
		}
	}
	for _, path := range o.Read {
		if err := add(path, readFile, readTree); err != nil && !isOutOfReach(err) {
			return -1, fmt.Errorf("what may be read: %s: %w", path, err)
		}
	}
	for _, path := range devices {
		if err := add(path, useDevice, 0); err != nil && !isOutOfReach(err) {
			return -1, fmt.Errorf("%s: %w", path, err)
		}
	}
	fd, _, err = config.NewRulesetFD(rules...)
	return fd, err
}

// isOutOfReach reports whether a file could not be opened because it isn't there, or isn't any more what it was, or because
// this user can't get at it anyway.
func isOutOfReach(err error) bool {
	return slices.Contains([]error{unix.ENOENT, unix.ENOTDIR, unix.ELOOP, unix.EACCES}, err)
}

// hold opens a file for a rule. The path has been cleared of links: if there is one now, someone has put it there since.
func hold(path string) (fd int, isDir bool, err error) {
	fd, err = unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return -1, false, err
	}
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		_ = unix.Close(fd)
		return -1, false, err
	}
	return fd, stat.Mode&unix.S_IFMT == unix.S_IFDIR, nil
}

// restrict binds the calling thread. The library would bind all, but only this one goes on.
func restrict(ruleset int) error {
	err := ll.LandlockRestrictSelf(ruleset, 0)
	if errors.Is(err, unix.E2BIG) {
		return errors.New("too many sandboxes inside of each other")
	}
	return err
}
