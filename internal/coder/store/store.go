package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
)

// Options are the options of a store. The zero value is fine.
type Options struct {
	// Sync has each commit wait for the disk, so that not even a loss of power takes what was appended. It costs some
	// milliseconds for each.
	Sync bool

	// Busy is how long a change waits for other processes that write, before it fails with ErrLocked; 10 seconds if it is 0.
	Busy time.Duration

	// Now tells the time; time.Now if it is nil.
	Now func() time.Time

	steps []string // migrations, for tests
}

// A Store is a database of sessions that is open. Its methods can be used by many goroutines.
type Store struct {
	path     string
	now      func() time.Time
	presence *presence
	writer   *writer
	db       *sql.DB // the writer's
	reader   *sql.DB
	release  func()

	closing sync.Once
	failure error // of closing

	mu   sync.Mutex
	held map[acp.SessionID]*Lease
}

// readers is how many connections read at once.
const readers = 4

// Open opens the store in a directory, and makes both if they are not there, for this user only. What is there is never
// replaced: a file that can't be used is a *FileError.
func Open(ctx context.Context, dir string, o Options) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, fileName)
	s, err := open(ctx, path, o)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if fileTrouble(err) == nil && code(err) == 0 {
			return nil, &FileError{path, err}
		}
		return nil, fileError(path, err)
	}
	return s, nil
}

func open(ctx context.Context, path string, o Options) (_ *Store, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if o.steps == nil {
		o.steps = migrations
	}
	if o.Busy == 0 {
		o.Busy = 10 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Store{path: path, now: o.Now, held: map[acp.SessionID]*Lease{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.dispose())
		}
	}()
	if s.release, err = claim(ctx, path, o.steps); err != nil {
		return nil, err
	}
	if s.presence, err = appear(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if err := s.connect(ctx, o); err != nil {
		return nil, err
	}
	go s.writer.loop() // until Close
	return s, nil
}

func (s *Store) connect(ctx context.Context, o Options) (err error) {
	durability := "synchronous(NORMAL)"
	if o.Sync {
		durability = "synchronous(FULL)"
	}
	shared := []string{"busy_timeout(10000)", "trusted_schema(OFF)", "cell_size_check(ON)"}
	s.db, err = sql.Open("sqlite", source(s.path, append(shared, durability, "secure_delete(FAST)", "journal_size_limit(8388608)")...))
	if err != nil {
		return err
	}
	conn, err := s.db.Conn(ctx)
	if err != nil {
		return err
	}
	if err := prepare(ctx, conn, o.steps); err != nil {
		return errors.Join(err, conn.Close())
	}
	s.writer = newWriter(conn, s.path, o.Busy)
	s.reader, err = sql.Open("sqlite", source(s.path, append(shared, "query_only(ON)")...))
	if err != nil {
		return err
	}
	s.reader.SetMaxOpenConns(readers)
	s.reader.SetMaxIdleConns(readers)
	return nil
}

// prepare makes the writer's connection ready.
func prepare(ctx context.Context, conn *sql.Conn, steps []string) error {
	if err := migrate(ctx, conn, steps); err != nil {
		return err
	}
	_, err := conn.ExecContext(ctx, "PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 0") // the writer waits by itself
	return err
}

// Close does what is queued, gives all leases back and closes the file. What is called from now on fails with ErrClosed, what
// reads may fail.
func (s *Store) Close() error {
	s.closing.Do(func() {
		err := s.abandon()
		s.writer.close()
		s.failure = errors.Join(err, s.dispose())
	})
	return s.failure
}

// abandon gives all leases back. If that fails they are void all the same, since this store is no longer there.
func (s *Store) abandon() error {
	s.mu.Lock()
	leases := slices.Collect(maps.Values(s.held))
	s.mu.Unlock()
	if len(leases) == 0 {
		return nil
	}
	return s.change(context.Background(), "", 0, func(t *tx) error {
		for _, l := range leases {
			if err := t.release(l); err != nil {
				return err
			}
		}
		return nil
	})
}

// dispose closes what is open. The file comes before the claim to it, see inUse.
func (s *Store) dispose() error {
	var errs []error
	if s.reader != nil {
		errs = append(errs, s.reader.Close())
	}
	if s.writer != nil {
		errs = append(errs, s.writer.release())
	}
	if s.db != nil {
		errs = append(errs, s.db.Close())
	}
	if s.presence != nil {
		errs = append(errs, s.presence.leave())
	}
	if s.release != nil {
		s.release()
	}
	return errors.Join(errs...)
}

// Path is where the database is.
func (s *Store) Path() string { return s.path }

// change does something in a transaction for a session.
func (s *Store) change(ctx context.Context, id acp.SessionID, size int, run func(*tx) error) error {
	err := s.writer.do(ctx, size, func(t *tx) error {
		t.now = s.now()
		return run(t)
	})
	return fileError(s.path, sessionError(id, err))
}

func randomToken() []byte {
	token := make([]byte, 16)
	rand.Read(token)
	return token
}

func micros(t time.Time) int64 { return t.UnixMicro() }

func fromMicros(n int64) time.Time { return time.UnixMicro(n) }
