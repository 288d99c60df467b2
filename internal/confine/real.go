package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks is how many links a path may lead through. Linux allows 40.
const maxLinks = 40

// Real returns an absolute path without links, also for what isn't there yet, for those who compare paths and open nothing
// (see policy.Policy.Real).
func Real(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("%q is no absolute path", path)
	}
	return realPath(path)
}

// realPath returns an absolute path without links. What is missing is kept as it is written. Another failure comes with
// the path as far as it is known, and the rest as it is written.
//
// It is filepath.EvalSymlinks for paths that need not exist, with ".." as the kernel takes it: the parent of where a link
// leads to.
func realPath(path string) (string, error) {
	volume := filepath.VolumeName(path)
	w := walk{top: volume + string(filepath.Separator), rest: parts(path[len(volume):])}
	w.real = w.top
	err := w.run()
	for _, name := range w.rest {
		w.step(name)
	}
	return w.real, err
}

// A walk goes down a path.
type walk struct {
	top   string // of the volume
	real  string // where it is: absolute, without links
	rest  []string
	links int
}

// run goes on as long as there is something, and returns an error unless that ends because the next name is missing.
func (w *walk) run() error {
	for len(w.rest) > 0 {
		name := w.rest[0]
		next := filepath.Join(w.real, name)
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case info.Mode()&fs.ModeSymlink == 0 || name == "..":
			w.step(name)
			w.rest = w.rest[1:]
		default:
			if err := w.follow(next); err != nil {
				return err
			}
		}
	}
	return nil
}

// step goes to a name that is no link.
func (w *walk) step(name string) { w.real = filepath.Join(w.real, name) }

// follow puts what a link says in the place of its name.
func (w *walk) follow(link string) error {
	if w.links++; w.links > maxLinks {
		return &fs.PathError{Op: "follow", Path: link, Err: syscall.ELOOP}
	}
	target, err := os.Readlink(link)
	if err != nil {
		return err
	}
	if filepath.IsAbs(target) {
		volume := filepath.VolumeName(target)
		w.top = volume + string(filepath.Separator)
		w.real = w.top
		target = target[len(volume):]
	}
	w.rest = append(parts(target), w.rest[1:]...)
	return nil
}

// parts returns the names that a path without its volume consists of.
func parts(path string) []string {
	names := strings.FieldsFunc(path, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
	kept := names[:0]
	for _, name := range names {
		if name != "." {
			kept = append(kept, name)
		}
	}
	return kept
}
