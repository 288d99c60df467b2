package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A place is a file or folder that may be changed.
type place struct{ named, real string }

// settle returns the real paths of what may be read and written.
//
// A process in the sandbox can put a link in the place of a folder that it may change, and the next process would be let
// through it to anywhere. So no path is followed through a link that lies in what may be changed, and none is needed that
// lies there itself.
func (p Policy) settle() (reads, writes []string, err error) {
	places, err := findPlaces(p.writes())
	if err != nil {
		return nil, nil, err
	}
	var walls []string
	for _, w := range places {
		walls = append(walls, w.named, w.real)
		if w.isOutside(places) {
			writes = append(writes, w.real)
		}
	}
	writes = outermost(writes)
	for _, w := range places {
		if !isBeneathAny(w.real, writes) {
			return nil, nil, fmt.Errorf("%s may not be changed: a link to it is in what may be changed itself", w.real)
		}
	}
	look := newLook(walls)
	for _, path := range p.Read {
		if err := checkPath(path); err != nil {
			return nil, nil, err
		}
		if real, ok := look.follow(path); ok {
			reads = append(reads, real)
		}
	}
	slices.Sort(reads)
	return slices.Compact(reads), writes, nil
}

func checkPath(path string) error {
	if !filepath.IsAbs(path) || strings.Contains(path, "\x00") {
		return fmt.Errorf("%q in the policy is no absolute path", path)
	}
	return nil
}

func findPlaces(paths []string) (places []place, err error) {
	for _, path := range paths {
		if err := checkPath(path); err != nil {
			return nil, err
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil, fmt.Errorf("what may be changed: %w", err)
		}
		places = append(places, place{filepath.Clean(path), real})
	}
	return places, nil
}

// isOutside reports whether a place is reached without passing through another.
func (w place) isOutside(places []place) bool {
	var walls []string
	for _, other := range places {
		if other.real != w.real {
			walls = append(walls, other.named, other.real)
		}
	}
	_, ok := newLook(walls).follow(w.named)
	return ok
}

// outermost leaves out the paths that are below others.
func outermost(paths []string) (kept []string) {
	slices.Sort(paths) // what is above comes before
	for _, path := range paths {
		if !isBeneathAny(path, kept) {
			kept = append(kept, path)
		}
	}
	return kept
}

// maxLinks is how many links a path may lead through, as the kernel has it.
const maxLinks = 40

// A look finds real paths. It does not look behind walls.
type look struct {
	walls []string
	plain map[string]bool // what is there and no link, since many paths begin alike
}

func newLook(walls []string) look { return look{walls, map[string]bool{}} }

// follow returns the real path of what is there.
func (l look) follow(path string) (real string, ok bool) {
	real, rest := "/", strings.Split(filepath.Clean(path), "/")
	for links := 0; len(rest) > 0; {
		step := filepath.Join(real, rest[0])
		if isBeneathAny(step, l.walls) {
			return "", false
		}
		if l.plain[step] {
			real, rest = step, rest[1:]
			continue
		}
		info, err := os.Lstat(step)
		if err != nil {
			return "", false
		}
		rest = rest[1:]
		if info.Mode()&os.ModeSymlink == 0 {
			l.plain[step], real = true, step
			continue
		}
		target, err := os.Readlink(step)
		if links++; err != nil || links > maxLinks {
			return "", false
		}
		if filepath.IsAbs(target) {
			real = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return real, true
}

func isBeneathAny(path string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return beneath(path, folder) })
}

// beneath reports whether a clean path is another one or is below it.
func beneath(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, folder)
	return ok && (rest == "" || rest[0] == '/' || folder == "/")
}
