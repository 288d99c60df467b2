package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// A Log is a file of decisions. It may be used by several goroutines, and the file by several processes.
type Log struct {
	path string

	mu   sync.Mutex // guards last
	last Head       // the newest line that was seen
}

// A Head is the end of a log.
type Head struct {
	Lines int    `json:"lines"`
	Hash  string `json:"hash"` // of the last line; "" if there is none
}

// OpenLog returns the log in a file, and makes the file, and its folder, if it isn't there. It fails if nothing could be
// added to it: then is the time to say so, before anything has been asked.
func OpenLog(path string) (*Log, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open the audit log: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("open the audit log: %w", err)
	}
	l := &Log{path: path}
	if err := l.locked(func(*os.File, int64) error { return nil }); err != nil {
		return nil, fmt.Errorf("open the audit log: %w", err)
	}
	return l, nil
}

// Path returns the file's absolute path.
func (l *Log) Path() string { return l.path }

// Head returns the end of the log as it was after the last line that this Log has written, or when it was opened.
func (l *Log) Head() Head {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// Append adds a line for a decision. It sets the number, the time if that is not set, and the hash. When it returns, the
// line is on the disk. If it fails, the line is not there, and the decision must not be acted upon.
func (l *Log) Append(e Entry) error {
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	e.Time = e.Time.UTC()
	err := l.locked(func(f *os.File, size int64) error {
		e.N, e.Prev = l.last.Lines+1, l.last.Hash
		line, err := json.Marshal(e.bounded(), json.Deterministic(true))
		if err != nil {
			return err
		}
		if err := add(f, size, append(line, '\n')); err != nil {
			return err
		}
		l.last = Head{e.N, hashOf(line)}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write the audit log: %w", err)
	}
	return nil
}

// add writes a line at the end of a file. What was written of it is taken back if the rest can't be: on a full disk, for one.
func add(f *os.File, size int64, line []byte) error {
	_, err := f.WriteAt(line, size)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Truncate(size))
	}
	return nil
}

// locked does something while no other process adds a line, with l.last read anew. The file is opened each time, and closed
// to give the lock free.
func (l *Log) locked(do func(f *os.File, size int64) error) (err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if info, err := os.Stat(l.path); err == nil && !info.Mode().IsRegular() { // opening a pipe might wait for ever
		return fmt.Errorf("%s is not a regular file", l.path)
	}
	f, err := os.OpenFile(l.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := lock(f); err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	head, err := headOf(f, info.Size())
	if err != nil {
		return fmt.Errorf("%s: %w", l.path, err)
	}
	if head.Lines < l.last.Lines || head.Lines == l.last.Lines && head.Hash != l.last.Hash {
		return fmt.Errorf("%s: lines that were written to it are gone: it had %d, and has %d", l.path, l.last.Lines, head.Lines)
	}
	l.last = head
	return do(f, info.Size())
}

// errTorn is a file whose last line was not finished.
var errTorn = errors.New("its last line is not whole, as after a loss of power: look at it, move the file away, and a new one is begun")

// headOf reads the last line of a file.
func headOf(f io.ReaderAt, size int64) (Head, error) {
	if size == 0 {
		return Head{}, nil
	}
	tail := make([]byte, min(size, maxLine+1))
	if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return Head{}, err
	}
	line, whole := bytes.CutSuffix(tail, []byte{'\n'})
	if !whole {
		return Head{}, errTorn
	}
	begin := bytes.LastIndexByte(line, '\n') + 1
	if begin == 0 && int64(len(tail)) < size {
		return Head{}, fmt.Errorf("its last line is longer than %d bytes", maxLine)
	}
	line = line[begin:]
	var e Entry
	if err := json.Unmarshal(line, &e); err != nil || e.N < 1 {
		return Head{}, errors.New("its last line is none of an audit log: look at it, move the file away, and a new one is begun")
	}
	return Head{e.N, hashOf(line)}, nil
}

func hashOf(line []byte) string {
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:])
}
