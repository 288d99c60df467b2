package confine

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile makes the file, and the folders above it, or replaces what it holds, with these bytes.
//
// It is whole or not at all (F156): the content goes to a file of its own beside it, is handed to the disk, and takes the
// name then. Permissions and, where that is allowed, the owner are kept; a new file has those that the process's umask
// gives. A file that this process may not write stays as it is, even where its folder may be written.
//
// Where the folder takes no new file, or won't let the old one be replaced, the file is written in place. A crash may
// interrupt that; on an error, such as a full disk, it gets back what it held.
func (p Place) WriteFile(content []byte) error {
	root, name, err := p.root()
	if err != nil {
		return p.failed("write", err)
	}
	defer root.Close()
	if err := write(root, name, content); err != nil {
		return p.failed("write", err)
	}
	return nil
}

// MakeFolder makes the folders above the file, with the permissions that the process's umask gives.
func (p Place) MakeFolder() error {
	root, name, err := p.root()
	if err != nil {
		return p.failed("mkdir", err)
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return p.failed("mkdir", err)
	}
	return nil
}

func write(root *os.Root, name string, content []byte) error {
	if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	old, err := writable(root, name)
	if err != nil {
		return err
	}
	err = replace(root, name, content, old)
	if err == nil || old == nil || !refused(err) {
		return err
	}
	return overwrite(root, name, content)
}

// writable describes a file that exists, and is nil for one that doesn't. That the file may be written is found out by
// opening it.
func writable(root *os.Root, name string) (fs.FileInfo, error) {
	f, info, err := openRegular(root, name, os.O_WRONLY)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return info, f.Close()
}

// replace writes to a new file and gives it the name.
func replace(root *os.Root, name string, content []byte, old fs.FileInfo) (err error) {
	perm := fs.FileMode(0o666)
	if old != nil {
		perm = 0o600 // until it has the owner and the permissions of the old one
	}
	temp := filepath.Join(filepath.Dir(name), ".patchbay-"+rand.Text()+".tmp")
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = root.Remove(temp)
		}
	}()
	if err := errors.Join(fill(f, content, old), f.Close()); err != nil {
		return err
	}
	return root.Rename(temp, name)
}

// fill writes a new file and makes it look like the old one.
func fill(f *os.File, content []byte, old fs.FileInfo) error {
	if _, err := f.Write(content); err != nil {
		return err
	}
	if old != nil {
		if err := keepOwner(f, old); err != nil {
			return err
		}
		if err := f.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	return f.Sync()
}

// overwrite writes a file where it is. If that fails, it puts back what was there: the file has room for that. The file is cut
// last, so that the room is not given away before.
func overwrite(root *os.Root, name string, content []byte) error {
	f, _, err := openRegular(root, name, os.O_RDWR)
	if err != nil {
		return err
	}
	old, err := io.ReadAll(f)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	if err = fillInPlace(f, content); err != nil {
		err = errors.Join(err, fillInPlace(f, old))
	}
	return errors.Join(err, f.Close())
}

func fillInPlace(f *os.File, content []byte) error {
	if _, err := f.WriteAt(content, 0); err != nil {
		return err
	}
	if err := f.Truncate(int64(len(content))); err != nil {
		return err
	}
	return f.Sync()
}
