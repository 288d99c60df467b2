package tool

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"
)

// Ripgrep returns where the program rg is installed, or nothing.
func Ripgrep() string {
	path, err := exec.LookPath("rg")
	if err != nil {
		return ""
	}
	return path
}

// ripgrepFilter has ripgrep say which files of a folder may match, and returns them in the order that they have. It finds
// them faster than package regexp does, and that is all that it is for: what a line is, what a binary file is and what
// is ignored is decided here. If it doesn't know, or can't be bound as bind does it, all files may match.
func ripgrepFilter(ctx context.Context, program, dir string, bind func(*exec.Cmd) error, p *pattern, names []string) []string {
	args := []string{"--no-config", "--files-with-matches", "--null", "--text", "--encoding=none", "--color=never", "--no-messages"}
	if p.line == nil {
		args = append(args, "--fixed-strings", "--regexp="+p.literal)
	}
	for _, expr := range p.rust {
		args = append(args, "--regexp="+expr)
	}
	args = append(args, "--")
	for _, name := range names {
		args = append(args, "./"+name)
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	if bind(cmd) != nil {
		return names
	}
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		return names // such as a file that has gone meanwhile, or an expression that Rust doesn't take
	}
	found := map[string]bool{}
	for name := range bytes.SplitSeq(out, []byte{0}) {
		found[strings.TrimPrefix(string(name), "./")] = true
	}
	kept := names[:0]
	for _, name := range names {
		if found[name] {
			kept = append(kept, name)
		}
	}
	return kept
}
