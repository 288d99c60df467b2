package policy

import (
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Scope says how far a grant reaches.
type Scope string

// The scopes.
const (
	ScopeOnce      Scope = "once"      // the next call that it decides, in the session
	ScopeSession   Scope = "session"   // the session
	ScopeWorkspace Scope = "workspace" // every session that works in the folder
	ScopeAlways    Scope = "always"    // everywhere
)

// Scopes are all scopes, the narrowest first.
var Scopes = []Scope{ScopeOnce, ScopeSession, ScopeWorkspace, ScopeAlways}

// ParseScope reads the name of a scope.
func ParseScope(text string) (Scope, error) {
	if s := Scope(text); slices.Contains(Scopes, s) {
		return s, nil
	}
	return "", fmt.Errorf("unknown scope %q: it is one of %s", text, join(Scopes))
}

// UnmarshalText reads a scope as ParseScope does.
func (s *Scope) UnmarshalText(text []byte) (err error) {
	*s, err = ParseScope(string(text))
	return err
}

// A Grant is an answer of the user's that holds for more calls than the one that was asked about: a permission, or a
// rejection.
type Grant struct {
	ID    string `json:"id"`
	Rule  Rule   `json:"rule"`
	Allow bool   `json:"allow"` // or reject
	Scope Scope  `json:"scope"`

	// Session and Workspace say where it holds, as far as the scope needs it.
	Session   acp.SessionID `json:"session,omitzero"`
	Workspace string        `json:"workspace,omitzero"`

	// Sandboxed is set for a permission that was given for a command in a sandbox, and holds in one alone: what is harmless
	// there need not be so elsewhere. A rejection holds everywhere.
	Sandboxed bool `json:"sandboxed,omitzero"`

	// At is when it was given.
	At time.Time `json:"at"`

	// Shown is what the user saw when asked: the title of the call, for instance.
	Shown string `json:"shown,omitzero"`
}

// holds reports whether the grant reaches a call, whatever that wants.
func (g Grant) holds(c *Call) bool {
	switch {
	case g.Allow && g.Sandboxed && !c.Sandboxed:
		return false
	case g.Scope == ScopeOnce, g.Scope == ScopeSession:
		return g.Session != "" && g.Session == c.Session
	case g.Scope == ScopeWorkspace:
		return g.Workspace != "" && c.CWD != "" && filepath.Clean(g.Workspace) == filepath.Clean(c.CWD)
	}
	return g.Scope == ScopeAlways
}

// maxGrants bounds the grants that are kept. Beyond it, new ones are refused.
const maxGrants = 10_000

// Grants are the user's answers. The zero Grants is empty and ready. It may be used by several goroutines at once, and
// by several policies. With a Store, what is granted for a workspace and for always outlives the process; what is granted
// for a session never does by itself, since agents choose the ids of sessions, and may choose one again. Marshal it to
// keep what is held here along with a session of one's own.
type Grants struct {
	// Store keeps what outlives a session. Nil holds all here. It is set before the first use. If it can't be read, every
	// call is denied until it can: a rejection may be in it.
	Store Store

	mu   sync.Mutex
	list []Grant // in the order in which they were given
}

// Add keeps a grant, and returns it with its id and its time where they were not set. What is shown to the user as the
// rule is what is kept (F59): Suggest makes one. The same answer again replaces the one before.
func (g *Grants) Add(grant Grant) (Grant, error) {
	if grant.ID == "" {
		grant.ID = rand.Text()
	}
	if grant.At.IsZero() {
		grant.At = time.Now()
	}
	if err := grant.check(); err != nil {
		return Grant{}, err
	}
	if g.Store != nil && grant.Scope.wide() {
		if err := g.keep(grant); err != nil {
			return Grant{}, fmt.Errorf("keep a grant for %s: %w", grant.Rule, err)
		}
		return grant, nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	list, err := withGrant(g.list, grant)
	if err != nil {
		return Grant{}, err
	}
	g.list = list
	return grant, nil
}

func (g Grant) check() error {
	switch _, err := ParseScope(string(g.Scope)); {
	case err != nil:
		return fmt.Errorf("keep a grant: %w", err)
	case g.ID == "":
		return errors.New("keep a grant: it has no id")
	case g.Rule.IsZero():
		return errors.New("keep a grant: it has no rule")
	case (g.Scope == ScopeOnce || g.Scope == ScopeSession) && g.Session == "":
		return fmt.Errorf("keep a grant for %s: it is for a session, and names none", g.Rule)
	case g.Scope == ScopeWorkspace && !filepath.IsAbs(g.Workspace):
		return fmt.Errorf("keep a grant for %s: it is for a workspace, and %q is no absolute path", g.Rule, g.Workspace)
	}
	return nil
}

// replacedBy reports whether a later answer takes the place of this one: it is about the same rule, and reaches as far.
func (g Grant) replacedBy(later Grant) bool {
	return g.Rule == later.Rule && g.Scope == later.Scope && g.Session == later.Session && g.Workspace == later.Workspace &&
		(g.Sandboxed || !later.Sandboxed) && g.Scope != ScopeOnce
}

// List returns the grants that are held here, in the order in which they were given: with a Store, those for once and for
// a session alone. Kept returns the others.
func (g *Grants) List() []Grant {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.list)
}

// about returns the grants that reach a call.
func (g *Grants) about(c *Call) ([]Grant, error) {
	kept, err := g.Kept()
	return slices.DeleteFunc(append(g.List(), kept...), func(grant Grant) bool { return !grant.holds(c) }), err
}

// Revoke takes a grant back, and reports whether there was one with this id. It holds for the next decision. Only a Store
// can fail.
func (g *Grants) Revoke(id string) (bool, error) {
	g.mu.Lock()
	before := len(g.list)
	g.list = slices.DeleteFunc(g.list, func(grant Grant) bool { return grant.ID == id })
	was := len(g.list) < before
	g.mu.Unlock()
	if was || g.Store == nil {
		return was, nil
	}
	return g.forget(id)
}

// EndSession forgets what was granted for a session alone.
func (g *Grants) EndSession(id acp.SessionID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.list = slices.DeleteFunc(g.list, func(grant Grant) bool {
		return grant.Session == id && (grant.Scope == ScopeOnce || grant.Scope == ScopeSession)
	})
}

// use takes away those of the grants that are for once. It is false, and takes none, if one of the grants is gone: then
// another decision has used it up, or it was revoked. What a Store has was read for this very decision.
func (g *Grants) use(used []Grant) bool {
	ids := make([]string, 0, len(used))
	for _, grant := range used {
		if g.Store == nil || !grant.Scope.wide() {
			ids = append(ids, grant.ID)
		}
	}
	if len(ids) == 0 {
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, id := range ids {
		if !slices.ContainsFunc(g.list, func(grant Grant) bool { return grant.ID == id }) {
			return false
		}
	}
	g.list = slices.DeleteFunc(g.list, func(grant Grant) bool {
		return grant.Scope == ScopeOnce && slices.Contains(ids, grant.ID)
	})
	return true
}

// grantsFile is how grants are written.
type grantsFile struct {
	Grants []Grant `json:"grants"`
}

// MarshalJSON writes all grants.
func (g *Grants) MarshalJSON() ([]byte, error) {
	list := g.List()
	if list == nil {
		list = []Grant{}
	}
	return json.Marshal(grantsFile{list}, json.Deterministic(true))
}

// UnmarshalJSON reads grants, and replaces those that were there. Text with a grant that makes no sense, or with a
// member that isn't known, is refused as a whole: it may say less than it seems.
func (g *Grants) UnmarshalJSON(text []byte) error {
	var file grantsFile
	if err := json.Unmarshal(text, &file, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("read grants: %w", err)
	}
	if err := checkAll(file.Grants); err != nil {
		return fmt.Errorf("read grants: %w", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.list = file.Grants
	return nil
}
