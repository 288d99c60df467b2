package policy_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/patchbay-dev/patchbay/policy"
)

// pieces are tokens of lines that Bash(git *) allows, if nothing comes between.
var pieces = [][]string{
	{"git", "status", "--short"},
	{"git", "log", "--oneline", "-n", "5", "HEAD~2"},
	{"git", "commit", "-m", `"fix: a; b && c"`},
	{"git", "commit", "-m", `'it is $(not) run'`},
	{"git", "add", "--", "*.go", `"$FILE"`},
	{"git", "log", ">", "/dev/null", "2>&1"},
	{"timeout", "5", "git", "fetch", "origin"},
	{"env", "git", "diff", "--", "a b.txt"},
	{"(", "git", "status", ")"},
	{"{", "git", "status", ";", "}"},
	{"if", "git", "diff", "--quiet", ";", "then", "git", "status", ";", "fi"},
	{"[[", "-f", "x", "]]", "&&", "git", "status"},
	{"cd", "/w/p", "&&", "git", "status"},
	{"for", "f", "in", "a", "b", ";", "do", "git", "add", "--", `"$f"`, ";", "done"},
}

var injections = []string{
	"; rm -rf ~ ;", "; rm -rf ~", "&& rm -rf ~ &&", "|| rm -rf ~ ;", "| rm -rf ~", "& rm -rf ~ &", "\nrm -rf ~\n", "$(rm -rf ~)", "`rm -rf ~`",
	"<(rm -rf ~)", "; (rm -rf ~) ;", `"$(rm -rf ~)"`, "; sh -c 'rm -rf ~' ;", "; eval rm -rf '~' ;", "> ~/.bashrc", "; rm -rf ~ #", "${x:-$(rm -rf ~)}",
	"; { rm -rf ~; } ;", "\n\n rm -rf ~ &\n", "|& rm -rf ~", "; PATH=/tmp ;", "; find . -delete ;",
}

// Whatever is put between any two tokens of an allowed line, it is not allowed with it.
func TestInjectedCommandIsNeverAllowed(t *testing.T) {
	p := policy.Policy{Allow: rules(t, "Bash(git *)")}
	rapid.Check(t, func(t *rapid.T) {
		var tokens []string
		for i, piece := range rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 3).Draw(t, "pieces") {
			if i > 0 {
				tokens = append(tokens, rapid.SampledFrom([]string{"&&", "||", ";", "|", "\n"}).Draw(t, "between"))
			}
			tokens = append(tokens, piece...)
		}
		plain := strings.Join(tokens, " ")
		if d := p.Decide(shell(plain)); d.Verdict != policy.Allow {
			t.Fatalf("%q is %v without anything put in: %s", plain, d.Verdict, d.Reason)
		}
		at := rapid.IntRange(0, len(tokens)).Draw(t, "at")
		with := strings.Join(tokens[:at], " ") + " " + rapid.SampledFrom(injections).Draw(t, "injection") + " " + strings.Join(tokens[at:], " ")
		if d := p.Decide(shell(with)); d.Verdict == policy.Allow {
			t.Fatalf("%q is allowed: %s", with, d.Reason)
		}
	})
}

// A rule that denies rm finds it between any two tokens, where the line can be read at all.
func TestInjectedCommandIsDenied(t *testing.T) {
	p := policy.Policy{Mode: policy.ModeBypass, Deny: rules(t, "Bash(rm *)")}
	rapid.Check(t, func(t *rapid.T) {
		tokens := rapid.SampledFrom(pieces).Draw(t, "piece")
		at := rapid.IntRange(0, len(tokens)).Draw(t, "at")
		injection := rapid.SampledFrom([]string{"; rm -rf ~ ;", "$(rm -rf ~)", "`rm -rf ~`", "| sudo rm -rf ~", "&& env X=Y rm -rf ~ &&", "\nrm -rf ~\n"}).Draw(t, "injection")
		with := strings.Join(tokens[:at], " ") + " " + injection + " " + strings.Join(tokens[at:], " ")
		if d := p.Decide(shell(with)); d.Verdict == policy.Allow {
			t.Fatalf("%q is allowed: %s", with, d.Reason)
		}
	})
}

// FuzzDecide looks for lines that confuse the reader. Seeds are the corpus.
func FuzzDecide(f *testing.F) {
	for _, c := range readLines(f) {
		f.Add(c.line)
	}
	narrow := policy.Policy{Allow: rules(f, "Bash(git *)")}
	guarded := policy.Policy{Mode: policy.ModeBypass, Deny: rules(f, "Bash(rm *)")}
	f.Fuzz(func(t *testing.T, line string) {
		d := narrow.Decide(shell(line))
		if e := narrow.Explain(shell(line)); e.Decision.Verdict != d.Verdict {
			t.Errorf("%q: decided %v, explained %v", line, d.Verdict, e.Decision.Verdict)
		}
		if d.Verdict == policy.Allow {
			if more := narrow.Decide(shell(line + "\n\nrm -rf ~")); more.Verdict == policy.Allow && !strings.Contains(line, "<<") && !strings.HasSuffix(line, `\`) {
				t.Errorf("%q is allowed with another line", line)
			}
			if !strings.Contains(line, "git") && !strings.ContainsAny(line, `'"\`) {
				t.Errorf("%q is allowed without a git in it", line)
			}
		}
		if guarded.Decide(shell(line+"\n\nrm -rf ~")).Verdict == policy.Allow && !strings.Contains(line, "<<") && !strings.HasSuffix(line, `\`) {
			t.Errorf("%q hides another line", line)
		}
		suggestion(t, &policy.Policy{}, shell(line))
	})
}

// suggestion checks that a suggested rule lets the very call pass that it was made for, and can be kept and read again.
func suggestion(t *testing.T, p *policy.Policy, c policy.Call) policy.Rule {
	t.Helper()
	r, ok := p.Suggest(c)
	if !ok {
		return r
	}
	again, err := policy.ParseRule(r.String())
	if err != nil || again != r {
		t.Fatalf("%v: suggested %q, which reads as %v (%v)", &c, r, again, err)
	}
	with := policy.Policy{Allow: []policy.Rule{again}}
	if d := with.Decide(c); d.Verdict != policy.Allow {
		t.Fatalf("%v: suggested %s, with which it is %v: %s", &c, r, d.Verdict, d.Reason)
	}
	return r
}

// FuzzParseRule checks that what is read is written as it is read, and that errors name a place in the rule.
func FuzzParseRule(f *testing.F) {
	for _, text := range []string{
		"Read", "Bash(git *)", "Bash(npm run test:*)", "Bash(=ls * | sort)", "Edit(src/**)", "Read(~/.ssh/**)", "Read(//etc/[a-c]*)", "mcp__a__b", "mcp__a__*",
		"WebFetch(domain:*.example.com)", "Tool(deploy)", "Bash(", "Bash()", "(x)", "Bash(a) ", "Read(../x)", "Bash('a)", "run_shell_command(x)",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := policy.ParseRule(text)
		if err != nil {
			var wrong *policy.RuleError
			if !errors.As(err, &wrong) || wrong.Offset < 0 || wrong.Offset > len(text) || wrong.Reason == "" {
				t.Errorf("%q: %#v", text, err)
			}
			return
		}
		if again, err := policy.ParseRule(r.String()); err != nil || again != r {
			t.Errorf("%q reads as %q, and that as %q (%v)", text, r, again, err)
		}
		p := policy.Policy{Deny: []policy.Rule{r}}
		p.Decide(shell("cat /w/p/x > y"))
		p.Decide(policy.Call{Place: here, Tool: policy.Read, Paths: []string{"/w/p/x"}})
	})
}
