package tool

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Where a walk doesn't go.
var (
	// versionDirs hold what version control keeps for itself.
	versionDirs = []string{".git", ".hg", ".svn"}

	// moduleDir counts as ignored, since it is by everybody who remembers to say so.
	moduleDir = "node_modules"
)

// A walk goes through a folder on this machine and all below it, in the order of their names. Links are not followed, what
// version control keeps for itself is not looked into, and what can't or may not be read is passed over.
type walk struct {
	ctx  context.Context
	env  Env
	top  Path
	root *os.Root // of top

	// visit is called for everything. If it returns fs.SkipDir for a folder, that isn't looked into; another error ends
	// the walk.
	visit func(e entry) error
}

// An entry is what a walk comes by.
type entry struct {
	fs.DirEntry
	name    string // below the folder that is walked through, with slashes
	ignored bool   // by a .gitignore, or by the .git/info/exclude of its repository
	version bool   // it belongs to version control
}

// left reports whether an entry, with all that is in it, is to be left out of what a tool finds.
func (e entry) left(ignoredToo bool) bool { return e.version || e.ignored && !ignoredToo }

// walkTree goes through a folder.
func walkTree(ctx context.Context, env Env, top Path, visit func(e entry) error) error {
	root, err := top.openRoot()
	if err != nil {
		return err
	}
	defer root.Close()
	w := &walk{ctx: ctx, env: env, top: top, root: root, visit: visit}
	return w.folder(".", w.above())
}

// folder goes through a folder in which these rules hold.
func (w *walk) folder(dir string, stack []ignoreRules) error {
	entries, err := w.read(dir)
	if err != nil {
		if dir == "." {
			return reason(err)
		}
		return w.ctx.Err() // or else it is passed over
	}
	stack = append(slices.Clip(stack), w.rules(dir, entries))
	for _, e := range entries {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if err := w.one(path.Join(dir, e.Name()), e, stack); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) one(name string, d fs.DirEntry, stack []ignoreRules) error {
	if w.env.Hides(w.top.at(name).Abs) {
		return nil
	}
	e := entry{DirEntry: d, name: name, version: slices.Contains(versionDirs, d.Name())}
	e.ignored = e.version || d.Name() == moduleDir || ignored(stack, name, d.IsDir())
	err := w.visit(e)
	switch {
	case d.IsDir() && errors.Is(err, fs.SkipDir):
		return nil
	case err != nil || !d.IsDir() || e.version:
		return err
	}
	return w.folder(name, stack)
}

func (w *walk) read(dir string) ([]fs.DirEntry, error) {
	f, err := w.root.Open(filepath.FromSlash(dir))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, err
}

// rules reads the rules of a folder.
func (w *walk) rules(dir string, entries []fs.DirEntry) ignoreRules {
	r := ignoreRules{dir: strings.TrimPrefix(dir, ".")}
	if dir != "." {
		r.dir = dir
	}
	has := func(name string) bool {
		return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name })
	}
	read := func(name string) string {
		text, whole := readIn(w.root, path.Join(dir, name), maxIgnoreFile)
		if !whole {
			return ""
		}
		return string(text)
	}
	if has(".git") {
		r.rules = parseIgnore(read(".git/info/exclude"))
	}
	if has(".gitignore") {
		r.rules = append(r.rules, parseIgnore(read(".gitignore"))...)
	}
	return r
}

// above reads the rules of the folders above, up to the one that is a repository, as far as they are inside the roots.
func (w *walk) above() []ignoreRules {
	var stack []ignoreRules
	below := ""
	for dir := w.top.place.Path; !w.exists(dir, ".git"); {
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		if _, err := w.env.Resolve(parent); err != nil {
			break
		}
		below = path.Join(filepath.Base(dir), below)
		rules := append(parseIgnore(w.text(parent, ".git/info/exclude")), parseIgnore(w.text(parent, ".gitignore"))...)
		stack = append(stack, ignoreRules{below: below, rules: rules})
		dir = parent
	}
	slices.Reverse(stack)
	return stack
}

func (w *walk) exists(dir, name string) bool {
	p, err := w.env.Resolve(filepath.Join(dir, name))
	if err != nil {
		return false
	}
	_, err = p.stat()
	return err == nil
}

func (w *walk) text(dir, name string) string {
	p, err := w.env.Resolve(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		return ""
	}
	text, _ := p.bytes(w.ctx, maxIgnoreFile)
	return string(text)
}

// at returns the Path of something that a walk has come by.
func (p Path) at(name string) Path {
	local := filepath.FromSlash(name)
	return Path{Abs: filepath.Join(p.Abs, local), Short: filepath.Join(p.Short, local)}
}

// readIn reads a regular file that a walk has come by. One that can't be read is as good as empty; whole is false if it has
// more than max bytes.
func readIn(root *os.Root, name string, max int64) (text []byte, whole bool) {
	name = filepath.FromSlash(name)
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return nil, true
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, true
	}
	defer f.Close()
	text, err = readAll(context.Background(), f, info.Size(), max)
	if large := (*tooLargeError)(nil); errors.As(err, &large) {
		return nil, false
	}
	return text, true
}
