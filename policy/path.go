package policy

import (
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// foldsCase is set where names that differ in case are one file, as a rule. There a rule that denies doesn't look at case.
const foldsCase = runtime.GOOS == "darwin" || runtime.GOOS == "windows"

// guarded are folders whose files are programs or settings of one, and such files: what is written there is run later, or
// says what may be done without asking. A pattern allows changes there only if it has the name.
var guarded = []string{
	".git", ".hg", ".jj", ".svn", ".patchbay", "patchbay.toml", "patchbay-policy", ".claude", ".codex", ".cursor", ".gemini", ".opencode", ".qwen", ".mcp.json",
	".idea", ".vscode", ".zed", ".githooks", ".husky", ".envrc", ".ssh", ".bashrc", ".bash_profile", ".profile", ".zshrc", ".zshenv", ".zprofile",
}

func guards(segment string) bool {
	for _, g := range guarded {
		if strings.EqualFold(g, segment) {
			return true
		}
	}
	return false
}

// A glob is a pattern for paths, from the root of the file system on.
type glob []string

const anyDepth = "**"

// globs are what a pattern of a rule stands for in a place. There is more than one if it is wide: a rule that denies
// takes "/etc" for the root's as well as for the session's, since people mean either; one that allows takes the narrow
// meaning, which is .gitignore's.
func globs(pattern string, p Place, wide bool) []glob {
	if abs, ok := strings.CutPrefix(pattern, "//"); ok {
		return []glob{split(abs)}
	}
	if pattern == "~" || strings.HasPrefix(pattern, "~/") {
		home := p.home()
		if home == "" {
			return nil
		}
		return []glob{append(literal(home), split(pattern[1:])...)}
	}
	if p.CWD == "" {
		return nil
	}
	here := literal(p.CWD)
	all := make([]glob, 0, 2)
	inner := strings.Trim(strings.TrimSuffix(pattern, "/**"), "/")
	if anchored := strings.HasPrefix(pattern, "/") || strings.Contains(inner, "/") || strings.HasSuffix(pattern, "/**"); !anchored {
		here = append(here, anyDepth)
	}
	all = append(all, append(here[:len(here):len(here)], split(pattern)...))
	if wide && (strings.HasPrefix(pattern, "/") || filepath.VolumeName(pattern) != "") {
		all = append(all, split(pattern))
	}
	return all
}

// split takes a pattern apart. A slash at the end is all that is below.
func split(pattern string) glob {
	var g glob
	for segment := range strings.SplitSeq(pattern, "/") {
		if segment != "" && segment != "." {
			g = append(g, segment)
		}
	}
	if strings.HasSuffix(pattern, "/") && len(g) > 0 {
		g = append(g, anyDepth)
	}
	return g
}

// segments are the names of a clean absolute path.
func segments(name string) []string {
	return strings.FieldsFunc(filepath.ToSlash(name), func(r rune) bool { return r == '/' })
}

// literal is a path as a pattern that matches it alone.
func literal(name string) glob {
	g := glob(segments(name))
	for i, segment := range g {
		g[i] = quoteGlob(segment)
	}
	return g
}

var globQuoter = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

func quoteGlob(text string) string { return globQuoter.Replace(text) }

var globUnquoter = strings.NewReplacer(`\\`, `\`, `\*`, `*`, `\?`, `?`, `\[`, `[`)

func unquoteGlob(text string) string { return globUnquoter.Replace(text) }

// matches reports whether a path, as its segments, matches. The time it takes grows with the product of both lengths.
func (g glob) matches(segments []string, how matching) bool {
	// reached[i] is set if the first i segments match what was looked at of the pattern.
	reached := make([]bool, len(segments)+1)
	reached[0] = true
	for at, p := range g {
		next := make([]bool, len(segments)+1)
		if p == anyDepth {
			last := at == len(g)-1
			inside := false
			for i := range next {
				if i > 0 {
					inside = (inside || reached[i-1]) && !(how.narrow && guards(segments[i-1]))
				}
				next[i] = inside || reached[i] && (!last || how.itself)
			}
		} else {
			for i, segment := range segments {
				next[i+1] = reached[i] && segmentMatches(p, segment, how)
			}
		}
		reached = next
	}
	if how.parents {
		for _, r := range reached[1:] {
			if r {
				return true
			}
		}
	}
	return reached[len(segments)]
}

// matching says how strict a match of paths is.
type matching struct {
	narrow  bool // guarded folders must be named
	itself  bool // dir/** is also dir, which a search begins in
	parents bool // what is below a match matches, as with .gitignore
	fold    bool // case doesn't matter
}

func segmentMatches(pattern, segment string, how matching) bool {
	if how.narrow && guards(segment) {
		return pattern == segment
	}
	if how.fold {
		pattern, segment = strings.ToLower(pattern), strings.ToLower(segment)
	}
	ok, err := path.Match(pattern, segment)
	return ok && err == nil
}

// allowsPath reports whether a pattern covers a path that is read, or changed.
func allowsPath(pattern string, p Place, name string, changes bool) bool {
	how := matching{narrow: changes, itself: !changes}
	for _, g := range globs(pattern, p, false) {
		if g.matches(segments(name), how) {
			return true
		}
	}
	return false
}

// forbids reports whether a pattern that restricts is about a path, or about a folder that it is in.
func (g glob) forbids(name string) bool {
	return g.matches(segments(name), matching{itself: true, parents: true, fold: foldsCase})
}

// forbids reports whether a rule that restricts is about a path as it is written.
func (v *view) forbids(r Rule, name string) bool {
	return slices.ContainsFunc(globs(r.arg, v.call.Place, true), func(g glob) bool { return g.forbids(name) })
}

// forbidsReal reports whether a rule that restricts is about a path after links. The folder that the pattern names may
// be a link, too: /etc is one on macOS. A rule that allows doesn't follow it, since whoever may write there could turn it.
func (v *view) forbidsReal(r Rule, name string) bool {
	return slices.ContainsFunc(globs(r.arg, v.real, true), func(g glob) bool { return g.forbids(name) || v.follow(g).forbids(name) })
}

// follow replaces the folder that a pattern begins with by what it is after links.
func (v *view) follow(g glob) glob {
	n := slices.IndexFunc(g, func(segment string) bool { return strings.ContainsAny(segment, `*?[\`) })
	if n < 0 {
		n = len(g)
	}
	folder := strings.Join(g[:n], "/")
	if filepath.VolumeName(folder) == "" {
		folder = "/" + folder
	}
	real := v.resolve(filepath.FromSlash(folder))
	if real == "" {
		return g
	}
	return append(literal(real), g[n:]...)
}
