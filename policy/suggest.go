package policy

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// Suggest says what an "always" of the user's would cover for a call that is asked about: the rule to show, and to keep
// as it is shown (F59). It is false if no rule would have such a call pass: one that isn't understood, or that a rule
// denies or asks about each time.
//
// For a shell line that is one command of a program with subcommands, that is these words and whatever follows:
// Bash(git push *); for any other line, the line as it is. For a change of files in the roots, it is their folder and
// all below; elsewhere, the file. For a fetch it is the host, and for an MCP tool the tool. One that covers less asks
// once more than it had to; one that covers more does what nobody allowed.
func (p *Policy) Suggest(c Call) (Rule, bool) {
	v := p.look(&c)
	for _, text := range v.suggestions() {
		r, err := ParseRule(text)
		if err != nil {
			continue
		}
		with := Policy{Mode: p.Mode, Deny: p.Deny, Ask: p.Ask, Allow: append(slices.Clone(p.Allow), r), Real: p.Real}
		if with.decide(v, nil).Verdict == Allow {
			return r, true
		}
	}
	return Rule{}, false
}

// SuggestReject says what an "always" covers that rejects. For a change of files that is the file, not its folder: what
// restricts is taken as wide as it can be meant, and a line that so much as names a file in the folder would be rejected.
// Otherwise it is as Suggest says.
func (p *Policy) SuggestReject(c Call) (Rule, bool) {
	allowed, ok := p.Suggest(c)
	if !ok || !changesFiles(c.Tool) {
		return allowed, ok
	}
	for _, text := range p.look(&c).suggestFile(c.Tool, "") {
		if r, err := ParseRule(text); err == nil {
			return r, true
		}
	}
	return Rule{}, false
}

// suggestions are rules that may do, the best first.
func (v *view) suggestions() []string {
	c := v.call
	switch {
	case c.Unclear != "":
		return nil
	case c.mcp():
		if strings.Contains(c.Server, "__") || strings.HasSuffix(c.Server, "_") || strings.HasPrefix(c.ServerTool, "_") {
			return nil // whose name is also that of another server's tool
		}
		return []string{c.mcpName()}
	case c.Tool == Bash:
		return v.suggestLine()
	case changesFiles(c.Tool):
		tool := c.Tool
		if tool == Write {
			tool = Edit
		}
		return v.suggestFolder(tool)
	case looksAround(c.Tool):
		return v.suggestFile(c.Tool, "/**")
	case c.Tool == Read:
		return v.suggestFile(Read, "")
	case c.Tool == WebFetch:
		return []string{"WebFetch(domain:" + hostOf(c.URL) + ")"}
	case c.Kind == acp.ToolKindSwitchMode:
		return nil // what it asks for is another set of permissions
	case c.Tool == "":
		return []string{"Tool(" + c.Name + ")"}
	}
	return []string{c.Tool}
}

func (v *view) suggestLine() []string {
	if v.line == nil || v.line.unread != "" {
		return nil
	}
	text := strings.TrimSpace(v.call.Command)
	var all []string
	if len(v.line.commands) == 1 && len(v.line.files) == 0 {
		if words := v.line.commands[0].beginning(); words != nil {
			all = append(all, "Bash("+strings.Join(words, " ")+" *)")
		}
	}
	if p, _, err := parsePattern(text); err == nil && p.line == text {
		return append(all, "Bash("+text+")")
	}
	return append(all, "Bash(="+text+")")
}

// haveSubcommands are programs whose first argument says what they do. What other programs do, their flags may say: find
// looks, until it is told to delete.
var haveSubcommands = []string{
	"bundle", "cargo", "composer", "dotnet", "gh", "git", "glab", "go", "gradle", "hg", "jj", "mix", "mvn", "npm", "pip", "pip3", "pnpm",
	"poetry", "rustup", "svn", "uv", "yarn",
}

// runAnything are subcommands that say nothing, since they run what comes next.
var runAnything = []string{"dlx", "eval", "exec", "run", "tool", "x"}

// plainWord is what the name of a subcommand looks like, as opposed to a flag, a path or a pattern.
var plainWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_:+-]*$`)

// beginning returns the words that say what a command does, or nil if they don't.
func (c *command) beginning() []string {
	if c.hidden+c.doubt != "" || c.assigns > 0 || len(c.inner) > 0 || len(c.words) < 2 || slices.Contains(c.turns, true) {
		return nil
	}
	n := 2
	if c.words[1].text == "run" && len(c.words) > 2 {
		n = 3
	}
	var words []string
	for i, w := range c.words {
		switch {
		case !w.plain:
			return nil
		case i < n:
			words = append(words, w.text)
		}
	}
	if !slices.Contains(haveSubcommands, words[0]) || n == 2 && slices.Contains(runAnything, words[1]) {
		return nil
	}
	if slices.ContainsFunc(words[1:], func(w string) bool { return !plainWord.MatchString(w) }) {
		return nil
	}
	return words
}

// rooted is an absolute path as a pattern.
func rooted(path string) string {
	return "//" + strings.TrimPrefix(quoteGlob(filepath.ToSlash(path)), "/")
}

// suggestFolder suggests the folder that all files are in, if it is in the roots, or the only file.
func (v *view) suggestFolder(tool string) []string {
	folder := ""
	for i, p := range v.parts {
		dir := filepath.Dir(p.real)
		if !v.inside(p.real) || !v.inside(dir) || i > 0 && dir != folder {
			return v.suggestFile(tool, "")
		}
		folder = dir
	}
	return append([]string{tool + "(" + rooted(folder) + "/**)"}, v.suggestFile(tool, "")...)
}

// suggestFile suggests the only file, or what is below it. It may have several names.
func (v *view) suggestFile(tool, suffix string) []string {
	if len(v.parts) == 0 || v.parts[0].real == "" || slices.ContainsFunc(v.parts, func(p part) bool { return p.real != v.parts[0].real }) {
		return nil
	}
	return []string{tool + "(" + rooted(v.parts[0].real) + suffix + ")"}
}
