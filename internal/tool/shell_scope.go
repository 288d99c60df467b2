package tool

import (
	"regexp"
	"runtime"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// plainWord is what the name of a subcommand looks like, as opposed to a flag, a path or a pattern.
var plainWord = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_:+-]*$`)

// haveSubcommands are programs whose first argument says what they do. What other programs do, their flags may say: find
// looks, until it is told to delete.
var haveSubcommands = []string{
	"bundle", "cargo", "composer", "dotnet", "gh", "git", "glab", "go", "gradle", "hg", "jj", "mix", "mvn", "npm", "pip", "pip3", "pnpm",
	"poetry", "rustup", "svn", "uv", "yarn",
}

// runAnything are subcommands that say nothing, since they run what comes next.
var runAnything = []string{"dlx", "eval", "exec", "run", "tool", "x"}

// maxScoped is how long a command line may be to be understood, in bytes: the parser takes the square of its depth, and a
// stack that a line of a MiB can overflow.
const maxScoped = 4 << 10

// commandScope says what an "always" of the user's covers for a command line. For a single command of a program that has
// subcommands, these two with whatever follows: "go test" for "go test ./...", and "npm run build" for that script. For
// everything else, such as several commands, a redirection, a variable, or a program that may do anything, the line as it
// is. An "always" that covers less asks once more than it had to; one that covers more does what nobody allowed (F59).
func commandScope(line string) string {
	whole := strings.TrimSpace(line)
	if runtime.GOOS == "windows" || len(line) > maxScoped { // cmd.exe reads lines in another way
		return whole
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil || len(file.Stmts) != 1 || len(file.Last) > 0 {
		return whole
	}
	s := file.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Negated || s.Background || s.Coprocess || s.Disown || len(s.Redirs) > 0 || len(call.Assigns) > 0 || !literal(call) {
		return whole
	}
	if words := beginning(call.Args); words != nil {
		return strings.Join(words, " ")
	}
	return whole
}

// beginning returns the words at the beginning of a command that say what it does, or nil if they don't.
func beginning(args []*syntax.Word) []string {
	if len(args) < 2 || !slices.Contains(haveSubcommands, args[0].Lit()) {
		return nil
	}
	words := []string{args[0].Lit(), args[1].Lit()}
	if words[1] == "run" && len(args) > 2 {
		words = append(words, args[2].Lit())
	} else if slices.Contains(runAnything, words[1]) {
		return nil
	}
	for _, word := range words[1:] {
		if !plainWord.MatchString(word) {
			return nil
		}
	}
	for _, word := range args[2:] {
		if turns(words[0], word) {
			return nil
		}
	}
	return words
}

// turning are the names of flags that make a subcommand do something else than its name says: write to a file, run a
// program, work elsewhere. Programs take them in shorter forms, too.
var turning = []string{
	"config", "exec", "ext-diff", "git-dir", "modfile", "node-options", "open-files-in-pager", "output", "overlay", "pager", "prefix",
	"receive-pack", "script-shell", "textconv", "toolexec", "upload-pack", "vettool", "work-tree",
}

// turns reports whether a word is such a flag, or may be one. Git takes what belongs to a letter right behind it.
func turns(program string, word *syntax.Word) bool {
	text := word.Lit()
	if text == "" { // in quotes, or put together
		text = printed(word)
	}
	flag := strings.TrimLeft(text, `-'"`)
	if !strings.HasPrefix(strings.TrimLeft(text, `'"`), "-") || flag == "" {
		return false
	}
	name, _, _ := strings.Cut(flag, "=")
	if short := !strings.HasPrefix(text, "--"); short && strings.ContainsRune("oOxcCeu", rune(name[0])) && (len(name) == 1 || program == "git") {
		return true
	}
	return slices.ContainsFunc(turning, func(t string) bool {
		return strings.HasPrefix(name, t) || len(name) > 1 && strings.HasPrefix(t, name)
	})
}

// printed is a word as it was written.
func printed(word *syntax.Word) string {
	var b strings.Builder
	if syntax.NewPrinter().Print(&b, word) != nil {
		return "-" // which nothing is known of
	}
	return b.String()
}

// literal reports whether a command's words are text: no command, no variable and no process is put into them.
func literal(call *syntax.CallExpr) bool {
	plain := true
	syntax.Walk(call, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp:
			plain = false
		}
		return plain
	})
	return plain
}
