package coder

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/patchbay-dev/patchbay/internal/tool"
)

// instructionFiles are the names under which projects tell agents how to work with them (S004.9), and how long one may be,
// in bytes: what is longer is cut.
var instructionFiles = []string{"AGENTS.md", "CLAUDE.md"}

const maxInstructions = 64 << 10

// An instruction is a file that tells agents how to work.
type instruction struct {
	path string
	text string
}

// instructionsAbove returns the instructions of a folder and those above it, the outermost first. The root of the repository
// that the folder is in is the last one looked at; outside of a repository it is the folder itself, since what lies above
// it is somebody else's.
func instructionsAbove(dir string, hides func(string) bool) ([]instruction, error) {
	var found []instruction
	var failed error
	for _, folder := range slices.Backward(foldersUp(dir)) {
		here, err := instructionsIn(folder, hides)
		found = append(found, here...)
		failed = errors.Join(failed, err)
	}
	return found, failed
}

// foldersUp returns a folder and those above it, up to the root of the repository that it is in.
func foldersUp(dir string) []string {
	folders := []string{dir}
	if root := repository(dir); root != "" {
		for dir != root {
			dir = filepath.Dir(dir)
			folders = append(folders, dir)
		}
	}
	return folders
}

// repository returns the folder at or above dir that holds a repository, "" if there is none.
func repository(dir string) string {
	for {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// instructionsIn returns the instructions of one folder. The two names are often one file, or the same text. What hides keeps
// from being read is an error.
func instructionsIn(dir string, hides func(string) bool) ([]instruction, error) {
	var found []instruction
	var failed error
	for _, name := range instructionFiles {
		path := filepath.Join(dir, name)
		text, err := readInstructions(path)
		if err == nil && hides(path) {
			err = errHidden(path)
		}
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				failed = errors.Join(failed, err)
			}
			continue
		}
		if text == "" || len(found) > 0 && found[0].text == text {
			continue
		}
		found = append(found, instruction{path, text})
	}
	return found, failed
}

// readInstructions reads one file. A link must not lead out of the folder's repository: what somebody else has put into it
// would have any file of the user's told to the provider.
func readInstructions(path string) (string, error) {
	b, err := readInside(path, boundary(filepath.Dir(path)), maxInstructions+1)
	if err != nil {
		return "", err
	}
	text := strings.ToValidUTF8(string(b), "\ufffd")
	if len(b) > maxInstructions {
		text = cutAt(text, maxInstructions) + "\n(cut here: the file is longer)"
	}
	return strings.TrimSpace(text), nil
}

// boundary returns what the files of a folder must not lead out of: its repository, or the folder itself.
func boundary(dir string) string { return cmp.Or(repository(dir), dir) }

// readInside reads a file that lies in a folder, links resolved, at most max bytes of it. An empty folder is any. Something
// that is no regular file could keep a reader for ever.
func readInside(path, folder string, max int64) ([]byte, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	if folder != "" {
		if folder, err = filepath.EvalSymlinks(folder); err != nil {
			return nil, err
		}
		if below, err := filepath.Rel(folder, real); err != nil || !filepath.IsLocal(below) {
			return nil, fmt.Errorf("%s leads out of %s", path, folder)
		}
	}
	info, err := os.Lstat(real)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	f, err := os.Open(real)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, max))
}

// cutAt returns the first n bytes of a text, or a little less so that no character is cut.
func cutAt(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// describe writes instructions for the model.
func describe(list []instruction) string {
	var b strings.Builder
	for _, i := range list {
		fmt.Fprintf(&b, "\n<instructions file=%q>\n%s\n</instructions>\n", i.path, i.text)
	}
	return b.String()
}

// moreInstructions are those of the folders that a call has to do with, below the working directory, which the model hasn't
// been told yet.
func (x *exchange) moreInstructions(job *tool.Job, r *tool.Result) string {
	if x.session.chosen().engine.scripted() || !x.session.config.Instructions.Value {
		return ""
	}
	locations := r.Locations
	if locations == nil {
		locations = job.Locations
	}
	var fresh []instruction
	for _, l := range locations {
		for _, dir := range foldersBetween(x.turn.Session().CWD(), filepath.Dir(l.Path)) {
			found, _ := instructionsIn(dir, x.session.hides) // what can't be read has no say here
			for _, i := range found {
				if x.session.told(i.path) {
					fresh = append(fresh, i)
				}
			}
		}
	}
	return describe(fresh)
}

// foldersBetween returns the folders below top down to dir, which is the last one; none if dir is not below top.
func foldersBetween(top, dir string) []string {
	below, err := filepath.Rel(top, dir)
	if err != nil || below == "." || !filepath.IsLocal(below) {
		return nil
	}
	var list []string
	for _, name := range strings.Split(below, string(filepath.Separator)) {
		top = filepath.Join(top, name)
		list = append(list, top)
	}
	return list
}
