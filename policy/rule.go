package policy

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"
)

// A Rule says which calls it is about: a tool, such as Read, or a tool and a pattern for what it is given, such as
// Bash(git *). Whether these are denied, asked about or allowed is a matter of the list that it is in. Rules come from
// ParseRule, and are equal if they say the same; the zero Rule is about nothing.
type Rule struct {
	tool string // canonical, or the whole name of an MCP tool or server
	arg  string // "" for all of the tool
}

// A RuleError says where a rule is wrong.
type RuleError struct {
	Text   string // the rule
	Offset int    // where, in bytes from its beginning
	Reason string
}

// Error shows the rule, the place and the reason.
func (e *RuleError) Error() string {
	return fmt.Sprintf("rule %q, at byte %d: %s", e.Text, e.Offset, e.Reason)
}

const (
	mcpPrefix    = "mcp__"
	domainPrefix = "domain:"

	// maxRule is the most bytes that a rule may have. The longest that are of use are shell lines.
	maxRule = 64 << 10
)

// ParseRule reads a rule:
//
//	Read                        every call of a tool
//	Bash(git *)                 commands of which these are the words; * at the end is any more of them, also none
//	Bash(npm test)              this command
//	Bash(=ls *.go | sort)       this very line, in which nothing stands for something else
//	Edit(src/**)                files below the session's folder, as .gitignore would have it
//	Read(//etc/hosts)           a file by its absolute path
//	Read(~/.ssh/**)             files below the user's home
//	WebFetch(domain:go.dev)     addresses of a host; *.go.dev for those below it
//	mcp__server, mcp__server__tool
//	Tool(deploy)                a tool that only this agent has
//
// The error is a *RuleError.
func ParseRule(text string) (Rule, error) {
	fail := func(offset int, format string, args ...any) (Rule, error) {
		return Rule{}, &RuleError{Text: text, Offset: offset, Reason: fmt.Sprintf(format, args...)}
	}
	if len(text) > maxRule {
		return Rule{}, &RuleError{Text: text[:40] + "…", Offset: maxRule, Reason: fmt.Sprintf("longer than %d bytes", maxRule)}
	}
	if i := strings.IndexFunc(text, deceives); i >= 0 {
		return fail(i, "an invisible character, with which it looks like another rule")
	}
	name, rest, open := strings.Cut(text, "(")
	if name == "" {
		return fail(0, "no tool: a rule looks like Read or Bash(git *)")
	}
	if !open {
		if i := strings.IndexByte(name, ')'); i >= 0 {
			return fail(i, "a parenthesis that none opens")
		}
	} else if !strings.HasSuffix(rest, ")") {
		return fail(len(text), "the parenthesis at byte %d is not closed at the end", len(name))
	}
	if i := strings.IndexFunc(name, unicode.IsSpace); i >= 0 && !strings.HasPrefix(name, mcpPrefix) {
		return fail(i, "a blank in the name of a tool")
	}
	at := len(name) + 1
	arg := strings.TrimSuffix(rest, ")")
	if strings.HasPrefix(name, mcpPrefix) {
		return parseMCP(name, open, fail)
	}
	tool := toolNamed(name)
	if tool == "" {
		return fail(0, "unknown tool %q: it is one of %s, or mcp__server__tool", name, join(toolNames()))
	}
	if open && arg == "" {
		return fail(at, "nothing between the parentheses: leave them out for all of %s", tool)
	}
	if tool != Tool && (!open || arg == "*") {
		return Rule{tool: tool}, nil
	}
	if offset, err := checkArg(tool, arg); err != nil {
		return fail(at+offset, "%v", err)
	}
	return Rule{tool: tool, arg: arg}, nil
}

// MustRule is ParseRule for rules that are written in a program. It panics if the rule is wrong.
func MustRule(text string) Rule {
	r, err := ParseRule(text)
	if err != nil {
		panic(err)
	}
	return r
}

// ParseRules reads several rules. The error has all that are wrong.
func ParseRules(texts ...string) ([]Rule, error) {
	var rules []Rule
	var errs []error
	for _, text := range texts {
		r, err := ParseRule(text)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		rules = append(rules, r)
	}
	return rules, errors.Join(errs...)
}

func parseMCP(name string, open bool, fail func(int, string, ...any) (Rule, error)) (Rule, error) {
	if open {
		return fail(len(name), "an MCP tool takes no pattern: what it is given says nothing that a rule can know")
	}
	name = strings.TrimSuffix(name, "__*")
	if server, ok := strings.CutPrefix(name, mcpPrefix); !ok || strings.Trim(server, "_") == "" {
		return fail(len(name), "no server: a rule looks like mcp__server or mcp__server__tool")
	}
	if i := strings.IndexByte(name, '*'); i >= 0 {
		return fail(i, "a * is only for all tools of a server: mcp__server__*")
	}
	if strings.HasSuffix(name, "__") {
		return fail(len(name), "no tool after the server")
	}
	return Rule{tool: name}, nil
}

// checkArg looks whether a tool can have such a pattern. It returns where it can't.
func checkArg(tool, arg string) (int, error) {
	switch {
	case tool == Bash:
		_, offset, err := parsePattern(arg)
		return offset, err
	case tool == Tool:
		if arg == "" {
			return 0, errors.New("no name: a rule looks like Tool(deploy)")
		}
		if i := strings.IndexByte(arg, '*'); i >= 0 {
			return i, errors.New("a * in a tool's name")
		}
		return 0, nil
	case tool == WebFetch:
		return checkDomain(arg)
	case readsFiles(tool) || changesFiles(tool):
		return checkPath(arg)
	}
	return 0, fmt.Errorf("%s takes no pattern", tool)
}

func checkPath(arg string) (int, error) {
	if strings.HasPrefix(arg, "!") {
		return 0, errors.New("a rule is about what matches: put what doesn't into another list")
	}
	for i := range arg {
		if arg[i] < ' ' {
			return i, errors.New("a control character in a path")
		}
	}
	offset := 0
	for segment := range strings.SplitSeq(arg, "/") {
		if segment == ".." {
			return offset, errors.New("a path that leads upward: write it from // or ~")
		}
		if _, err := path.Match(segment, ""); err != nil {
			return offset, errors.New("a bracket or a backslash that is not finished")
		}
		offset += len(segment) + 1
	}
	return 0, nil
}

func checkDomain(arg string) (int, error) {
	host, ok := strings.CutPrefix(arg, domainPrefix)
	if !ok {
		return 0, errors.New("a pattern for addresses looks like domain:example.com")
	}
	name := strings.TrimPrefix(host, "*.")
	if name == "" || strings.Trim(name, ".") != name || strings.ContainsFunc(name, func(r rune) bool {
		return strings.ContainsRune("/*?#@\\", r) || unicode.IsSpace(r)
	}) {
		return len(domainPrefix), fmt.Errorf("%q is not the name of a host", host)
	}
	if !isASCII(name) {
		return len(domainPrefix), fmt.Errorf("%q has to be written as it is looked up, in ASCII: xn--…", host)
	}
	return 0, nil
}

// String is the rule as ParseRule reads it.
func (r Rule) String() string {
	if r.arg == "" {
		return r.tool
	}
	return r.tool + "(" + r.arg + ")"
}

// IsZero reports whether the rule is about nothing.
func (r Rule) IsZero() bool { return r == Rule{} }

// MarshalText writes the rule as ParseRule reads it.
func (r Rule) MarshalText() ([]byte, error) {
	if r.IsZero() {
		return nil, errors.New("a rule about nothing can't be written")
	}
	return []byte(r.String()), nil
}

// UnmarshalText reads a rule as ParseRule does.
func (r *Rule) UnmarshalText(text []byte) (err error) {
	*r, err = ParseRule(string(text))
	return err
}

// deceives reports whether a character makes a line or a rule look like another one: it changes the direction of what
// follows, or takes back what is before.
func deceives(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r == '\u200e' || r == '\u200f' || r == '\u061c':
		return true
	case '\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069', r == '\u2028', r == '\u2029':
		return true
	}
	return unicode.IsControl(r)
}
