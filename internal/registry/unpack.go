package registry

import (
	"archive/tar"
	"archive/zip"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Limits of an archive's content.
const (
	maxUnpacked = 4 << 30 // bytes
	maxEntries  = 200_000
)

// An unpacker puts the entries of an archive below a root, which the system keeps them in: neither a name nor a link leads out
// of it.
type unpacker struct {
	root    *os.Root
	bytes   int64 // that may still come
	entries int
}

// unpack unpacks an archive by the end of its name. What has no such end is the program itself.
func unpack(archive *os.File, name, cmd string, root *os.Root) error {
	if _, err := archive.Seek(0, io.SeekStart); err != nil {
		return err
	}
	u := &unpacker{root: root, bytes: maxUnpacked, entries: maxEntries}
	switch name = strings.ToLower(name); {
	case strings.HasSuffix(name, ".tar.gz"), strings.HasSuffix(name, ".tgz"):
		z, err := gzip.NewReader(archive)
		if err != nil {
			return err
		}
		return u.tar(z)
	case strings.HasSuffix(name, ".tar.bz2"), strings.HasSuffix(name, ".tbz2"):
		return u.tar(bzip2.NewReader(archive))
	case strings.HasSuffix(name, ".tar"):
		return u.tar(archive)
	case strings.HasSuffix(name, ".zip"):
		return u.zip(archive)
	case strings.HasSuffix(name, ".tar.xz"), strings.HasSuffix(name, ".tar.zst"), strings.HasSuffix(name, ".7z"), strings.HasSuffix(name, ".dmg"):
		return fmt.Errorf("archives such as %s can't be unpacked here", name)
	}
	return u.file(cmd, 0o755, archive)
}

func (u *unpacker) tar(r io.Reader) error {
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch h.Typeflag {
		case tar.TypeDir:
			err = u.dir(h.Name)
		case tar.TypeReg:
			err = u.file(h.Name, h.FileInfo().Mode(), t)
		case tar.TypeSymlink:
			err = u.link(h.Name, h.Linkname)
		case tar.TypeLink:
			err = u.hardLink(h.Name, h.Linkname)
		case tar.TypeXGlobalHeader:
		default:
			err = errors.New("neither a file nor a folder nor a link")
		}
		if err != nil {
			return fmt.Errorf("%q: %w", h.Name, err)
		}
	}
}

func (u *unpacker) zip(archive *os.File) error {
	info, err := archive.Stat()
	if err != nil {
		return err
	}
	z, err := zip.NewReader(archive, info.Size())
	if err != nil {
		return err
	}
	for _, f := range z.File {
		if err := u.zipped(f); err != nil {
			return fmt.Errorf("%q: %w", f.Name, err)
		}
	}
	return nil
}

func (u *unpacker) zipped(f *zip.File) error {
	mode := f.Mode()
	if mode.IsDir() {
		return u.dir(f.Name)
	}
	if mode&fs.ModeType != 0 && mode&fs.ModeType != fs.ModeSymlink {
		return errors.New("neither a file nor a folder nor a link")
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	if mode&fs.ModeSymlink == 0 {
		return u.file(f.Name, mode, r)
	}
	target, err := io.ReadAll(io.LimitReader(r, 4<<10))
	if err != nil {
		return err
	}
	return u.link(f.Name, string(target))
}

// local returns the path of an entry. Names that lead elsewhere are refused, also those that only another system reads so.
func (u *unpacker) local(name string) (string, error) {
	if u.entries--; u.entries < 0 {
		return "", fmt.Errorf("there are more than %d entries", maxEntries)
	}
	clean := path.Clean(name)
	if strings.ContainsAny(name, "\\\x00") || path.IsAbs(name) || !filepath.IsLocal(filepath.FromSlash(clean)) {
		return "", errors.New("it leads out of the folder")
	}
	return filepath.FromSlash(clean), nil
}

func (u *unpacker) dir(name string) error {
	name, err := u.local(name)
	if err != nil {
		return err
	}
	return u.root.MkdirAll(name, 0o755)
}

// parent makes the folder of an entry.
func (u *unpacker) parent(name string) error {
	if dir := filepath.Dir(name); dir != "." {
		return u.root.MkdirAll(dir, 0o755)
	}
	return nil
}

// file writes a file that isn't there yet: an archive has no reason to write one twice, nor through a link of its own.
func (u *unpacker) file(name string, mode fs.FileMode, from io.Reader) (err error) {
	name, err = u.local(name)
	if err != nil {
		return err
	}
	if err := u.parent(name); err != nil {
		return err
	}
	f, err := u.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644|mode.Perm()&0o111)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, io.LimitReader(from, u.bytes+1))
	if u.bytes -= n; err == nil && u.bytes < 0 {
		err = fmt.Errorf("the content is larger than %d MiB", maxUnpacked>>20)
	}
	return errors.Join(err, f.Close())
}

// link makes a symbolic link to something in the folder.
func (u *unpacker) link(name, target string) error {
	name, err := u.local(name)
	if err != nil {
		return err
	}
	if path.IsAbs(target) || strings.Contains(target, `\`) || !filepath.IsLocal(filepath.Join(filepath.Dir(name), filepath.FromSlash(target))) {
		return errors.New("it is a link that leads out of the folder")
	}
	if err := u.parent(name); err != nil {
		return err
	}
	return u.root.Symlink(filepath.FromSlash(target), name)
}

func (u *unpacker) hardLink(name, target string) error {
	name, err := u.local(name)
	if err != nil {
		return err
	}
	if target, err = u.local(target); err != nil {
		return fmt.Errorf("it is a link to %q: %w", target, err)
	}
	if err := u.parent(name); err != nil {
		return err
	}
	return u.root.Link(target, name)
}
