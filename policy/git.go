package policy

import (
	"slices"
	"strings"
)

// gitCommands are Git's own. What else follows git may be an alias, which can run anything.
var gitCommands = strings.Fields(`
	add am annotate apply archive bisect blame branch bundle cat-file check-attr check-ignore check-mailmap check-ref-format checkout
	checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree config count-objects describe diff diff-files
	diff-index diff-tree fetch for-each-ref format-patch fsck gc grep hash-object help init interpret-trailers log ls-files ls-remote
	ls-tree maintenance merge merge-base merge-file merge-tree mktag mktree mv name-rev notes pack-refs prune pull push range-diff
	read-tree rebase reflog remote repack replace request-pull rerere reset restore rev-list rev-parse revert rm shortlog show
	show-branch show-index show-ref sparse-checkout stage stash status stripspace submodule switch symbolic-ref tag unpack-file
	update-index update-ref update-server-info var verify-commit verify-pack verify-tag version whatchanged worktree write-tree`)

// gitPlain are the flags before Git's command that change nothing but how it looks.
var gitPlain = []string{"--no-pager", "-P", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects", "--version", "-v", "--help", "-h"}

// gitValues are the flags before Git's command whose value is the next word.
var gitValues = []string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env", "--attr-source"}

// gitLongs are the flags of Git's commands that run a program, write to a file, or change the configuration. Git takes them in
// shorter forms, too.
var gitLongs = []string{
	"config", "exec", "ext-diff", "extcmd", "open-files-in-pager", "output", "receive-pack", "template", "textconv", "upload-pack", "upload-archive",
	"separate-git-dir",
}

// gitShorts are the letters that do the same.
var gitShorts = map[string]string{"clone": "cu", "rebase": "x", "grep": "O", "archive": "o", "format-patch": "o"}

// gitCommand returns where the command of a git line is, or the number of words if there is none.
func gitCommand(words []word) int {
	for i := 1; i < len(words); i++ {
		w := words[i]
		if !w.plain || !strings.HasPrefix(w.text, "-") {
			return i
		}
		if slices.Contains(gitValues, w.text) {
			i++
		}
	}
	return len(words)
}

// gitTurns says which words make git do something else than its command says.
func gitTurns(words []word) []bool {
	turns := make([]bool, len(words))
	at := gitCommand(words)
	for i := 1; i < at && i < len(words); i++ {
		turns[i] = !slices.Contains(gitPlain, words[i].text) || !words[i].plain
	}
	if at >= len(words) {
		return turns
	}
	name := words[at].text
	turns[at] = !words[at].plain || !slices.Contains(gitCommands, name)
	args := words[at+1:]
	for i, w := range args {
		turns[at+1+i] = gitArgTurns(name, args, i, w)
	}
	return turns
}

func gitArgTurns(name string, args []word, i int, w word) bool {
	if !w.plain { // e and f may become ext:: and fd::
		return w.mayBeFlag() && !slices.Contains(args[:i], plain("--")) || strings.HasPrefix(w.text, "e") || strings.HasPrefix(w.text, "f")
	}
	switch {
	case strings.HasPrefix(w.text, "ext::"), strings.HasPrefix(w.text, "fd::"):
		return true
	case i == 0 && name == "bisect" && w.text == "run", name == "submodule" && w.text == "foreach":
		return true
	case i == 0 && name == "config":
		return !slices.Contains([]string{"--get", "--get-all", "--get-regexp", "--list", "-l", "get", "list"}, w.text)
	case !strings.HasPrefix(w.text, "-") || slices.Contains(args[:i], plain("--")):
		return false
	}
	if long, ok := strings.CutPrefix(w.text, "--"); ok {
		flag, _, _ := strings.Cut(long, "=")
		return slices.ContainsFunc(gitLongs, func(l string) bool {
			return strings.HasPrefix(flag, l) || flag != "" && strings.HasPrefix(l, flag)
		})
	}
	return strings.ContainsAny(w.text, gitShorts[name]) && gitShorts[name] != ""
}

// gitPrograms are the ends of names in Git's configuration whose values it runs.
var gitPrograms = []string{
	"pager", "editor", "sshcommand", "fsmonitor", "cmd", "command", "driver", "clean", "smudge", "process", "textconv", "external", "program",
	"askpass", "helper", "proxy", "uploadpack", "receivepack",
}

// git finds what a git line runs beside git itself: aliases and programs that it configures, and commands of commands.
func (r *reader) git(c *command) {
	words := c.words[c.assigns:]
	at := gitCommand(words)
	for i := 1; i < at && i < len(words); i++ {
		setting, ok := strings.CutPrefix(words[i].text, "-c")
		if !ok {
			continue
		}
		if setting == "" && i+1 < len(words) {
			i++
			setting = words[i].text
		}
		r.gitSetting(c, setting, c.assigns+i+1)
	}
	if at+1 >= len(words) {
		return
	}
	args := words[at+1:]
	reach := c.assigns + at + 2
	switch name := words[at].text; {
	case name == "bisect" && args[0].text == "run":
		r.gitRuns(c, args[1:], reach)
	case name == "submodule":
		for i, w := range args {
			if w.text == "foreach" {
				r.gitForeach(c, args[i+1:], reach+i)
				break
			}
		}
	case name == "rebase" || name == "difftool":
		for i, w := range args {
			flag, value, has := strings.Cut(w.text, "=")
			switch {
			case has && strings.HasPrefix(flag, "--ex"):
				r.text(c, value, reach+i)
			case (w.text == "-x" || strings.HasPrefix(flag, "--ex")) && i+1 < len(args):
				r.lineOf(c, args[i+1:i+2], reach+i+1)
			}
		}
	case name == "filter-branch":
		c.hidden = "runs filters"
	}
}

func (r *reader) gitSetting(c *command, setting string, reach int) {
	key, value, _ := strings.Cut(setting, "=")
	key = strings.ToLower(key)
	script, shell := strings.CutPrefix(value, "!")
	switch {
	case strings.HasPrefix(key, "alias.") && !shell:
		r.text(c, "git "+value, reach)
	case shell || slices.ContainsFunc(gitPrograms, func(end string) bool { return strings.HasSuffix(key, end) }):
		if value != "" && value != "true" && value != "false" {
			r.text(c, script, reach)
		}
	}
}

// gitForeach reads the command of git submodule foreach: one word is a line, several are a command.
func (r *reader) gitForeach(c *command, args []word, reach int) {
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		args, reach = args[1:], reach+1
	}
	if len(args) == 1 {
		r.lineOf(c, args, reach+1)
		return
	}
	r.gitRuns(c, args, reach)
}

func (r *reader) gitRuns(c *command, args []word, begin int) {
	if len(args) > 0 {
		r.argv(c, slices.Clone(args), begin, nil)
	}
}
