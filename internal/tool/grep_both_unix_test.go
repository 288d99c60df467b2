//go:build unix

package tool_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/internal/tool"
)

// wilderness makes a tree with everything that the two ways to search might see differently: what is ignored, and by whom,
// what is hidden, links, and files that are no plain text.
func wilderness(t *testing.T) *place {
	p := at(t,
		"plain.txt", "needle one\nhay\nneedle two\n", "no-end.txt", "hay\nneedle", "empty.txt", "",
		"crlf.txt", "hay\r\nneedle\r\n", "mixed.txt", "needle\nhay\r\nneedle\r\n", "cr.txt", "hay\rneedle\rhay\n",
		"latin1.txt", "caf\xe9 needle\n", "invalid.txt", "\xff\xfe\xfdneedle\xc3\n", "bom.txt", "\ufeffneedle\n",
		"utf16.txt", "\xff\xfen\x00e\x00e\x00d\x00l\x00e\x00\n\x00", "binary", "needle\x00\nneedle\n",
		"late-binary", strings.Repeat("hay\n", 4000)+"needle\nzero\x00\n", "long.txt", strings.Repeat("hay ", 500)+"needle\n",
		".hidden", "needle\n", ".config/app.txt", "needle\n", "-dash", "needle\n", "a b.txt", "needle\n", "new\nline", "needle\n", "caf\xe9.txt", "needle\n",
		"[x].txt", "needle\n", "é.txt", "needle\n", "{a,b}.txt", "needle\n",

		".gitignore", "*.log\n!keep.log\n/build/\nfoo/*\n!foo/keep\nsecret*\n!secret.txt\n", ".git/info/exclude", "excluded\n", ".git/config", "needle\n",
		"a.log", "needle\n", "keep.log", "needle\n", "build/out.txt", "needle\n", "sub/build/in.txt", "needle\n", "foo/keep", "needle\n", "foo/drop", "needle\n",
		"secret.key", "needle\n", "secret.txt", "needle\n", "excluded", "needle\n", "node_modules/m/index.js", "needle\n",
		"sub/.gitignore", "!*.log\nkeep.log\n/only-here\nbuild/\n", "sub/b.log", "needle\n", "sub/keep.log", "needle\n", "sub/only-here", "needle\n",
		"sub/deep/only-here", "needle\n", "sub/deep/.gitignore", "*\n!*.txt\n!.gitignore\n", "sub/deep/x.txt", "needle\n", "sub/deep/x.md", "needle\n",

		".ignore", "plain.txt\n", ".rgignore", "crlf.txt\n", "sub/.ignore", "*\n", // which are ripgrep's own, and nobody else's
	)
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "out.txt"), []byte("needle\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	p.link("plain.txt", "link.txt")
	p.link("sub", "link-to-sub")
	p.link(outside, "link-out")
	p.link(filepath.Join(outside, "out.txt"), "link-out.txt")
	p.link("nowhere", "dangling")
	p.link(".", "sub/loop")
	return p
}

// Ripgrep or not, grep finds the same lines, files and places, in the same order, whatever there is in a tree.
func TestGrepIsTheSameWithRipgrepInAnyTree(t *testing.T) {
	program := ripgrep(t)
	p := wilderness(t)
	p.put("rg.conf", "--invert-match\n--max-count=1\n")
	t.Setenv("RIPGREP_CONFIG_PATH", filepath.Join(p.dir, "rg.conf")) // the user's, which is about the user's searches
	for i, pattern := range []string{"needle", "^needle$", "hay$", "ne+dle\\b", ".needle", "needle.", "\\x{FFFD}", "^.{3}needle", "e|zero"} {
		for j, more := range []string{
			``, `,"ignored":true`, `,"path":"sub"`, `,"path":"sub/deep","ignored":true`, `,"path":"foo"`, `,"path":"build"`, `,"path":"link.txt"`,
			`,"path":"link-to-sub"`, `,"path":".hidden"`, `,"path":"binary"`, `,"glob":"*.txt"`, `,"glob":"**/*.log"`, `,"glob":"sub/**"`, `,"glob":"[[]x].txt"`,
			`,"output":"files"`, `,"output":"count"`, `,"context":2`, `,"limit":5`, `,"ignore_case":true`, `,"literal":true`,
		} {
			if i > 2 && j > 1 {
				continue
			}
			input := fmt.Sprintf(`{"pattern":%s%s}`, quoteJSON(pattern), more)
			want, got := p.must(tool.Grep(""), input), p.must(tool.Grep(program), input)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: without and with ripgrep (-without +with):\n%s", input, diff)
			}
		}
	}
}

// What both find is what git doesn't ignore, hidden files included: no links, nothing binary, nothing of git's own.
func TestGrepFindsWhatGitDoesNotIgnore(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	p := wilderness(t)
	git := exec.Command("git", "init", "-q")
	git.Dir = p.dir
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p.put(".git/info/exclude", "excluded\n")
	var want []string
	for _, name := range p.oracle() {
		info, err := os.Lstat(filepath.Join(p.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !info.Mode().IsRegular() || strings.HasPrefix(name, "node_modules/") {
			continue
		}
		if text := p.text(name); strings.Contains(text, "needle") && !strings.Contains(text[:min(len(text), 8000)], "\x00") {
			want = append(want, name)
		}
	}
	if len(want) < 20 {
		t.Fatalf("git lists only %q", want)
	}
	grep(t, func(t *testing.T, grep *tool.Tool) {
		var got []string
		for _, l := range p.must(grep, `{'pattern':'needle','output':'files'}`).Locations {
			got = append(got, strings.TrimPrefix(l.Path, p.dir+"/"))
		}
		p.sameSet("needle", want, got)
	})
}
