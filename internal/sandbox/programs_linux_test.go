package sandbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// has skips a test if the world's user doesn't have a program.
func (w *world) has(names ...string) {
	w.Helper()
	for _, name := range names {
		if out, status := w.run(nil, w.command("sh", "-c", "command -v "+name)); status != 0 {
			w.Skipf("no %s: %s", name, out)
		}
	}
}

func TestPipelines(t *testing.T) {
	inWorlds(t, func(w *world) {
		w.has("bash")
		p := w.workspace()
		script := `set -euo pipefail
			diff <(sort <<<"b") <(printf 'b\n' | cat) && cat <<-END | tr a-z A-Z | tee out >&2
				$(echo text) of a document
			END
			[[ $(wc -l < out) == 1 ]]; mktemp >/dev/null; cd sub && (cat file | xargs echo) & wait`
		out, status := w.run(&p, w.command("bash", "-c", script))
		if status != 0 || !strings.Contains(out, "TEXT OF A DOCUMENT") || !strings.Contains(out, "below") {
			w.Errorf("%q, status %d", out, status)
		}
		ro := w.readOnly()
		out, status = w.run(&ro, w.command("bash", "-c", "find . -name file | sort | xargs grep -l inside | head -1; ls | wc -l"))
		if status != 0 || !strings.HasPrefix(out, "./file") {
			w.Errorf("read-only: %q, status %d", out, status)
		}
	})
}

func TestGit(t *testing.T) {
	inWorlds(t, func(w *world) {
		w.has("git")
		// A configuration in the home folder is not read, and no reason to fail.
		w.write("home/.gitconfig", "[user]\n\tname = Secret\n")
		out, status := w.sh(w.workspace(), "git init -q . && git add . && git -c user.name=Ann -c user.email=ann@example.com commit -qm first && git log --format=%an%s && git status --short && git gc -q")
		if status != 0 || out != "Annfirst" {
			w.Errorf("%q, status %d", out, status)
		}
		w.write("home/project/file", "changed")
		w.own(w.root)
		if out, status = w.sh(w.readOnly(), "git status --short && git --no-pager diff --stat && git log -1 --format=%s"); status != 0 || !strings.Contains(out, "M file") {
			w.Errorf("read-only: %q, status %d", out, status)
		}
		if out, status = w.sh(w.readOnly(), "git -c user.name=Ann -c user.email=a@b commit -qam second"); status == 0 {
			w.Errorf("a commit though read-only: %q", out)
		}
		if out, status = w.sh(w.workspace(), "git clone -q https://127.0.0.1:9/x 2>&1"); status == 0 {
			w.Errorf("a clone without network: %q", out)
		}
	})
}

func TestCompilers(t *testing.T) {
	inWorlds(t, func(w *world) {
		w.has("cc")
		w.write("home/project/a.c", "#include <stdio.h>\nint main(void) { puts(\"compiled\"); return 0; }\n")
		for _, link := range []string{"", "-static"} {
			out, status := w.sh(w.workspace(), "cc "+link+" -o a a.c && ./a")
			if status != 0 || out != "compiled" {
				w.Errorf("cc %s: %q, status %d", link, out, status)
			}
		}
	})
}

func TestInterpreters(t *testing.T) {
	inWorlds(t, func(w *world) {
		for _, test := range []struct{ program, line string }{
			{"node", `node -e 'const {execSync} = require("child_process"); require("fs").writeFileSync("n", ""); console.log(execSync("echo ran") + "")'`},
			{"/usr/bin/python3", `/usr/bin/python3 -c 'import subprocess, tempfile, asyncio; tempfile.mkdtemp(); asyncio.run(asyncio.sleep(0)); print(subprocess.run(["echo", "ran"], capture_output=True, text=True).stdout)'`},
			{"perl", `perl -e 'print "ran\n"'`},
			{"awk", `awk 'BEGIN { print "ran" }'`},
		} {
			if _, status := w.run(nil, w.command("sh", "-c", "command -v "+test.program)); status != 0 {
				w.Logf("no %s", test.program)
				continue
			}
			if out, status := w.sh(w.workspace(), test.line); status != 0 || out != "ran" {
				w.Errorf("%s: %q, status %d", test.program, out, status)
			}
		}
	})
}

// A toolchain that is kept in the home folder is found there, though HOME is another one.
func TestToolchainsInTheHomeFolder(t *testing.T) {
	inWorlds(t, func(w *world) {
		w.write("home/.cargo/bin/tool", "#!/bin/sh\necho $CARGO_HOME; cat $CARGO_HOME/config.toml; cat $CARGO_HOME/credentials.toml\n")
		w.write("home/.cargo/config.toml", "config")
		w.write("home/.cargo/credentials.toml", "KEY")
		w.own(w.home)
		if err := os.Chmod(w.home+"/.cargo/bin/tool", 0o755); err != nil {
			w.Fatal(err)
		}
		w.Setenv("CARGO_HOME", "")
		for _, p := range []struct {
			name string
			home string
		}{{"workspace", w.temp + "/home"}, {"read-only", "/nonexistent"}} {
			policy := w.workspace()
			if p.name == "read-only" {
				policy = w.readOnly()
			}
			out, _ := w.sh(policy, w.home+"/.cargo/bin/tool; echo; echo $HOME")
			if !strings.HasPrefix(out, w.home+"/.cargo\nconfig") || !strings.HasSuffix(out, p.home) || strings.Contains(out, "KEY") {
				w.Errorf("%s: %q", p.name, out)
			}
		}
	})
}

// A package without imports is built: the caches of the sandbox are empty at first, and the standard library takes seconds.
func TestGoBuilds(t *testing.T) {
	inWorlds(t, func(w *world) {
		w.has("go")
		w.write("home/project/go.mod", "module example.com/tiny\n\ngo 1.24\n")
		w.write("home/project/tiny.go", "package tiny\n\nfunc One() int { return 1 }\n")
		w.own(w.root)
		out, status := w.sh(w.workspace(), "go build -o tiny.a . && ls tiny.a && go env GOCACHE")
		if status != 0 || out != "tiny.a\n"+filepath.Join(w.temp, "home/.cache/go-build") {
			w.Errorf("%q, status %d", out, status)
		}
	})
}

// Modules that were fetched before are used without a network.
func TestGoFindsItsModules(t *testing.T) {
	gomodcache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Skip(err)
	}
	sums, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	inWorlds(t, func(w *world) {
		w.Setenv("GOMODCACHE", strings.TrimSpace(string(gomodcache)))
		if _, status := w.run(nil, w.command("sh", "-c", "ls $GOMODCACHE")); status != 0 {
			w.Skip("this user can't see the modules")
		}
		w.write("home/project/go.mod", "module example.com/tiny\n\ngo 1.26.0\n\nrequire golang.org/x/sys v0.50.0\n")
		w.write("home/project/go.sum", string(sums))
		w.write("home/project/main.go", "package main\n\nimport _ \"golang.org/x/sys/unix\"\n\nfunc main() {}\n")
		w.own(w.root)
		out, status := w.sh(w.workspace(), "go list -deps . | grep x/sys/unix$")
		if status != 0 || out != "golang.org/x/sys/unix" {
			w.Errorf("%q, status %d", out, status)
		}
	})
}
