package store

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/patchbay-dev/patchbay/acp"
)

// What can be wrong with a session. They come within a *SessionError, ErrBusy within a *BusyError.
var (
	ErrUnknown = errors.New("there is no such session")
	ErrExpired = errors.New("the session has expired: it was removed because it had not been used for long")
	ErrExists  = errors.New("there is a session with this id already")
	ErrBusy    = errors.New("the session is in use")
	ErrDamaged = errors.New("what is stored of the session is damaged")
	ErrLost    = errors.New("the session is no longer held here")
)

// What can be wrong with the file. They come within a *FileError.
var (
	ErrNotStore    = errors.New("this is no database of sessions")
	ErrFileDamaged = errors.New("the database is damaged")
	ErrNewer       = errors.New("the database was made by a newer version of Patchbay")
	ErrReadOnly    = errors.New("the database can't be written")
	ErrFull        = errors.New("there is no space left for the database")
	ErrLocked      = errors.New("the database is locked by another process")
)

// What can be wrong with a call.
var (
	ErrClosed   = errors.New("the store of sessions is closed")
	ErrCursor   = errors.New("the cursor is not one of this list")
	ErrTooLarge = errors.New("too large to be stored")
)

// A SessionError says what is wrong with a session, and wraps one of the errors above.
type SessionError struct {
	ID  acp.SessionID
	Err error
}

func (e *SessionError) Error() string { return fmt.Sprintf("session %q: %s", string(e.ID), e.Err) }
func (e *SessionError) Unwrap() error { return e.Err }

// A BusyError says that a living process, which may be this one, has the session. It is ErrBusy.
type BusyError struct {
	ID    acp.SessionID
	Owner Owner
}

func (e *BusyError) Error() string {
	who := fmt.Sprintf("process %d on %s", e.Owner.PID, e.Owner.Host)
	if e.Owner.Self {
		who = "this process"
	}
	return fmt.Sprintf("session %q: %s by %s since %s", string(e.ID), ErrBusy, who, e.Owner.Since.Format(time.RFC3339))
}

func (e *BusyError) Is(target error) bool { return target == ErrBusy }

// A FileError says what is wrong with the file that has the sessions, which was left as it is.
type FileError struct {
	Path string
	Err  error
}

func (e *FileError) Error() string { return fmt.Sprintf("sessions in %s: %s", e.Path, e.Err) }
func (e *FileError) Unwrap() error { return e.Err }

// code returns what SQLite says, without details; 0 if it is not SQLite that speaks.
func code(err error) int {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code() & 0xff
}

// isCorrupt reports whether something in the file can't be read.
func isCorrupt(err error) bool {
	c := code(err)
	return c == lib.SQLITE_CORRUPT || c == lib.SQLITE_NOTADB
}

func isBusy(err error) bool {
	c := code(err)
	return c == lib.SQLITE_BUSY || c == lib.SQLITE_LOCKED
}

// fileError says which of the errors above a failure is, if it is one of the file. Any other stays as it is.
func fileError(path string, err error) error {
	if err == nil || errors.As(err, new(*FileError)) || errors.As(err, new(*SessionError)) {
		return err
	}
	kind := fileTrouble(err)
	switch {
	case kind != nil:
		return &FileError{path, fmt.Errorf("%w: %w", kind, err)}
	case code(err) != 0:
		return &FileError{path, err}
	}
	return err
}

func fileTrouble(err error) error {
	switch code(err) {
	case lib.SQLITE_CORRUPT:
		return ErrFileDamaged
	case lib.SQLITE_NOTADB:
		return ErrNotStore
	case lib.SQLITE_READONLY, lib.SQLITE_PERM:
		return ErrReadOnly
	case lib.SQLITE_FULL:
		return ErrFull
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return ErrLocked
	}
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return ErrFull
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return ErrReadOnly
	}
	return nil
}

// sessionError says what a failure means for a session: if rows of it can't be read, only this session is damaged as far as
// anyone knows.
func sessionError(id acp.SessionID, err error) error {
	if id != "" && isCorrupt(err) && !errors.As(err, new(*FileError)) {
		return &SessionError{id, fmt.Errorf("%w: %w", ErrDamaged, err)}
	}
	return err
}

func damaged(id acp.SessionID, format string, args ...any) error {
	return &SessionError{id, fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))}
}
