package policy

import (
	"path/filepath"
	"strings"
)

// takeFolders are commands that do something to all that is below a folder which they name: those that change it, and those
// that read it. Commands that look for something are left out: they begin in the session's folder more often than not.
var takeFolders = map[bool][]string{
	true:  {"mv", "rm", "rsync"},
	false: {"cp", "mv", "rsync", "scp", "tar", "zip"},
}

// holds reports whether a rule that restricts is about something below a folder, which is removed or moved with it. Where the rule
// is about names at any depth, such as *.sql, nobody knows what there is: then it is about no folder but those that it names.
func (v *view) holds(r Rule, path, real string) bool {
	for _, g := range globs(r.arg, v.call.Place, true) {
		if g.isBelow(path) {
			return true
		}
	}
	for _, g := range globs(r.arg, v.real, true) {
		if g.isBelow(real) || v.follow(g).isBelow(real) {
			return true
		}
	}
	return false
}

func (v *view) holdsWord(r Rule, w word) bool {
	path := v.anyPath(w.text)
	return w.plain && path != "" && v.holds(r, filepath.Clean(path), v.resolve(path))
}

// isBelow reports whether what the pattern matches is below a folder.
func (g glob) isBelow(folder string) bool {
	names := segments(folder)
	if len(g) <= len(names) || len(names) == 0 {
		return false
	}
	for i, name := range names {
		if g[i] == anyDepth || !segmentMatches(g[i], name, matching{fold: foldsCase}) {
			return false
		}
	}
	return true
}

// mayBecome reports whether a word of which the beginning alone is known may turn out to be a file that a rule names: .e* is .env.
func (v *view) mayBecome(r Rule, beginning string) bool {
	folder, name := filepath.Split(beginning)
	if name == "" {
		return false
	}
	for _, g := range globs(r.arg, v.call.Place, true) {
		for len(g) > 0 && g[len(g)-1] == anyDepth {
			g = g[:len(g)-1]
		}
		if len(g) == 0 {
			continue
		}
		last := unquoteGlob(g[len(g)-1])
		if strings.HasPrefix(last, name) && v.forbids(r, filepath.Join(folder, last)) {
			return true
		}
	}
	return false
}
