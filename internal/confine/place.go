package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Open opens a regular file for reading. It does not wait, whatever stands there, and what is not a regular file it
// refuses with a *NotRegularError, before opening it if it can. A missing one is fs.ErrNotExist.
func (p Place) Open() (*os.File, fs.FileInfo, error) {
	root, name, err := p.root()
	if err != nil {
		return nil, nil, p.failed("open", err)
	}
	defer root.Close()
	f, info, err := openRegular(root, name, os.O_RDONLY)
	if err != nil {
		return nil, nil, p.failed("open", err)
	}
	return f, info, nil
}

// Stat describes what is there.
func (p Place) Stat() (fs.FileInfo, error) {
	root, name, err := p.root()
	if err != nil {
		return nil, p.failed("stat", err)
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err != nil {
		return nil, p.failed("stat", err)
	}
	return info, nil
}

// OpenRoot opens a folder, for those who look at all of it. The os.Root doesn't lead out of that folder.
func (p Place) OpenRoot() (*os.Root, error) {
	root, name, err := p.root()
	if err != nil {
		return nil, p.failed("open", err)
	}
	defer root.Close()
	info, err := root.Lstat(name)
	switch {
	case err != nil:
		return nil, p.failed("open", err)
	case !info.IsDir():
		return nil, fmt.Errorf("%s is %s, not a folder", p.asked, kind(info.Mode()))
	}
	folder, err := root.OpenRoot(name)
	if err != nil {
		return nil, p.failed("open", err)
	}
	return folder, nil
}

// root opens the root that the place is in. If that is a file, as an exception may be, or missing, it is the folder around
// it. The caller closes it.
func (p Place) root() (root *os.Root, name string, err error) {
	base, name := p.base, p.name
	if info, err := os.Lstat(base); err != nil || !info.IsDir() {
		name = filepath.Join(filepath.Base(base), name)
		base = filepath.Dir(base)
	}
	root, err = os.OpenRoot(base)
	return root, name, err
}

// openRegular opens a file that must be a regular one. A link that has come since the path was resolved is refused.
func openRegular(root *os.Root, name string, flag int) (*os.File, fs.FileInfo, error) {
	there, err := root.Lstat(name)
	switch {
	case err != nil:
		return nil, nil, err
	case !there.Mode().IsRegular():
		return nil, nil, &NotRegularError{Mode: there.Mode()} // opening a device may do something already
	}
	return openSame(root, name, flag, there)
}

// openSame opens a file that was there a moment ago, and no other.
func openSame(root *os.Root, name string, flag int, there fs.FileInfo) (*os.File, fs.FileInfo, error) {
	f, err := root.OpenFile(name, flag|nonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = &NotRegularError{Mode: info.Mode()}
	case !os.SameFile(info, there):
		err = errSwapped
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

var errSwapped = errors.New("another file took its place just now")

// failed makes an error about the path as it was given.
func (p Place) failed(op string, err error) error {
	var notRegular *NotRegularError
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &notRegular):
		return &NotRegularError{Path: p.asked, Mode: notRegular.Mode}
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return &fs.PathError{Op: op, Path: p.asked, Err: err}
}

// A NotRegularError says that something is not a file that can be read and written.
type NotRegularError struct {
	Path string // as it was given
	Mode fs.FileMode
}

func (e *NotRegularError) Error() string {
	return fmt.Sprintf("%s is %s, not a regular file", e.Path, kind(e.Mode))
}

// kind says in words what something is.
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a file"
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a link"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "something else"
}
