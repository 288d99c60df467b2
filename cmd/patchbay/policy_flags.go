package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/patchbay-dev/patchbay/internal/coder/store"
	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/internal/confine"
	"github.com/patchbay-dev/patchbay/policy"
	"github.com/patchbay-dev/patchbay/policy/ledger"
)

// ruleFlags say what passes, what is asked about, and what is denied. docs/policy.md is their guide.
type ruleFlags struct {
	Permissions policy.Mode   `placeholder:"MODE" help:"What passes without a question beside reading in the folder: default (nothing), acceptEdits, bypassPermissions (everything), or plan (nothing, and nobody is asked)."`
	Allow       []policy.Rule `sep:"none" placeholder:"RULE" help:"What passes, such as 'Bash(git *)', 'Edit(src/**)', Read or mcp__server__tool. Can be given several times, like --ask and --deny."`
	Ask         []policy.Rule `sep:"none" placeholder:"RULE" help:"What is asked about each time. It is stronger than --allow."`
	Deny        []policy.Rule `sep:"none" placeholder:"RULE" help:"What is denied. It is stronger than everything else."`
	Policy      given         `placeholder:"FILE" help:"A file with rules, in place of what patchbay.toml lets pass."`
	Grants      bool          `default:"true" negatable:"" help:"Use and keep the answers that were given with \"always\". That is the default."`
}

// policyFlags are those, and where decisions are written down.
type policyFlags struct {
	ruleFlags
	Audit given `placeholder:"FILE" help:"The log of decisions, which patchbay policy verify checks. Where it can't be written, nothing passes. Without this it is in the state folder."`
}

// A rulebook is all that decides, and what is kept of it.
type rulebook struct {
	policy   *policy.Policy
	audit    *ledger.Log   // nil if decisions are not written down
	unlogged error         // why not, if they should be
	strict   bool          // what can't be written down does not pass
	patience time.Duration // how long the user has to answer a question; 0 is for ever
	origins  []config.Origin
	modeFrom config.Source
}

// rulebook puts together what the flags, the policy file and patchbay.toml say. What restricts comes from all of them. What
// lets pass comes from the flags, and from the policy file if there is one, or else from the user's patchbay.toml: a file
// that has been tested is not to be widened by what happens to be set up.
func (f *ruleFlags) rulebook(cwd string, s settings) (*rulebook, *config.Config, error) {
	cfg, err := s.load(cwd)
	if err != nil {
		return nil, nil, err
	}
	p := &policy.Policy{Real: confine.Real, Mode: cfg.Permissions.Value, Allow: cfg.Allow.Value, Grants: &policy.Grants{}}
	p.Ask, p.Deny = slices.Concat(cfg.Ask.Value, f.Ask), slices.Concat(cfg.Deny.Value, f.Deny)
	b := &rulebook{policy: p, patience: cfg.PermissionTimeout.Value, origins: slices.Clone(cfg.Origins), modeFrom: cfg.Permissions.From}
	if f.Policy != "" {
		file, err := config.ReadPolicy(string(f.Policy))
		if err != nil {
			return nil, nil, err
		}
		p.Mode, p.Allow = file.Permissions, file.Allow
		b.modeFrom = file.PermissionsFrom
		b.origins = append(slices.DeleteFunc(b.origins, func(o config.Origin) bool { return o.List == policy.SourceAllow }), file.Origins...)
		p.Ask, p.Deny = slices.Concat(p.Ask, file.Ask), slices.Concat(p.Deny, file.Deny)
	}
	if f.Permissions != "" {
		p.Mode, b.modeFrom = f.Permissions, flagged("--permissions")
	}
	p.Allow = slices.Concat(p.Allow, f.Allow)
	b.origins = slices.Concat(b.origins, f.origins())
	if f.Grants {
		kept, err := keptGrants()
		if err != nil {
			return nil, nil, err
		}
		p.Grants.Store = kept
		if _, err := p.Grants.Kept(); err != nil {
			return nil, nil, err
		}
	}
	return b, cfg, nil
}

// rulebook is the same with the log.
func (f *policyFlags) rulebook(cwd string, s settings) (*rulebook, error) {
	b, cfg, err := f.ruleFlags.rulebook(cwd, s)
	if err != nil {
		return nil, err
	}
	name := string(f.Audit)
	b.strict = name != "" || cfg.Audit.From != config.Source{}
	if name == "" && !cfg.Audit.Value {
		return b, nil
	}
	if name == "" {
		name, err = policyState("audit.jsonl")
	}
	if err == nil {
		b.audit, err = ledger.OpenLog(name)
	}
	if b.strict {
		return b, err
	}
	b.unlogged = err
	return b, nil
}

// policyState returns the path of a file that is kept. The folder is not the one of the built-in agent, which may write to that
// from a sandbox.
func policyState(name string) (string, error) {
	dir, err := store.DefaultDir()
	if err != nil {
		return "", fmt.Errorf("find the place of %s: %w", name, err)
	}
	return filepath.Join(filepath.Dir(dir), policyFolder, name), nil
}

// policyFolder is in the state folder. Package policy guards it by this name.
const policyFolder = "patchbay-policy"

func keptGrants() (*ledger.Grants, error) {
	path, err := policyState("grants.json")
	if err != nil {
		return nil, err
	}
	return ledger.NewGrants(path), nil
}
