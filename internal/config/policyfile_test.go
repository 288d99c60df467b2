package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func policyOf(text string) (*Policy, error) { return parsePolicy("p.toml", []byte(text)) }

// A policy file has the rules of patchbay.toml by the same names, and tests with their places.
func TestAPolicyFileIsRead(t *testing.T) {
	p, err := policyOf(`permissions = "acceptEdits"
allow = ['Bash(git *)', "Read"]
ask = ['WebFetch']
deny = ['Bash(git push *)']

[[test]]
call = 'Bash(git push --force)'
verdict = "deny"
rule = 'Bash(git push *)'

[[test]]
call = 'Edit(/w/p/a)'
verdict = "allow"
cwd = "/w/p"
`)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(p.Permissions, p.Allow, p.Ask, p.Deny); got != "acceptEdits[Bash(git *) Read] [WebFetch] [Bash(git push *)]" {
		t.Errorf("got %s", got)
	}
	var tests []string
	for _, one := range p.Tests {
		tests = append(tests, fmt.Sprintf("%d %s %s %s %s", one.At.Line, one.Call, one.Verdict, one.Rule, one.CWD))
	}
	if got := strings.Join(tests, "; "); got != "6 Bash(git push --force) deny Bash(git push *) ; 11 Edit(/w/p/a) allow  /w/p" {
		t.Errorf("got %s", got)
	}
	if p, err = policyOf(""); err != nil || p.Permissions != "" || p.Tests != nil {
		t.Errorf("an empty file: %+v, %v", p, err)
	}
	if p, err = policyOf("test = [{call = 'Read(a)', verdict = 'allow'}]"); err != nil || len(p.Tests) != 1 || p.Tests[0].At.Line != 1 {
		t.Errorf("a list in a line: %+v, %v", p, err)
	}
}

// What is wrong with a file is said with its place. A rule that isn't read would restrict nothing.
func TestAPolicyFileIsReadStrictly(t *testing.T) {
	for text, want := range map[string]string{
		"denny = ['Read']":                 `p.toml:1:1: unknown key "denny"; did you mean "deny"?`,
		"deny = 'Read'":                    "p.toml:1:1: deny is a string, and has to be a list of strings",
		"\ndeny = ['Bash(rm']":             "p.toml:2:1: deny: rule",
		"permissions = 'all'":              "p.toml:1:1: permissions: unknown permission mode",
		"model = 'x'":                      `unknown key "model"`,
		"deny = [":                         "p.toml:1:",
		"test = 1":                         "p.toml:1:1: test is a whole number, and has to be tables: [[test]]",
		"test = [1]":                       "has to be tables",
		"[test]\ncall = 'Read(a)'":         "p.toml:1:2: test is a table, and has to be tables: [[test]]",
		"[[test]]\ncall = 'Read(a)'":       "p.toml:1:3: a test needs a verdict",
		"[[test]]\n[[test]]\ncall=''":      "p.toml:3:1: test.1.call: it is empty",
		"[[test]]\ncall='x'\nverdict='no'": "p.toml:3:1: test.0.verdict: unknown verdict",
		"[[test]]\ncall='x'\nverdict='ask'\nrule='Rea'": "p.toml:4:1: test.0.rule: rule",
		"[[test]]\ncalls='x'\nverdict='ask'":            `p.toml:2:1: unknown key "calls"; did you mean "call"?`,
	} {
		if p, err := policyOf(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %+v, %v; want %q", text, p, err, want)
		}
	}
	if _, err := ReadPolicy(filepath.Join(t.TempDir(), "none.toml")); err == nil {
		t.Error("a file that isn't there is a policy")
	}
	if _, err := ReadPolicy(t.TempDir()); err == nil {
		t.Error("a folder is a policy")
	}
	name := filepath.Join(t.TempDir(), "big.toml")
	if err := os.WriteFile(name, make([]byte, maxFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadPolicy(name); err == nil || !strings.Contains(err.Error(), "longer") {
		t.Errorf("got %v", err)
	}
}

// No file makes the reader stumble, and each that it takes has tests that can be run.
func FuzzPolicyFile(f *testing.F) {
	for _, text := range []string{
		"deny = ['Bash(rm *)']\n[[test]]\ncall = 'Bash(rm x)'\nverdict = 'deny'\nrule = 'Bash(rm *)'\n", "test = [{call='x', verdict='ask'}]", "[test]\na=1",
		"permissions = \"plan\"\n[[test.x]]\ny=1",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		p, err := parsePolicy("p.toml", doc)
		if err != nil {
			return
		}
		for _, test := range p.Tests {
			if test.Call == "" || test.At.Line < 1 {
				t.Errorf("a test without a call or a place: %+v in %q", test, doc)
			}
		}
	})
}
