package tool_test

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/internal/tool"
)

// oracle returns the files that git doesn't ignore.
func (p *place) oracle() []string {
	p.Helper()
	cmd := exec.Command("git", "-c", "core.excludesFile=", "ls-files", "--others", "--exclude-standard", "-z")
	cmd.Dir = p.dir
	out, err := cmd.Output()
	if err != nil {
		p.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// repository makes a repository of git's.
func repository(t *testing.T, files ...string) *place {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	p := at(t, files...)
	cmd := exec.Command("git", "init", "-q")
	cmd.Dir = p.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return p
}

// globbed returns the files that glob finds.
func (p *place) globbed(input string) []string {
	p.Helper()
	_, list, _ := strings.Cut(p.must(tool.Glob(), input).Text, "\n")
	return strings.Split(strings.TrimSuffix(list, "\n"), "\n")
}

// sameSet compares lists whose orders differ: git's is that of whole paths.
func (p *place) sameSet(about string, want, got []string) {
	p.Helper()
	set := func(list []string) map[string]bool {
		m := map[string]bool{}
		for _, name := range list {
			m[name] = true
		}
		return m
	}
	if diff := cmp.Diff(set(want), set(got)); diff != "" {
		p.Errorf("%s: git doesn't ignore, glob finds (-want +got):\n%s", about, diff)
	}
}

// What a line of .gitignore means is what git says that it means, save that ? is one character and not one byte.
func TestGitignoreMeansWhatGitSays(t *testing.T) {
	files := []string{"a", "", "a.log", "", "b/a", "", "b/a.log", "", "b/c/a.log", "", "b/c/keep.log", "", "x{y}", "", "#a", "", "!a", "", "s ", "", "d[1]", "", "d1", "",
		"a/b/x", "", "v/x/a/b", "", "v/a/c/a/b", "", "foo/keep", "", "foo/other", "", "foo/bar/keep", "", "back\\slash", "", "v/foo/z", "", "**", "", "xxfoo", ""}
	for i := 0; i < len(files); i += 2 {
		if files[i] == "a" {
			files[i] = "a/a" // a folder
		}
	}
	p := repository(t, files...)
	for _, lines := range []string{
		"*.log", "/*.log", "*.log\n!keep.log", "a/", "a", "/a", "b/a", "**/a", "b/**", "b/**/a.log", "a/**/b", "**/a/b", "foo/**\n!foo/keep", "foo/*\n!foo/keep",
		"foo/\n!foo/keep", "x{y}", "x{y,z}", "\\#a", "#a", "\\!a", "s", "s\\ ", "s   ", "d[1]", "d[!2]", "d[^2]", "d\\[1\\]", "?", "b\r\nfoo\r", "\ufeffb", "!b\nb", "b\n!b",
		"back\\\\slash", "**", "*", "**/", "/**", "*\n!*/\n!*.log", "**foo", "v/**foo", "b/c/", "/b/c", "c/", "c", "b//c", "[", "a\\", "/", "", "foo", "/foo/bar", "bar/",
	} {
		p.put(".gitignore", lines)
		p.sameSet(fmt.Sprintf("%q", lines), p.oracle(), p.globbed(`{'pattern':'*'}`))
	}
}

// The rules of inner folders come before those of outer ones, those of a repository's own list last, and what is in an
// ignored folder can't be taken back.
func TestGitignoreIsNested(t *testing.T) {
	p := repository(t, ".gitignore", "*.log\n/out\n", "a/.gitignore", "!keep.log\n/x\n", "a/b/.gitignore", "keep.log\n!x\n", "out/.gitignore", "!*\n", "out/f", "",
		"a.log", "", "a/keep.log", "", "a/other.log", "", "a/b/keep.log", "", "a/x", "", "a/b/x", "", "excluded", "", "a/excluded", "")
	p.put(".git/info/exclude", "excluded\n")
	p.sameSet("nested", p.oracle(), p.globbed(`{'pattern':'*'}`))
	// The rules of folders above hold too. A folder that is named is looked into.
	p.sameSet("in a/b", []string{"a/b/.gitignore", "a/b/x"}, p.globbed(`{'pattern':'*','path':'a/b'}`))
	p.sameSet("in out", []string{"out/.gitignore", "out/f"}, p.globbed(`{'pattern':'*','path':'out'}`))
}

// Whatever is generated, git and glob agree.
func TestGitignoreOfAnyKind(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	for range 15 {
		p := repository(t)
		for range 40 {
			p.putUnlessFolder(randomPath(pick), "")
		}
		for range 3 {
			var lines strings.Builder
			for range 1 + random.IntN(4) {
				lines.WriteString(pick("", "!", "") + pick("", "/", "**/", "") + pick("a", "b", "*", "?b", "[ab]", "a*", "**") + pick("", "/b", "/*", "/**", "/**/c", "/") + "\n")
			}
			p.putUnlessFolder(pick("", "a/", "b/", "a/b/")+".gitignore", lines.String())
		}
		p.sameSet(p.dir, p.oracle(), p.globbed(`{'pattern':'*'}`))
		if t.Failed() {
			for _, name := range []string{"", "a/", "b/", "a/b/"} {
				if text, err := p.try(name + ".gitignore"); err == nil {
					t.Logf("%s.gitignore: %q", name, text)
				}
			}
			return
		}
	}
}

func randomPath(pick func(...string) string) string {
	name := pick("a", "b", "ab", "c")
	for range 3 {
		if pick("", "deeper") != "" {
			name += "/" + pick("a", "b", "ab", "c", "bb")
		}
	}
	return name
}

// Ripgrep or not, grep finds the same, in the same order.
func TestGrepIsTheSameWithRipgrep(t *testing.T) {
	program := ripgrep(t)
	random := rand.New(rand.NewPCG(3, 4))
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	word := func() string {
		return pick("foo", "Foo", "bar", "foobar", "é", "éfoo", "\xe9", "a\xffb", "\u212a", "k", "1", "_", ".", "(", "\r", "\t", " ", " ", "\xe2\x82", "\ufeff", "z\x00", "日本")
	}
	p := at(t)
	for range 120 {
		var text strings.Builder
		for range random.IntN(12) {
			for range random.IntN(5) {
				if w := word(); w != "z\x00" || random.IntN(20) == 0 {
					text.WriteString(w)
				}
			}
			text.WriteString(pick("\n", "\n", "\r\n", "\n\n"))
		}
		p.putUnlessFolder(randomPath(pick), text.String()+pick("", "foo"))
	}
	p.put(".gitignore", "ab\n")
	found := false
	for _, pattern := range []string{"foo", "^foo", "foo$", "^$", "^.$", "a.b", "...", `\bfoo\b`, `\Bfoo`, `\w\W`, `[^a-z]foo`, `\Afoo\z`, "é", "(?i)FOO", "k", "(?i)k", `\d|_`, `\s$`, "foo|bar$",
		"日.", `\.`, `[[:upper:]]`, `\x{e9}`, `\pL\PL`, "x*", "(foo){2}|a?.b", `(`, `\\(`, `[\-\[&&~~]`, `.\t`, "\ufeff.", `^\s*foo\s*$`, `.{3,}é`, `\r`, `(?s).`, `(?U)f.*`, "\uFFFD", "[\uFFFD]"} {
		for _, options := range []string{
			`,"limit":1000`, pick(`,"literal":true`, `,"ignore_case":true`, `,"literal":true,"ignore_case":true`) + pick("", `,"context":1`, `,"output":"count"`, `,"limit":7`),
		} {
			input := fmt.Sprintf(`{"pattern":%s%s}`, quoteJSON(pattern), options)
			with, err := p.prepare(tool.Grep(program), input)
			if err != nil {
				continue // no expression, or none within lines
			}
			without, _ := p.prepare(tool.Grep(""), input)
			got, err := with.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want, err := without.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.Text, got.Text); diff != "" {
				t.Errorf("%s: without and with ripgrep (-without +with):\n%s", input, diff)
			}
			found = found || !strings.HasPrefix(got.Text, "Nothing")
		}
	}
	if !found {
		t.Error("nothing was found at all")
	}
}

// Without an answer from ripgrep, grep looks by itself.
func TestGrepDoesWithoutRipgrep(t *testing.T) {
	p := at(t, "a", "foo\n")
	for _, program := range []string{"/nowhere/rg", "false", "true"} {
		if path, err := exec.LookPath(program); err == nil {
			program = path
		}
		r := p.must(tool.Grep(program), `{'pattern':'foo'}`)
		if want := strings.HasPrefix(r.Text, "1 line in 1 file"); want != (program == "/nowhere/rg") {
			t.Errorf("%s: got %q", program, r.Text) // the others say that nothing was found
		}
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	p.put("rg", "#!/bin/sh\nexit 2\n")
	p.chmod("rg", 0o755)
	p.wantText(p.must(tool.Grep(p.dir+"/rg"), `{'pattern':'foo','glob':'a'}`), "1 line in 1 file with \"foo\"\na:1:foo\n")
}
