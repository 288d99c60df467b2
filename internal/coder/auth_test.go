package coder_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
)

// signingIn starts an agent with these variables, whose client can ask for sessions and sign in.
func signingIn(t *testing.T, env map[string]string) (*client, *coder.Coder) {
	t.Helper()
	a, err := coder.New(coder.Options{Config: configured(t, env)})
	if err != nil {
		t.Fatal(err)
	}
	c := &client{dir: t.TempDir()}
	c.connect(t, a)
	return c, a
}

func (c *client) newSession() error {
	var opened acp.NewSessionResponse
	err := c.rpc.Call(c.Context(), acp.MethodSessionNew, &acp.NewSessionRequest{CWD: c.dir, MCPServers: []acp.MCPServer{}}, &opened)
	c.session = opened.SessionID
	return err
}

func (c *client) authenticate(id acp.AuthMethodID) error {
	return c.rpc.Call(c.Context(), acp.MethodAuthenticate, &acp.AuthenticateRequest{MethodID: id}, nil)
}

func (c *client) authState() acp.AuthState {
	c.Helper()
	var answer acp.AuthStatusResponse
	c.must(acp.MethodAuthStatus, &acp.AuthStatusRequest{}, &answer)
	return answer.State
}

// refused reports whether an error asks for a key and says this.
func refused(err error, want ...string) bool {
	for _, part := range want {
		if err == nil || !strings.Contains(err.Error(), part) {
			return false
		}
	}
	return errors.Is(err, &acp.Error{Code: acp.CodeAuthRequired})
}

// Where a key is needed and missing, the client is told how to sign in, and a session is refused until the user has.
func TestSigningIn(t *testing.T) {
	env := map[string]string{"PATCHBAY_MODEL": "anthropic"}
	c, a := signingIn(t, env)
	if methods := a.AgentOptions().AuthMethods; len(methods) != 2 {
		t.Fatalf("methods %v", methods)
	}
	if err := c.newSession(); !refused(err, "patchbay login anthropic", "set ANTHROPIC_API_KEY") {
		t.Errorf("session/new: %v", err)
	}
	if err := c.authenticate("key"); !refused(err) {
		t.Errorf("authenticate: %v", err)
	}
	if err := c.authenticate("nonsense"); !errors.Is(err, &acp.Error{Code: acp.CodeInvalidParams}) {
		t.Errorf("authenticate: %v", err)
	}
	if got := c.authState(); got != acp.AuthStateUnauthenticated {
		t.Errorf("status %s", got)
	}
	env["ANTHROPIC_API_KEY"] = "a-secret" // as a login would
	if err := errors.Join(c.authenticate("key"), c.newSession()); err != nil {
		t.Error(err)
	}
	if got := c.authState(); got != acp.AuthStateAuthenticated {
		t.Errorf("status %s", got)
	}
}

// With nothing to sign in to, there is no method and authenticate does nothing.
func TestNothingToSignInTo(t *testing.T) {
	c := begin(t, &client{})
	c.must(acp.MethodAuthenticate, &acp.AuthenticateRequest{MethodID: "any"}, nil)
	var status acp.AuthStatusResponse
	c.must(acp.MethodAuthStatus, &acp.AuthStatusRequest{}, &status)
	if status.State != acp.AuthStateNotRequired {
		t.Errorf("status %s", status.State)
	}
}

// A folder may choose a model for which there is no key, which nobody knows when the client says hello. Where there is no key
// at all, ways to sign in are offered; a session is refused with words that say what to do; and both ways help (F116).
func TestSigningInToWhatAFolderChooses(t *testing.T) {
	env := map[string]string{}
	c, a := signingIn(t, env)
	methods := a.AgentOptions().AuthMethods
	if len(methods) != 2 || !slices.Equal(methods[0].(*acp.AuthMethodTerminal).Args, []string{"--login", "?"}) {
		t.Fatalf("methods %+v", methods)
	}
	if err := errors.Join(c.authenticate("key"), c.newSession()); err != nil { // nothing is needed yet: there is the offline model
		t.Error(err)
	}
	c.choose(`model = "openai"`)
	if err := c.newSession(); !refused(err, "set OPENAI_API_KEY, or run `patchbay login openai`, and open the session again") {
		t.Errorf("session/new: %v", err)
	}
	if err := c.authenticate("key"); !refused(err, "patchbay login openai") {
		t.Errorf("authenticate: %v", err)
	}
	if err := c.authenticate("nonsense"); !errors.Is(err, &acp.Error{Code: acp.CodeInvalidParams}) {
		t.Errorf("authenticate: %v", err)
	}
	if got := c.authState(); got != acp.AuthStateUnauthenticated {
		t.Errorf("status %s", got)
	}
	env["OPENAI_API_KEY"] = "a-secret" // as a login would
	if err := errors.Join(c.authenticate("key"), c.newSession()); err != nil {
		t.Error(err)
	}
	if got := c.authState(); got != acp.AuthStateAuthenticated {
		t.Errorf("status %s", got)
	}
}

// Where another provider has a key, no key is missing when the client says hello, so that authenticate does nothing; a login
// in a terminal is the way out, and the session can be opened then.
func TestAFolderThatChoosesAnotherProvider(t *testing.T) {
	env := map[string]string{"ANTHROPIC_API_KEY": "a-secret"}
	c, a := signingIn(t, env)
	if methods := a.AgentOptions().AuthMethods; len(methods) != 0 {
		t.Errorf("methods %+v", methods)
	}
	c.choose(`model = "openai"`)
	if err := c.newSession(); !refused(err, "patchbay login openai", "open the session again") {
		t.Errorf("session/new: %v", err)
	}
	if err := c.authenticate("any"); err != nil {
		t.Error(err)
	}
	env["OPENAI_API_KEY"] = "a-secret"
	if err := c.newSession(); err != nil {
		t.Error(err)
	}
}

// choose writes the configuration of the folder.
func (c *client) choose(text string) {
	c.Helper()
	if err := os.WriteFile(filepath.Join(c.dir, "patchbay.toml"), []byte(text), 0o666); err != nil {
		c.Fatal(err)
	}
}
