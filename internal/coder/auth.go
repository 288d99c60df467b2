package coder

import (
	"context"
	"errors"
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/config"
)

// The ways to sign in: by a terminal, where the client runs this program once more, or by whatever the user does elsewhere.
const (
	methodTerminal acp.AuthMethodID = "login"
	methodKey      acp.AuthMethodID = "key"
)

// AskWhich stands after --login for a provider that the user is asked for.
const AskWhich = "?"

// authMethods are the ways to sign in. There are some only while a key is needed and missing: that of the model that is
// chosen, or any, where nobody has chosen a model. What the folders of sessions will choose is not known yet.
//
// Spec: authentication.
func (c *Coder) authMethods() []acp.AuthMethod {
	missing := c.missingKey("")
	switch {
	case missing != nil:
		variable := "the environment"
		if len(missing.Env) > 0 {
			variable = "$" + missing.Env[0]
		}
		return waysToSignIn(missing.Provider, missing.Provider, " "+missing.Provider, variable)
	case c.models.unset():
		return waysToSignIn("a provider of models", AskWhich, "", "its variable, such as $ANTHROPIC_API_KEY,")
	}
	return nil
}

func waysToSignIn(whose, argument, typed, variable string) []acp.AuthMethod {
	return []acp.AuthMethod{
		&acp.AuthMethodTerminal{
			ID: methodTerminal, Name: "Enter a key for " + whose,
			Description: "Asks for the key in a terminal and stores it where only you can read it",
			Args:        []string{"--login", argument},
		},
		&acp.AuthMethodAgent{
			ID: methodKey, Name: "A key for " + whose + " is there now",
			Description: fmt.Sprintf("First run `patchbay login%s` in a terminal, or set %s and start the agent anew", typed, variable),
		},
	}
}

// missingKey returns what is missing for the model that is configured for a folder, "" for that of the process; nil if
// nothing is.
func (c *Coder) missingKey(dir string) *config.MissingKeyError {
	if c.models.fixed != nil {
		return nil
	}
	cfg, err := c.models.config(dir)
	if err != nil {
		return nil // a session will say so
	}
	var missing *config.MissingKeyError
	if errors.As(cfg.Problem(), &missing) {
		return missing
	}
	return nil
}

// A refusal is a folder for which a client was refused a session, since a key was missing.
type refusal struct {
	conn *agent.Conn
	dir  string
}

// neededKey returns what the client of a request is waiting for: the key of the model that is configured, or that of the
// session which it was refused last; nil if nothing is missing.
func (c *Coder) neededKey(ctx context.Context) (missing *config.MissingKeyError, dir string) {
	if missing := c.missingKey(""); missing != nil {
		return missing, ""
	}
	c.models.mu.Lock()
	last := c.models.refused
	c.models.mu.Unlock()
	if last.conn == nil || last.conn != agent.ConnOf(ctx) {
		return nil, ""
	}
	return c.missingKey(last.dir), last.dir
}

// refuse is what a client is told that wants a session in a folder and can't have one: that the user has to sign in, and
// how, or what is wrong with the configuration.
func (c *Coder) refuse(s *agent.Session, err error) error {
	missing := (*config.MissingKeyError)(nil)
	if !errors.As(err, &missing) {
		return sessionError(err)
	}
	c.models.mu.Lock()
	c.models.refused = refusal{s.Conn(), s.CWD()}
	c.models.mu.Unlock()
	return c.authRequired(missing, s.CWD())
}

// authRequired says which key is missing and what to do about it. A provider that only the folder's configuration describes
// is known to a login in that folder only.
func (c *Coder) authRequired(missing *config.MissingKeyError, dir string) error {
	sent := acp.ErrAuthRequired()
	sent.Message += ": " + missing.Error()
	cfg, err := c.models.config("")
	if err != nil {
		dir = ""
	} else if _, err := cfg.Provider(missing.Provider); err == nil {
		dir = ""
	}
	if dir != "" {
		sent.Message += " in " + dir
	}
	sent.Message += ", and open the session again"
	sent.Data = fmt.Appendf(nil, `{"provider":%s}`, quote(missing.Provider))
	return sent
}

// Authenticate looks whether there is now the key that is needed.
func (c *Coder) Authenticate(ctx context.Context, _ *acp.AuthenticateRequest) error {
	if missing, dir := c.neededKey(ctx); missing != nil {
		return c.authRequired(missing, dir)
	}
	return nil
}

// Logout forgets the keys that are stored, and those that the client has given. What is in the environment stays there.
func (c *Coder) Logout(context.Context) error {
	cfg, err := c.models.config("")
	if err != nil {
		return acp.ErrInternal("%s", err)
	}
	stored, err := cfg.Keys().List()
	if err != nil {
		return acp.ErrInternal("%s", err)
	}
	for _, provider := range stored {
		if _, err := cfg.Keys().Forget(provider); err != nil {
			return acp.ErrInternal("%s", err)
		}
	}
	c.models.forget()
	return nil
}

// AuthStatus says whether there is a key for the model that is configured. It never shows it.
func (c *Coder) AuthStatus(ctx context.Context) (*acp.AuthStatusResponse, error) {
	if c.models.fixed != nil {
		return &acp.AuthStatusResponse{State: acp.AuthStateNotRequired}, nil
	}
	cfg, err := c.models.config("")
	if err != nil {
		return &acp.AuthStatusResponse{State: acp.AuthStateUnknown}, nil
	}
	status := &acp.AuthStatusResponse{State: authState(cfg)}
	if missing, _ := c.neededKey(ctx); missing != nil {
		status.State = acp.AuthStateUnauthenticated
	}
	choice, _ := cfg.Choose()
	for _, p := range cfg.Providers() {
		if p.Key.Value.IsZero() {
			continue
		}
		active := p.Name == choice.Provider
		status.Accounts = append(status.Accounts, acp.AuthAccount{
			Label: fmt.Sprintf("%s key (%s)", p.Title, p.Key.From), Active: &active,
		})
	}
	return status, nil
}

func authState(cfg *config.Config) acp.AuthState {
	choice, err := cfg.Choose()
	if err != nil {
		return acp.AuthStateUnknown
	}
	p, err := cfg.Provider(choice.Provider)
	if err != nil || p.Key.Value.IsZero() {
		return acp.AuthStateNotRequired
	}
	return acp.AuthStateAuthenticated
}
