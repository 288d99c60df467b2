package store

import (
	"fmt"
	"github.com/go-json-experiment/json"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Session is what a session is made with.
type Session struct {
	ID    acp.SessionID
	CWD   string
	Roots []string // where it works beside CWD

	// Parent is the session that this one is a subagent's of; empty for those of the user. It must exist. A session goes with
	// its parent.
	Parent acp.SessionID

	// Title says what the session is about. Own says that the user chose it, see SetTitle.
	Title string
	Own   bool
}

// A Record is a session as a list shows it.
type Record struct {
	Session
	Created  time.Time
	Updated  time.Time // when something was last appended, to about a second; a title and an archive change nothing
	Archived bool

	// Owner is the living process that has the session, nil if none does.
	Owner *Owner
}

// Documents are what the agent keeps of a session beside its conversation, each opaque here. Nil means that there is none, and in a
// Change that the one that is there stays.
type Documents struct {
	Settings []byte // what the user chose: mode, permissions, model, thinking
	Grants   []byte // what the user allowed for good, or rejected
	Usage    []byte // what was used and what it cost
	Memory   []byte // what else the agent has to remember
}

// each calls f for each document with its number, which is in the file.
func (d *Documents) each(f func(kind int64, document *[]byte) error) error {
	for i, document := range []*[]byte{&d.Settings, &d.Grants, &d.Usage, &d.Memory} {
		if err := f(int64(i), document); err != nil {
			return err
		}
	}
	return nil
}

// record columns, in the order that scanRecord reads them.
const columns = `s.key, s.id, ifnull(p.id, ''), s.cwd, s.roots, s.title, s.own, s.created, s.updated, s.archived, s.owner`

const fromSessions = ` FROM sessions s LEFT JOIN sessions p ON p.key = s.parent `

// scanRecord reads a row of columns. With ErrDamaged it returns what can be read.
func (s *Store) scanRecord(scan func(dest ...any) error) (key, updated int64, r Record, err error) {
	var id, parent string
	var roots, owner []byte
	var created int64
	err = scan(&key, &id, &parent, &r.CWD, &roots, &r.Title, &r.Own, &created, &updated, &r.Archived, &owner)
	if err != nil {
		return 0, 0, Record{}, err
	}
	r.ID, r.Parent = acp.SessionID(id), acp.SessionID(parent)
	r.Created, r.Updated = fromMicros(created), fromMicros(updated)
	if err := json.Unmarshal(roots, &r.Roots); err != nil {
		r.Roots = nil
		return key, updated, r, damaged(r.ID, "its roots can't be read: %s", err)
	}
	if len(r.Roots) == 0 {
		r.Roots = nil
	}
	r.Owner, err = s.living(r.ID, owner)
	return key, updated, r, err
}

func encodeRoots(roots []string) string {
	if len(roots) == 0 {
		return "[]"
	}
	text, err := json.Marshal(roots)
	if err != nil {
		panic(fmt.Sprintf("strings always have JSON: %s", err))
	}
	return string(text)
}
