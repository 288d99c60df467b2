package coder

import (
	"errors"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/internal/coder/store"
	"github.com/patchbay-dev/patchbay/policy"
)

// grant keeps an answer of the user's that is to last for the session. Its id is a number, for people to type.
func (s *session) grant(given policy.Grant) error {
	s.mu.Lock()
	last := 0
	for _, g := range s.grants.List() {
		n, _ := strconv.Atoi(g.ID)
		last = max(last, n)
	}
	given.ID, given.Scope, given.Session = strconv.Itoa(last+1), policy.ScopeSession, s.id
	_, err := s.grants.Add(given)
	s.mu.Unlock()
	return errors.Join(err, s.keepGrants())
}

// revoke takes back the answers with these ids, and returns those that there were.
func (s *session) revoke(ids ...string) (revoked []string, err error) {
	for _, id := range ids {
		if was, _ := s.grants.Revoke(id); was { // nothing can fail that has no store
			revoked = append(revoked, id)
		}
	}
	return revoked, s.keepGrants()
}

// inherit takes over the answers that were given in the session when it was opened before. What was allowed was allowed in
// the same folders (S001.20), and answers about MCP servers were about those of another time: the client may have sent others
// by the same names (F59).
func (s *session) inherit(given []policy.Grant, sameFolders bool) error {
	for _, g := range given {
		if g.Session != s.id || g.Allow && !sameFolders || strings.HasPrefix(g.Rule.String(), serverPrefix) {
			continue
		}
		if _, err := s.grants.Add(g); err != nil {
			return err
		}
	}
	return nil
}

// keepGrants stores what the user has allowed or rejected for the session.
func (s *session) keepGrants() error {
	if s.desk.keep == nil {
		return nil
	}
	text, err := json.Marshal(s.grants)
	if err == nil {
		_, err = s.desk.keep.append(store.Change{Documents: store.Documents{Grants: text}})
	}
	return err
}
