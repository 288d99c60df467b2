package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/patchbay-dev/patchbay/policy"
)

// A Policy is a file that says what agents may do: the rules of patchbay.toml, by the same names, and tests of them. It is
// read as strictly as that one.
//
//	permissions = "acceptEdits"
//	allow = ['Bash(git *)']
//	deny = ['Bash(git push *)']
//
//	[[test]]
//	call = 'Bash(git push --force)'
//	verdict = "deny"
//	rule = 'Bash(git push *)'
type Policy struct {
	File             string
	Permissions      policy.Mode // "" if the file doesn't say
	PermissionsFrom  Source
	Allow, Ask, Deny []policy.Rule
	Origins          []Origin // of the rules
	Tests            []PolicyTest
}

// A PolicyTest is a test in a file.
type PolicyTest struct {
	policy.Test
	CWD string // the session's folder; "" if the test doesn't say
	At  Source
}

// policyShape is all that a policy file may say.
var policyShape = &shape{kind: table, fields: map[string]*shape{
	namePermissions: {kind: text, check: isMode},
	nameAllow:       {kind: strlist, check: eachRule},
	nameAsk:         {kind: strlist, check: eachRule},
	nameDeny:        {kind: strlist, check: eachRule},
	nameTest:        testShape,
}}

const nameTest = "test"

var testShape = &shape{kind: table, fields: map[string]*shape{
	"call":    {kind: text, check: notEmpty},
	"verdict": {kind: text, check: isVerdict},
	"rule":    {kind: text, check: isRule},
	"cwd":     {kind: text, check: notEmpty},
}}

// ReadPolicy reads a policy file. What is wrong with it is one or several *Error, which name the place.
func ReadPolicy(name string) (*Policy, error) {
	doc, err := contentOf(name)
	if err != nil {
		return nil, fmt.Errorf("read the policy: %w", err)
	}
	return parsePolicy(name, doc)
}

func parsePolicy(name string, doc []byte) (*Policy, error) {
	doc = []byte(strings.TrimPrefix(string(doc), "\ufeff"))
	r := &reader{file: name, kind: PolicyFile, found: settings{}}
	var tree map[string]any
	if err := toml.Unmarshal(doc, &tree); err != nil {
		return nil, r.syntax(err)
	}
	r.places = placesOf(doc)
	tests, tested := tree[nameTest]
	delete(tree, nameTest)
	r.table(policyShape, tree, nil)
	p := &Policy{File: name}
	if tested {
		p.Tests = r.tests(tests)
	}
	if err := r.failed(); err != nil {
		return nil, err
	}
	mode := get[string](r.found, namePermissions)
	p.Permissions, p.PermissionsFrom = policy.Mode(mode.Value), mode.From
	p.Allow = rulesOf(nameAllow, r.found, nil).Value
	p.Ask = rulesOf(nameAsk, r.found, nil).Value
	p.Deny = rulesOf(nameDeny, r.found, nil).Value
	p.Origins = originsOf(r.found, nil)
	return p, nil
}

// tests reads the tables [[test]].
func (r *reader) tests(value any) []PolicyTest {
	at := path{nameTest}
	list, ok := value.([]any)
	if !ok {
		r.wrong(at, "%s is %s, and has to be tables: [[%s]]", at, describe(value), nameTest)
		return nil
	}
	var tests []PolicyTest
	for i, one := range list {
		p := at.with(strconv.Itoa(i))
		fields, ok := one.(map[string]any)
		if !ok {
			r.wrong(at, "%s is %s, and has to be tables: [[%s]]", at, describe(one), nameTest)
			return nil
		}
		before := len(r.errs)
		r.table(testShape, fields, p)
		for _, name := range []string{"call", "verdict"} {
			if _, said := fields[name]; !said {
				r.wrong(p, "a test needs a %s", name)
			}
		}
		if len(r.errs) == before {
			tests = append(tests, r.test(p))
		}
	}
	return tests
}

func (r *reader) test(p path) PolicyTest {
	field := func(name string) string { return get[string](r.found, p.with(name)...).Value }
	t := PolicyTest{Test: policy.Test{Call: field("call")}, CWD: field("cwd"), At: r.at(p)}
	t.Verdict, _ = policy.ParseVerdict(field("verdict")) // the shape has seen to both
	if text := field("rule"); text != "" {
		t.Rule = policy.MustRule(text)
	}
	return t
}

func isMode(value any) error    { _, err := policy.ParseMode(value.(string)); return err }
func isVerdict(value any) error { _, err := policy.ParseVerdict(value.(string)); return err }
func isRule(value any) error    { _, err := policy.ParseRule(value.(string)); return err }

func notEmpty(value any) error {
	if strings.TrimSpace(value.(string)) == "" {
		return errors.New("it is empty")
	}
	return nil
}
