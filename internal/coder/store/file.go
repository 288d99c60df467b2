package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// fileName is the database's, in the directory of the store.
const fileName = "sessions.db"

// freshName is how files begin that become one.
const freshName = fileName + ".new-"

// inUse are the database files that this process has open. Whoever closes a file that SQLite has open in the same process
// drops SQLite's locks on it (they are POSIX locks), and another process may then delete the log that is being written. So a
// file is looked at only while no store has it.
var inUse struct {
	mu    sync.Mutex
	files []fs.FileInfo
}

// claim looks whether the file is a database of sessions, makes it if there is none, and notes that it is open. All of it is
// one step for the stores of this process.
func claim(ctx context.Context, path string, steps []string) (release func(), err error) {
	inUse.mu.Lock()
	defer inUse.mu.Unlock()
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := create(ctx, path, steps); err != nil {
			return nil, err
		}
		info, err = os.Stat(path)
	}
	if err != nil {
		return nil, err
	}
	if !openHere(info) {
		if err := look(path, info, len(steps)); err != nil {
			return nil, err
		}
	}
	inUse.files = append(inUse.files, info)
	return func() {
		inUse.mu.Lock()
		defer inUse.mu.Unlock()
		for i, f := range inUse.files {
			if os.SameFile(f, info) {
				inUse.files = append(inUse.files[:i], inUse.files[i+1:]...)
				return
			}
		}
	}, nil
}

func openHere(info fs.FileInfo) bool {
	for _, f := range inUse.files {
		if os.SameFile(f, info) {
			return true
		}
	}
	return false
}

// look checks what can be seen from outside, before SQLite, which takes an empty file for a new database and tidies up beside
// one that it opens. A file of ours is never empty, not even for a moment: see create.
func look(path string, info fs.FileInfo, newest int) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: it is %s", ErrNotStore, kindOf(info))
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	header := make([]byte, 100)
	switch n, err := io.ReadFull(f, header); {
	case err == io.EOF:
		return fmt.Errorf("%w: it is empty", ErrFileDamaged)
	case err == io.ErrUnexpectedEOF:
		return fmt.Errorf("%w: it ends after %d bytes", ErrFileDamaged, n)
	case err != nil:
		return err
	}
	if !strings.HasPrefix(string(header), "SQLite format 3\x00") {
		return fmt.Errorf("%w: it does not begin as one", ErrNotStore)
	}
	if id := binary.BigEndian.Uint32(header[68:]); id != applicationID {
		return fmt.Errorf("%w: it belongs to another application", ErrNotStore)
	}
	if version := binary.BigEndian.Uint32(header[60:]); version > uint32(newest) {
		return fmt.Errorf("%w: it has version %d, and version %d is the newest that is understood", ErrNewer, version, newest)
	}
	switch size := pageSize(header); {
	case size < 512 || size&(size-1) != 0:
		return fmt.Errorf("%w: its pages have %d bytes", ErrFileDamaged, size)
	case info.Size()%size != 0 && !isLogged(path):
		return fmt.Errorf("%w: it ends within a page", ErrFileDamaged)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return f.Chmod(0o600)
	}
	return nil
}

// pageSize returns how large the pages of a database are, in bytes.
func pageSize(header []byte) int64 {
	size := int64(binary.BigEndian.Uint16(header[16:]))
	if size == 1 {
		return 65536
	}
	return size
}

// isLogged reports whether there is a log, which may have what the database lacks.
func isLogged(path string) bool {
	info, err := os.Stat(path + "-wal")
	return err == nil && info.Size() > 0
}

func kindOf(info fs.FileInfo) string {
	if info.IsDir() {
		return "a directory"
	}
	return "no regular file"
}

// create makes the database beside its place and puts it there when it is whole. So a process that is killed leaves no half
// of one, and of two that do it at once the second takes the first one's.
func create(ctx context.Context, path string, steps []string) error {
	tidy(filepath.Dir(path))
	f, err := os.CreateTemp(filepath.Dir(path), freshName+"*") // for the user only
	if err != nil {
		return err
	}
	fresh := f.Name()
	defer func() {
		for _, suffix := range []string{"", "-journal", "-wal", "-shm"} {
			_ = os.Remove(fresh + suffix) // there may be nothing to remove
		}
	}()
	if err := f.Close(); err != nil {
		return err
	}
	if err := fill(ctx, fresh, steps); err != nil {
		return err
	}
	err = os.Link(fresh, path)
	switch {
	case err == nil, errors.Is(err, fs.ErrExist):
		return nil
	}
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	return os.Rename(fresh, path) // the file system has no links
}

// tidy removes what processes have left that were killed in create. What is not old may be at work still.
func tidy(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // which whoever needs the directory will say
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), freshName) && time.Since(info.ModTime()) > time.Hour {
			_ = os.Remove(filepath.Join(dir, e.Name())) // or it stays
		}
	}
}

func fill(ctx context.Context, path string, steps []string) (err error) {
	db, err := sql.Open("sqlite", source(path, "synchronous(FULL)", "auto_vacuum(INCREMENTAL)"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
		return err
	}
	if err := migrate(ctx, conn, steps); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, "PRAGMA journal_mode = WAL")
	return err
}

// source names a database file that exists for package sql, with pragmas for each connection.
func source(path string, pragmas ...string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // of Windows, C:/…
	}
	values := url.Values{"mode": {"rw"}, "_pragma": pragmas}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: values.Encode()}).String()
}
