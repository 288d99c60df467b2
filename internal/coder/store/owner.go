package store

import (
	"github.com/go-json-experiment/json"
	"os"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
)

// An Owner is who holds the lease of a session: a process, as its own machine can tell it from all others, those that get its
// number later included (F77, F91).
type Owner struct {
	PID   int       `json:"pid"`
	Host  string    `json:"host"`
	Since time.Time `json:"since"`

	// Self says that the process is this one.
	Self bool `json:"-"`

	Start string `json:"start"` // when the process began, in the system's own terms
	Boot  string `json:"boot"`  // which run of the machine this is; empty where the system does not tell
	Store int64  `json:"store"` // a random number: which store of the process
}

// myself is the owner of all leases of a store.
func myself(store int64) Owner {
	host, err := os.Hostname()
	if err != nil {
		host = "this machine"
	}
	pid := os.Getpid()
	start, _ := startOf(pid) // of which there is always one
	return Owner{PID: pid, Host: host, Start: start, Boot: bootID(), Store: store}
}

// same reports whether two owners are stores of the same process.
func (o Owner) same(other Owner) bool {
	return o.PID == other.PID && o.Start == other.Start && o.Boot == other.Boot
}

// living returns the owner that is stored with a session if it lives.
func (s *Store) living(id acp.SessionID, stored []byte) (*Owner, error) {
	if len(stored) == 0 {
		return nil, nil
	}
	var o Owner
	if err := json.Unmarshal(stored, &o); err != nil {
		return nil, damaged(id, "its owner can't be read: %s", err)
	}
	if !s.presence.alive(o) {
		return nil, nil
	}
	o.Self = o.same(s.presence.me)
	return &o, nil
}
