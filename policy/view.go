package policy

import (
	"path/filepath"
	"slices"
	"strings"
)

// A deed is a sort of thing that a call does.
type deed int

const (
	other    deed = iota // something that isn't known, or an MCP tool's work
	reads                // reads a file, or looks into a folder
	changes              // changes a file
	runs                 // runs a command
	fetches              // gets something from elsewhere
	thinks               // touches nothing
	proposes             // asks for another mode, or hands work to a subagent: does nothing by itself
)

// A part is one thing that a call does. A call passes if each of its parts does.
type part struct {
	deed    deed
	path    string   // what it reads or changes, absolute and clean, or "" if that can't be known
	real    string   // the same after links, or "" if that can't be known
	command *command // what it runs
	away    bool     // it runs outside the roots, which only a rule for all of Bash covers
	late    bool     // another command of the line may have put a link in the way by then: see turnsPaths
	what    string   // for people, as the end of a sentence that begins with "it"
}

// A view is a call as rules look at it.
type view struct {
	call  *Call
	real  Place // the call's place, after links
	parts []part
	line  *line // of Bash, or nil
	lost  bool  // the line moves to another folder, so that relative paths may be anywhere
	find  func(string) (string, error)
}

// look takes a call apart.
func (p *Policy) look(c *Call) *view {
	v := &view{call: c, real: c.Place, find: p.Real}
	v.real.CWD = v.resolve(c.CWD)
	v.real.Home = v.resolve(c.home())
	v.real.Roots = nil
	for _, root := range c.roots() {
		if r := v.resolve(root); r != "" {
			v.real.Roots = append(v.real.Roots, r)
		}
	}
	switch {
	case c.Unclear != "":
		v.parts = []part{{what: c.Unclear}}
	case c.mcp():
		v.parts = []part{{what: "calls " + c.mcpName()}}
	case c.Tool == Bash:
		v.lookAtLine()
	case readsFiles(c.Tool):
		v.lookAtPaths(reads)
	case changesFiles(c.Tool):
		v.lookAtPaths(changes)
	case c.Tool == WebFetch, c.Tool == WebSearch:
		v.parts = []part{{deed: fetches, what: "fetches " + orElse(c.URL, "something")}}
	case c.Tool == Think:
		v.parts = []part{{deed: thinks, what: "thinks"}}
	case c.Tool == Task, c.Kind == "switch_mode":
		v.parts = []part{{deed: proposes, what: "proposes " + orElse(c.Name, c.String())}}
	default:
		v.parts = []part{{what: "calls " + c.String()}}
	}
	return v
}

// resolve returns an absolute path after links, or "" if it can't be known.
func (v *view) resolve(path string) string {
	if !filepath.IsAbs(path) {
		return ""
	}
	if v.find == nil {
		return filepath.Clean(path)
	}
	real, err := v.find(path)
	if err != nil || !filepath.IsAbs(real) {
		return ""
	}
	return filepath.Clean(real)
}

func (v *view) file(d deed, path string) part {
	what := "reads "
	if d == changes {
		what = "changes "
	}
	if !filepath.IsAbs(path) {
		return part{deed: d, what: what + "a file that can't be known"}
	}
	return part{deed: d, path: filepath.Clean(path), real: v.resolve(path), what: what + path}
}

func (v *view) lookAtPaths(d deed) {
	paths := v.call.Paths
	if len(paths) == 0 && looksAround(v.call.Tool) {
		paths = []string{v.call.dir()}
	}
	if len(paths) == 0 {
		paths = []string{""}
	}
	for _, path := range paths {
		v.parts = append(v.parts, v.file(d, absolute(v.call.dir(), path)))
	}
}

func (v *view) lookAtLine() {
	switch {
	case v.call.Foreign != "":
		v.line = &line{unread: "runs a line for " + v.call.Foreign + ", whose language is not understood"}
	default:
		v.line = readLine(v.call.Command)
	}
	if v.line.unread != "" {
		v.parts = []part{{deed: runs, command: &command{hidden: v.line.unread}, what: v.line.unread}}
		return
	}
	if dir := v.call.dir(); !v.inside(v.resolve(dir)) { // as with git -C: a rule for a command means it here
		away := &command{doubt: "runs in " + orElse(dir, "no folder") + ", which is in no root"}
		v.parts = append(v.parts, part{deed: runs, command: away, what: away.doubt, away: true})
	}
	v.lost = v.moves(v.line.commands)
	turns := slices.ContainsFunc(v.line.commands, turnsPaths)
	late := turns && v.line.unordered
	for _, c := range v.line.commands {
		v.parts = append(v.parts, part{deed: runs, command: c, late: late, what: "runs " + c.String()})
		late = late || turnsPaths(c)
	}
	for _, f := range v.line.files {
		d := reads
		if f.writes {
			d = changes
		}
		file := v.file(d, v.wordPath(f.file))
		file.late = turns
		v.parts = append(v.parts, file)
	}
	if len(v.line.commands)+len(v.line.files) == 0 {
		v.parts = append(v.parts, part{deed: runs, command: &command{doubt: "runs nothing"}, what: "runs nothing"})
	}
}

// turnsPaths reports whether a command may bring a link to where a path of the same line leads through: mv folder new; rm new/link/x.
// What that path is after links can't be known before the line runs.
func turnsPaths(c *command) bool {
	return slices.Contains([]string{"cp", "ln", "mv"}, c.base()) || slices.ContainsFunc(c.inner, turnsPaths)
}

// wordPath is the absolute path that a word of the line stands for, or "". A word that begins with ~ is none, since
// quotes are gone.
func (v *view) wordPath(w word) string {
	if !w.plain || strings.HasPrefix(w.text, "~") || w.text == "" || v.lost && !filepath.IsAbs(w.text) {
		return ""
	}
	return absolute(v.call.dir(), w.text)
}

// moves reports whether commands go to another folder than the one that they begin in.
func (v *view) moves(commands []*command) bool {
	return slices.ContainsFunc(commands, func(c *command) bool {
		switch c.base() {
		case "cd", "chdir", "pushd", "popd":
			return !v.stays(c)
		}
		return v.moves(c.inner)
	})
}

// stays reports whether a command only goes where the line begins anyway, as agents like to write it: cd /the/root && ….
func (v *view) stays(c *command) bool {
	if c.base() != "cd" || c.assigns > 0 || len(c.words) != 2 || !c.words[0].plain || c.words[0].text != "cd" || !c.words[1].plain {
		return false
	}
	target := c.words[1].text
	return filepath.IsAbs(target) && filepath.Clean(target) == filepath.Clean(v.call.dir())
}

// inside reports whether a path, after links, is in a root.
func (v *view) inside(path string) bool {
	return path != "" && slices.ContainsFunc(v.real.Roots, func(root string) bool { return below(root, path) })
}

// editable reports whether a path is in a root, is none itself, and is in no guarded folder below it.
func (v *view) editable(path string) bool {
	return v.inside(path) && !slices.ContainsFunc(v.real.Roots, func(root string) bool {
		if below(path, root) {
			return true
		}
		rel, err := filepath.Rel(root, path)
		return err != nil || below(root, path) && slices.ContainsFunc(segments(rel), guards)
	})
}

// passes reports whether a mode lets a part pass where no rule speaks.
func (v *view) passes(m Mode, p part) bool {
	if m == "" {
		m = ModeDefault
	}
	if !slices.Contains(Modes, m) {
		return false
	}
	switch p.deed {
	case thinks:
		return true
	case reads:
		return v.inside(p.real) && !p.late || m == ModeBypass
	case changes:
		return m == ModeAcceptEdits && !p.late && v.editable(p.real) || m == ModeBypass
	case runs:
		return v.stays(p.command) || m == ModeAcceptEdits && !p.late && v.onlyEdits(p.command) || m == ModeBypass
	}
	return m == ModeBypass
}

// fileCommands are the commands that acceptEdits lets pass, with the letters of the flags that they may have.
var fileCommands = map[string]string{"mkdir": "pv", "rm": "rRfvd", "mv": "fvnuT"}

// onlyEdits reports whether a command makes, removes or moves files inside the roots, and nothing else.
func (v *view) onlyEdits(c *command) bool {
	if c.hidden+c.doubt != "" || c.assigns > 0 || len(c.words) < 2 || len(c.inner) > 0 {
		return false
	}
	flags, ok := fileCommands[c.words[0].text]
	if !ok || !c.words[0].plain {
		return false
	}
	files, ended := 0, false
	for _, w := range c.words[1:] {
		switch {
		case w == plain("--") && !ended:
			ended = true
		case w.plain && len(w.text) > 1 && w.text[0] == '-' && !ended:
			if strings.Trim(w.text[1:], flags) != "" {
				return false
			}
		default:
			files++
			if !v.editable(v.resolve(v.wordPath(w))) {
				return false
			}
		}
	}
	return files > 0
}
