package policy

import (
	"strings"
)

// isMCP reports whether a rule for an MCP server or tool is about a call. If the name can be taken apart in two ways,
// only a rule that restricts takes either.
func isMCP(rule string, c *Call, wide bool) bool {
	name := c.mcpName()
	if wide {
		rule, name = strings.ToLower(plainName(rule)), strings.ToLower(plainName(name))
	}
	if rule == name || c.Server != "" && rule == mcpPrefix+c.Server {
		return true
	}
	rest, ok := strings.CutPrefix(name, rule+"__")
	if !ok || strings.Contains(strings.TrimPrefix(rule, mcpPrefix), "__") {
		return wide && ok
	}
	return wide || c.Server == "" && rest != "" && !strings.Contains(rest, "__")
}

// plainName is a name as agents write it that allow few characters.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

// covers reports whether a rule that allows is about a part, and about all of it. Commands are covered by several rules
// together: see cover.
func (v *view) covers(r Rule, p part) bool {
	c := v.call
	switch {
	case strings.HasPrefix(r.tool, mcpPrefix):
		return c.Unclear == "" && c.mcp() && isMCP(r.tool, c, false)
	case c.mcp():
		return false
	case r.arg == "" && r.tool == c.Tool:
		return true
	case c.Unclear != "":
		return false
	case r.tool == Bash && v.line != nil:
		return v.isLine(r) && !p.away
	case r.tool == Tool:
		return c.Tool == "" && c.Name != "" && r.arg == c.Name
	case r.tool == WebFetch:
		return c.Tool == WebFetch && hostMatches(r.arg, hostOf(c.URL), false)
	case p.deed == reads:
		return (r.tool == Read || r.tool == c.Tool && looksAround(r.tool)) && v.coversPath(r, p)
	case p.deed == changes:
		return (r.tool == Edit || r.tool == c.Tool || r.tool == Write && c.Tool == Bash) && changesFiles(r.tool) && v.coversPath(r, p)
	}
	return false
}

// isLine reports whether a rule has the very line of the call.
func (v *view) isLine(r Rule) bool {
	p, _, err := parsePattern(r.arg)
	return err == nil && v.line.unread == "" && p.line != "" && p.line == strings.TrimSpace(v.call.Command)
}

func (v *view) coversPath(r Rule, p part) bool {
	return p.real != "" && !p.late && (r.arg == "" || allowsPath(r.arg, v.real, p.real, p.deed == changes))
}

// cover returns the rules that together are about all of a command, or false.
func (v *view) cover(rules []Rule, c *command) ([]Rule, bool) {
	var own Rule
	for _, r := range rules {
		if r.tool != Bash || r.arg == "" {
			continue
		}
		p, _, err := parsePattern(r.arg)
		if err != nil || !p.covers(c) {
			continue
		}
		if len(c.inner) == 0 || p.names(c) {
			return []Rule{r}, true
		}
		own = r
	}
	if len(c.inner) == 0 {
		return nil, false
	}
	if own.IsZero() && !(c.through && c.hidden == "" && c.plainHead()) {
		if own = v.coverHead(rules, c); own.IsZero() {
			return nil, false
		}
	}
	var used []Rule
	if !own.IsZero() {
		used = append(used, own)
	}
	for _, inner := range c.inner {
		more, ok := v.cover(rules, inner)
		if !ok {
			return nil, false
		}
		used = append(used, more...)
	}
	return used, true
}

// coverHead returns a rule that is about a command's own words, without those that it runs.
func (v *view) coverHead(rules []Rule, c *command) Rule {
	head := &command{words: c.words[:c.head], assigns: c.assigns, turns: c.turns[:c.head], hidden: c.hidden, doubt: c.doubt}
	for _, r := range rules {
		if r.tool != Bash || r.arg == "" {
			continue
		}
		if p, _, err := parsePattern(r.arg); err == nil && p.covers(head) {
			return r
		}
	}
	return Rule{}
}

// plainHead reports whether the words before what a command runs are text, and turn nothing.
func (c *command) plainHead() bool {
	for i, w := range c.words[:c.head] {
		if !w.plain || c.turns[i] || i == c.assigns && strings.Contains(w.text, "/") {
			return false
		}
	}
	return true
}
