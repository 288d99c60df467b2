package tool

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// A grep looks for a pattern, and collects what it finds.
type grep struct {
	in      grepInput
	pattern *pattern
	top     Path
	wanted  func(name string) bool
	ripgrep string

	lines, files int // with a match
	large        int // files that were too large
	more         bool
	text         strings.Builder
	where        []acp.ToolCallLocation
}

// look goes through the file or the folder. The error is errEnough if there is more than can be shown.
func (g *grep) look(ctx context.Context, env Env) error {
	info, err := g.top.stat()
	if err != nil {
		return err
	}
	if !info.IsDir() {
		text, err := g.top.bytes(ctx, maxGrepFile)
		if err != nil {
			return err
		}
		return g.file(ctx, g.top, text)
	}
	root, err := g.top.openRoot()
	if err != nil {
		return err
	}
	defer root.Close()
	b := &batch{ctx: ctx, grep: g, root: root, bind: env.Bind}
	err = walkTree(ctx, env, g.top, func(e entry) error {
		switch {
		case e.left(g.in.Ignored):
			return skip(e)
		case !e.Type().IsRegular() || !g.wanted(e.name):
			return nil
		}
		if info, err := e.Info(); err == nil && info.Size() > maxGrepFile {
			g.large++
			return nil
		}
		return b.add(e.name)
	})
	if err != nil {
		return err
	}
	return b.look()
}

// A batch is files that are looked through at once, in their order.
type batch struct {
	ctx   context.Context
	grep  *grep
	root  *os.Root
	bind  func(*exec.Cmd) error
	names []string
	bytes int // of the names
}

// What a batch has at most. Windows has 32 KiB for a command line.
const (
	maxBatch      = 512
	maxBatchBytes = 24 << 10
)

// add takes a file, and looks through the batch when it is large enough.
func (b *batch) add(name string) error {
	b.names = append(b.names, name)
	b.bytes += len(name) + 3
	if len(b.names) < maxBatch && b.bytes < maxBatchBytes {
		return nil
	}
	return b.look()
}

func (b *batch) look() error {
	names := b.names
	b.names, b.bytes = nil, 0
	if b.grep.ripgrep != "" && len(names) > 0 {
		names = ripgrepFilter(b.ctx, b.grep.ripgrep, b.grep.top.place.Path, b.bind, b.grep.pattern, names)
	}
	for _, name := range names {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		text, _ := readIn(b.root, name, maxGrepFile)
		if err := b.grep.file(b.ctx, b.grep.top.at(name), text); err != nil {
			return err
		}
	}
	return nil
}

// file looks through a file.
func (g *grep) file(ctx context.Context, path Path, content []byte) error {
	if isBinary(content) {
		return nil
	}
	text := string(content)
	if !g.pattern.mayMatch(ctx, text) {
		return ctx.Err()
	}
	lines := slices.Collect(strings.Lines(text))
	var matches []int
	for i := range lines {
		lines[i] = strings.TrimSuffix(strings.TrimSuffix(lines[i], "\n"), "\r")
		if g.pattern.matches(ctx, lines[i]) {
			matches = append(matches, i)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if len(matches) == 0 {
		return nil
	}
	return g.found(path, lines, matches)
}

// found shows what was found in a file.
func (g *grep) found(path Path, lines []string, matches []int) error {
	if g.in.Output != grepFiles && g.in.Output != grepCount {
		return g.content(path, lines, matches)
	}
	if g.files == g.in.Limit {
		g.more = true
		return errEnough
	}
	g.files++
	g.lines += len(matches)
	g.where = append(g.where, path.location(0))
	g.text.WriteString(filepath.ToSlash(path.Short))
	if g.in.Output == grepCount {
		fmt.Fprintf(&g.text, ":%d", len(matches))
	}
	g.text.WriteString("\n")
	return nil
}

// content shows the lines of a file that match, and those around them.
func (g *grep) content(path Path, lines []string, matches []int) error {
	if g.lines == g.in.Limit || g.text.Len() > maxGrepBytes {
		g.more = true
		return errEnough
	}
	g.files++
	shown := -1 // the last line that was shown
	for i, at := range matches {
		if g.lines == g.in.Limit || g.text.Len() > maxGrepBytes {
			g.more = true
			return errEnough
		}
		first := max(at-g.in.Context, shown+1)
		last := min(at+g.in.Context, len(lines)-1)
		if i+1 < len(matches) {
			last = min(last, matches[i+1]-1)
		}
		if apart := i == 0 || first > shown+1; apart && g.in.Context > 0 && g.text.Len() > 0 {
			g.text.WriteString("--\n")
		}
		for n := first; n <= last; n++ {
			g.line(path, n, lines[n], n == at)
		}
		shown = last
		g.lines++
		g.where = append(g.where, path.location(at+1))
	}
	return nil
}

func (g *grep) line(path Path, i int, text string, match bool) {
	sign := "-"
	if match {
		sign = ":"
	}
	fmt.Fprintf(&g.text, "%s%s%d%s%s\n", filepath.ToSlash(path.Short), sign, i+1, sign, clip(strings.ToValidUTF8(text, "\uFFFD"), maxMatchLine))
}

func (g *grep) result() *Result {
	summary := fmt.Sprintf("%s in %s with %q", count(g.lines, "line"), count(g.files, "file"), g.in.Pattern)
	switch {
	case g.lines == 0:
		summary = fmt.Sprintf("Nothing in %s matches %q", g.top.Short, g.in.Pattern)
	case g.more:
		summary += "; there is more, so look for less at once"
	}
	if g.large > 0 {
		summary += fmt.Sprintf(" (%s over %d MiB not looked at)", count(g.large, "file"), maxGrepFile>>20)
	}
	r := textResult(summary, g.text.String())
	r.Locations = slices.Clip(g.where)
	return r
}
