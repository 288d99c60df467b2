package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"mvdan.cc/sh/v3/syntax"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/confine"
)

// fileCommands are the commands that acceptEdits takes for edits, with the flags that change nothing about that.
var fileCommands = map[string]struct{ short, long []string }{
	"mkdir": {short: []string{"p", "v"}, long: []string{"--parents", "--verbose"}},
	"rm":    {short: []string{"d", "f", "i", "I", "r", "R", "v"}, long: []string{"--dir", "--force", "--recursive", "--verbose"}},
	"mv":    {short: []string{"f", "i", "n", "v"}, long: []string{"--force", "--no-clobber", "--verbose"}},
}

// isFileCommand reports whether the input of a tool is a shell line made only of mkdir, rm and mv, all of whose paths are
// inside the session's roots. Whatever it does not understand in full it takes for something else: an expansion, a
// redirection, a pattern, a flag, input of another shape.
func isFileCommand(space confine.Space, input acp.Raw) bool {
	line, cwd, ok := shellLine(input)
	if !ok {
		return false
	}
	if cwd != "" {
		if _, err := space.Resolve(cwd); err != nil {
			return false
		}
		if !filepath.IsAbs(cwd) {
			cwd = filepath.Join(space.Cwd, cwd)
		}
		space.Cwd = cwd
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	return err == nil && len(file.Stmts) > 0 && onlyFileCommands(space, file.Stmts...)
}

// shellLine finds the shell line in the input of a tool, and the folder that it runs in.
func shellLine(input acp.Raw) (line, cwd string, ok bool) {
	var in struct {
		Command acp.Raw  `json:"command"`
		Args    []string `json:"args"`
		Cwd     string   `json:"cwd"`
		Workdir string   `json:"workdir"`
	}
	if len(input) == 0 || json.Unmarshal(input, &in) != nil || len(in.Args) > 0 {
		return "", "", false
	}
	cwd = in.Cwd
	if in.Workdir != "" {
		cwd = in.Workdir
	}
	if json.Unmarshal(in.Command, &line) == nil {
		return line, cwd, true
	}
	var argv []string // as some agents have it: ["bash", "-lc", "mkdir a"]
	if json.Unmarshal(in.Command, &argv) != nil || len(argv) != 3 {
		return "", "", false
	}
	shell := slices.Contains([]string{"sh", "bash", "/bin/sh", "/bin/bash"}, argv[0]) && (argv[1] == "-c" || argv[1] == "-lc")
	return argv[2], cwd, shell
}

func onlyFileCommands(space confine.Space, statements ...*syntax.Stmt) bool {
	for _, s := range statements {
		if s.Negated || s.Background || s.Coprocess || s.Disown || len(s.Redirs) > 0 {
			return false
		}
		switch cmd := s.Cmd.(type) {
		case *syntax.CallExpr:
			if len(cmd.Assigns) > 0 || !isCall(space, cmd.Args) {
				return false
			}
		case *syntax.BinaryCmd:
			if (cmd.Op != syntax.AndStmt && cmd.Op != syntax.OrStmt) || !onlyFileCommands(space, cmd.X, cmd.Y) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func isCall(space confine.Space, words []*syntax.Word) bool {
	var args []string
	for _, w := range words {
		arg, ok := literal(w.Parts)
		if !ok {
			return false
		}
		args = append(args, arg)
	}
	command, known := fileCommands[args[0]]
	if !known {
		return false
	}
	paths, flags := 0, true
	for _, arg := range args[1:] {
		switch {
		case flags && arg == "--":
			flags = false
		case flags && strings.HasPrefix(arg, "--"):
			if !slices.Contains(command.long, arg) {
				return false
			}
		case flags && len(arg) > 1 && arg[0] == '-':
			for _, c := range arg[1:] {
				if !slices.Contains(command.short, string(c)) {
					return false
				}
			}
		default:
			if paths++; !isBelow(space, arg) {
				return false
			}
		}
	}
	return paths > 0
}

// literal returns what a word means, if that is what it says: it has no expansion and no pattern.
func literal(parts []syntax.WordPart) (string, bool) {
	var b strings.Builder
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, `*?[]{}~\`) {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			text, ok := literal(p.Parts)
			if !ok || p.Dollar {
				return "", false
			}
			b.WriteString(text)
		default:
			return "", false
		}
	}
	return b.String(), true
}

// isBelow reports whether a path is inside the roots and none of them itself, nor a folder that they are in.
func isBelow(space confine.Space, path string) bool {
	place, err := space.Resolve(path)
	if err != nil {
		return false
	}
	for _, root := range append([]string{space.Cwd}, space.Roots...) {
		at, err := space.Resolve(root)
		if err != nil {
			return false
		}
		if rel, err := filepath.Rel(place.Path, at.Path); err != nil || rel == "." || !strings.HasPrefix(rel, "..") {
			return false
		}
	}
	return true
}
