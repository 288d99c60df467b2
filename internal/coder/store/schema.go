package store

import (
	"context"
	"database/sql"
	"fmt"
)

// applicationID marks the file as ours, at a fixed place in its header: "PBss".
const applicationID = 0x50427373

// migrations lead from an empty file to the current version, one version each. They are never edited, only added to.
//
// What belongs to a session has its place in one number, the session's key and what comes within: so rows of a session lie
// beside each other, in order, without an index. See place.
var migrations = []string{`
	CREATE TABLE sessions (
		key      INTEGER PRIMARY KEY AUTOINCREMENT, -- never used again, since readers may still look for its rows
		id       TEXT    NOT NULL UNIQUE,
		parent   INTEGER,                           -- the key of a session
		cwd      TEXT    NOT NULL,
		roots    TEXT    NOT NULL,                  -- JSON
		title    TEXT    NOT NULL,
		own      INTEGER NOT NULL,                  -- whether the title is the user's
		created  INTEGER NOT NULL,                  -- microseconds since 1970, as all times
		updated  INTEGER NOT NULL,
		archived INTEGER NOT NULL,
		token    BLOB,                              -- of the lease
		owner    TEXT                               -- of the lease, JSON
	) STRICT;
	CREATE INDEX sessions_by_time   ON sessions (updated, key) WHERE parent IS NULL;
	CREATE INDEX sessions_by_cwd    ON sessions (cwd, updated, key) WHERE parent IS NULL;
	CREATE INDEX sessions_by_parent ON sessions (parent, updated, key) WHERE parent IS NOT NULL;

	CREATE TABLE events (
		place INTEGER PRIMARY KEY,
		kind  INTEGER NOT NULL,
		time  INTEGER NOT NULL,
		sum   INTEGER NOT NULL, -- CRC-32C of data
		data  BLOB    NOT NULL
	) STRICT;

	CREATE TABLE messages (
		place INTEGER PRIMARY KEY,
		after INTEGER NOT NULL, -- the number of the event that came before it
		until INTEGER,          -- the number of the last event before it was replaced
		sum   INTEGER NOT NULL,
		data  BLOB    NOT NULL
	) STRICT;

	CREATE TABLE documents (
		place INTEGER PRIMARY KEY,
		sum   INTEGER NOT NULL,
		data  BLOB    NOT NULL
	) STRICT;

	CREATE TABLE tombstones (
		id      TEXT PRIMARY KEY,
		expired INTEGER NOT NULL
	) STRICT, WITHOUT ROWID;
	CREATE INDEX tombstones_by_time ON tombstones (expired);
`}

// migrate brings a file to the newest version. Several processes may do so at once: the version is looked at again when the
// file is ours alone.
func migrate(ctx context.Context, conn *sql.Conn, steps []string) (err error) {
	version, err := versionOf(ctx, conn)
	switch {
	case err != nil:
		return err
	case version > len(steps):
		return fmt.Errorf("%w: it has version %d, and version %d is the newest that is understood", ErrNewer, version, len(steps))
	case version == len(steps):
		return nil
	}
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		}
	}()
	if version, err = versionOf(ctx, conn); err != nil {
		return err
	}
	for ; version < len(steps); version++ {
		if _, err := conn.ExecContext(ctx, steps[version]); err != nil {
			return fmt.Errorf("migration to version %d: %w", version+1, err)
		}
		if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version+1)); err != nil {
			return err
		}
	}
	if _, err = conn.ExecContext(ctx, "COMMIT"); err != nil {
		return err
	}
	// The version has to be in the file rather than in its log, where older programs look for it before they open anything.
	_, _ = conn.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)") // unless another process reads just now
	return nil
}

func versionOf(ctx context.Context, conn *sql.Conn) (version int, err error) {
	err = conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, err
}

// Of a place, the upper bits are the session's key and the lower ones say what comes within.
const (
	numberBits = 32 // of events and messages: four thousand million of them
	kindBits   = 4  // of documents
)

// between returns the places of the rows of a session, all of them within the bounds.
func between(key int64, bits int) (first, last int64) {
	return key << bits, key<<bits | (1<<bits - 1)
}
