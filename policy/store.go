package policy

import (
	"fmt"
	"slices"
)

// A Store keeps the grants that outlive their session: those for a workspace and for always. Package ledger has one in a
// file that several processes share; a client with a database of its own writes another in a few lines.
type Store interface {
	// Load returns all that is kept. It is called for each decision, so that a grant which another process has revoked
	// holds no longer.
	Load() ([]Grant, error)

	// Change hands over all that is kept, and keeps what it gets back. Nobody else changes anything in between. If
	// the function fails, so does Change, and nothing changes.
	Change(func(kept []Grant) ([]Grant, error)) error
}

// wide reports whether a grant outlives its session.
func (s Scope) wide() bool { return s == ScopeWorkspace || s == ScopeAlways }

// Kept returns what is in the Store; nothing without one.
func (g *Grants) Kept() ([]Grant, error) {
	if g == nil || g.Store == nil {
		return nil, nil
	}
	kept, err := g.Store.Load()
	if err == nil {
		err = checkKept(kept)
	}
	if err != nil {
		return nil, fmt.Errorf("read the grants that are kept: %w", err)
	}
	return kept, nil
}

// keep adds a grant to the store.
func (g *Grants) keep(grant Grant) error {
	return g.Store.Change(func(kept []Grant) ([]Grant, error) { return withGrant(kept, grant) })
}

// withGrant returns a list with one more grant, and without those that it replaces.
func withGrant(list []Grant, grant Grant) ([]Grant, error) {
	list = slices.DeleteFunc(list, func(old Grant) bool { return old.ID == grant.ID || old.replacedBy(grant) })
	if len(list) >= maxGrants {
		return nil, fmt.Errorf("keep a grant for %s: there are %d already", grant.Rule, maxGrants)
	}
	return append(list, grant), nil
}

// forget takes a grant out of the store, and reports whether it was there.
func (g *Grants) forget(id string) (was bool, err error) {
	err = g.Store.Change(func(kept []Grant) ([]Grant, error) {
		left := slices.DeleteFunc(slices.Clone(kept), func(grant Grant) bool { return grant.ID == id })
		was = len(left) < len(kept)
		return left, nil
	})
	if err != nil {
		return false, fmt.Errorf("revoke the grant %s: %w", id, err)
	}
	return was, nil
}

// checkKept is checkAll for a Store. Nothing that ends with its session is kept there: somebody else has put it in.
func checkKept(list []Grant) error {
	for _, grant := range list {
		if !grant.Scope.wide() && slices.Contains(Scopes, grant.Scope) {
			return fmt.Errorf("the grant %q is for %s, and such are not kept", grant.ID, grant.Scope)
		}
	}
	return checkAll(list)
}

// checkAll refuses a list with a grant that makes no sense: it may say less than it seems.
func checkAll(list []Grant) error {
	if len(list) > maxGrants {
		return fmt.Errorf("%d grants, where %d are the limit", len(list), maxGrants)
	}
	ids := make(map[string]bool, len(list))
	for _, grant := range list {
		if err := grant.check(); err != nil {
			return err
		}
		if ids[grant.ID] {
			return fmt.Errorf("id %q twice", grant.ID)
		}
		ids[grant.ID] = true
	}
	return nil
}
