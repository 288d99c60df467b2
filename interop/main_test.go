// Package interop_test lets this module's packages and its command talk to software that others wrote: the official
// TypeScript SDK, of two ages, and the client acpx. Everything runs as real processes over real pipes. npm installs the
// peers, of the versions that package-lock.json pins; peers/ has small programs of our own on the SDK.
package interop_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/patchbay-dev/patchbay/transport"
)

// agentVariable makes the test binary an agent: the one of agent_test.go.
const agentVariable = "INTEROP_TEST_AGENT"

// patience ends a test that hangs. It is long, since peers take a second to start and machines may be busy.
const patience = 60 * time.Second

func TestMain(m *testing.M) {
	if os.Getenv(agentVariable) != "" {
		os.Exit(serveAgent())
	}
	if kind := os.Getenv(mcpVariable); kind != "" {
		os.Exit(serveMCP(kind))
	}
	var err error
	if buildFolder, err = os.MkdirTemp("", "patchbay-interop-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if err := os.Setenv("XDG_STATE_HOME", filepath.Join(buildFolder, "state")); err != nil { // sessions of tests are nobody's
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(buildFolder)
		os.Exit(code)
	}))
}

// requirePeers skips a test if the peers are not installed, and fails it where that would hide something: in continuous
// integration.
func requirePeers(t *testing.T) {
	t.Helper()
	_, err := exec.LookPath("node")
	for _, name := range []string{"@agentclientprotocol/sdk", "acp-sdk-0.28", "acpx"} {
		if err == nil {
			_, err = os.Stat(filepath.Join("node_modules", name, "package.json"))
		}
	}
	switch {
	case err == nil:
	case os.Getenv("CI") != "" || os.Getenv("PATCHBAY_REQUIRE_PEERS") != "":
		t.Fatalf("the peers are not installed: %v; run npm ci in interop", err)
	default:
		t.Skipf("the peers are not installed: %v; `make test` does that, or npm ci in interop", err)
	}
}

// node is the command that runs a script of this folder, or of an installed package, in node.
func node(t *testing.T, script string, args ...string) transport.Command {
	t.Helper()
	requirePeers(t)
	path, err := filepath.Abs(filepath.FromSlash(script))
	if err != nil {
		t.Fatal(err)
	}
	return transport.Command{Path: "node", Args: append([]string{path}, args...)}
}

// buildFolder is where the command is built.
var buildFolder string

var build = sync.OnceValues(func() (string, error) {
	path := filepath.Join(buildFolder, "patchbay")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	build := exec.Command("go", "build", "-o", path, "../cmd/patchbay")
	build.Env = append(os.Environ(), "GOEXPERIMENT=") // as users build it; the vendors' libraries take minutes to compile once more
	output, err := build.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("go build: %w\n%s", err, output)
	}
	return path, err
})

// patchbay is the path of the command, which is built once.
func patchbay(t *testing.T) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// deadline is a context that ends a test which hangs.
func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// eventually polls a condition until it holds or its time is over, and says which.
func eventually(limit time.Duration, holds func() bool) bool {
	end := time.Now().Add(limit)
	for tick := time.Tick(5 * time.Millisecond); !holds(); <-tick {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// folder is a new working directory, without symbolic links in its path.
func folder(t *testing.T) string {
	t.Helper()
	path, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// write makes a file and returns its path.
func write(t *testing.T, folder, name, content string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// read returns what is in a file.
func read(t *testing.T, folder, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
