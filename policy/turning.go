package policy

import (
	"regexp"
	"slices"
	"strings"
)

// A turn lists the flags that make a program do something else than people think of when they allow it: run another
// program, write to a file, change one, work elsewhere. Programs that aren't listed have none, or are known for it.
type turn struct {
	shorts string                        // letters of flags
	longs  []string                      // names of flags, with one dash or two
	begins []string                      // what other words begin with
	word   func(args []word, i int) bool // or nil
}

var turnings = map[string]turn{
	"find":    {longs: []string{"delete", "exec", "execdir", "ok", "okdir", "fprint", "fprint0", "fprintf", "fls"}},
	"bfs":     {longs: []string{"delete", "exec", "execdir", "ok", "okdir", "fprint", "fprint0", "fprintf", "fls", "rm"}},
	"fd":      {shorts: "xX", longs: []string{"exec", "exec-batch"}},
	"rg":      {longs: []string{"pre", "hostname-bin"}},
	"ag":      {longs: []string{"pager"}},
	"sort":    {shorts: "o", longs: []string{"output", "compress-program"}},
	"uniq":    {},
	"tree":    {shorts: "oR", longs: []string{"output"}},
	"tar":     {shorts: "IF", longs: []string{"use-compress-program", "to-command", "checkpoint-action", "rsh-command", "info-script", "new-volume-script"}},
	"zip":     {shorts: "T", longs: []string{"unzip-command", "test"}},
	"rsync":   {shorts: "e", longs: []string{"rsh", "rsync-path", "config"}},
	"ssh":     {shorts: "oFSw", begins: []string{"-o"}},
	"scp":     {shorts: "oSF"},
	"sftp":    {shorts: "oSFb"},
	"man":     {shorts: "PHC", longs: []string{"pager", "html", "config-file"}},
	"less":    {shorts: "oOk", longs: []string{"log-file", "LOG-FILE", "lesskey-file"}, begins: []string{"+"}},
	"go":      {longs: []string{"C", "exec", "toolexec", "vettool", "overlay", "modfile", "fixtool"}},
	"cargo":   {shorts: "C", longs: []string{"config"}},
	"npm":     {shorts: "C", longs: []string{"script-shell", "node-options", "prefix", "userconfig", "globalconfig", "shell", "call"}},
	"pnpm":    {shorts: "C", longs: []string{"script-shell", "shell-mode", "dir", "config"}},
	"yarn":    {longs: []string{"cwd", "script-shell", "use-yarnrc"}},
	"make":    {shorts: "EfCI", longs: []string{"eval", "file", "makefile", "directory", "include-dir"}, word: sets},
	"gmake":   {shorts: "EfCI", longs: []string{"eval", "file", "makefile", "directory", "include-dir"}, word: sets},
	"sed":     {shorts: "ife", longs: []string{"in-place", "file", "expression"}, word: sedTurns},
	"gsed":    {shorts: "ife", longs: []string{"in-place", "file", "expression"}, word: sedTurns},
	"awk":     {shorts: "filEopD", longs: []string{"file", "include", "load", "exec", "inplace"}, word: awkTurns},
	"gawk":    {shorts: "filEopD", longs: []string{"file", "include", "load", "exec", "inplace"}, word: awkTurns},
	"mawk":    {shorts: "fW", word: awkTurns},
	"vim":     {shorts: "cSsWwu", longs: []string{"cmd"}, begins: []string{"+"}},
	"vi":      {shorts: "cSsWwu", longs: []string{"cmd"}, begins: []string{"+"}},
	"nvim":    {shorts: "cSsWwul", longs: []string{"cmd"}, begins: []string{"+"}},
	"yq":      {shorts: "is", longs: []string{"inplace", "split-exp"}},
	"curl":    {shorts: "oOKDcT", longs: []string{"output", "output-dir", "remote-name", "remote-name-all", "config", "dump-header", "cookie-jar", "trace", "trace-ascii", "upload-file", "libcurl", "etag-save", "hsts", "alt-svc", "stderr"}},
	"wget":    {shorts: "e", longs: []string{"execute", "use-askpass", "config", "output-file"}},
	"date":    {shorts: "s", longs: []string{"set"}},
	"tcpdump": {shorts: "zw"},
	"nc":      {shorts: "ec", longs: []string{"exec", "sh-exec", "lua-exec"}},
	"ncat":    {shorts: "ec", longs: []string{"exec", "sh-exec", "lua-exec"}},
	"env":     {shorts: "CS", longs: []string{"chdir", "split-string"}},
	"time":    {shorts: "oa", longs: []string{"output", "append"}},
	"printf":  {shorts: "v"},
	"test":    {shorts: "vR"},
	"[":       {shorts: "vR"},
	"read":    {word: indexes},
	"unset":   {word: indexes},
	"mapfile": {shorts: "C", word: indexes},
	"wait":    {shorts: "p", word: indexes},
}

func init() {
	for alias, name := range map[string]string{"gfind": "find", "fdfind": "fd", "readarray": "mapfile", "gtar": "tar", "bsdtar": "tar", "nawk": "awk", "view": "vi"} {
		turnings[alias] = turnings[name]
	}
}

// turning says which words of a command make it do something else than its name says. An assignment always does: it may
// be PATH, or GIT_PAGER.
func turning(c *command) []bool {
	turns := make([]bool, len(c.words))
	for i, w := range c.words {
		turns[i] = i < c.assigns || declares(c) && isAssignment(w)
	}
	name := c.base()
	switch t, ok := turnings[name]; {
	case name == "git":
		copy(turns[c.assigns:], gitTurns(c.words[c.assigns:]))
	case ok:
		for i := c.assigns + 1; i < c.head; i++ {
			turns[i] = t.turns(c.words[c.assigns+1:c.head], i-c.assigns-1)
		}
	}
	if c.head+len(first(c.inner)) >= len(c.words) && len(c.inner) == 1 && c.head < len(c.words) {
		copy(turns[c.head:], c.inner[0].turns) // a wrapper: its words end with those of what it runs
	}
	return turns
}

func first(commands []*command) []word {
	if len(commands) == 0 {
		return nil
	}
	return commands[0].words
}

// declares reports whether the command's arguments are assignments.
func declares(c *command) bool {
	return slices.Contains([]string{"export", "declare", "local", "readonly", "typeset", "nameref", "env", "sudo", "alias"}, c.base())
}

func (t turn) turns(args []word, i int) bool {
	w := args[i]
	if !w.plain {
		ended := slices.Contains(args[:i], plain("--"))
		return w.mayBeFlag() && !ended || t.word != nil
	}
	text := w.text
	if t.word != nil && t.word(args, i) {
		return true
	}
	if slices.ContainsFunc(t.begins, func(b string) bool { return strings.HasPrefix(text, b) }) {
		return true
	}
	if len(text) < 2 || text[0] != '-' || slices.Contains(args[:i], plain("--")) {
		return false
	}
	name, _, _ := strings.Cut(strings.TrimLeft(text, "-"), "=")
	if slices.Contains(t.longs, name) {
		return true
	}
	if strings.HasPrefix(text, "--") { // many programs take the beginning of a name for it
		return len(name) > 1 && slices.ContainsFunc(t.longs, func(l string) bool { return strings.HasPrefix(l, name) })
	}
	return strings.ContainsAny(text[1:], t.shorts) && t.shorts != ""
}

// sets reports whether a word sets a variable of make, whose value is put into lines for the shell.
func sets(args []word, i int) bool {
	return strings.Contains(args[i].text, "=") && !strings.HasPrefix(args[i].text, "-")
}

// indexes reports whether a name has an index, which the shell evaluates.
func indexes(args []word, i int) bool { return strings.Contains(args[i].text, "[") }

// sedPlain are scripts that only print, delete and replace.
var sedPlain = regexp.MustCompile(func() string {
	const address = `([0-9]+|\$|/[^/\\\[;{}\n]*/)`
	replace := ""
	for _, d := range []string{"/", "|", "#", ","} {
		d = regexp.QuoteMeta(d)
		replace += strings.ReplaceAll(`|sD([^D\\\n\[]|\\[^\n]|\[\^?[^D\\\n\[\]^]+\])*D([^D\\\n]|\\[^\n])*D[gpiI0-9]*`, "D", d)
	}
	return `^(\s*` + address + `?(,\s*\+?` + address + `)?\s*!?\s*([pdq=]` + replace + `)\s*(;|\n|$))+$`
}())

// sedTurns reports whether a word is a script that may run commands or write files. The script is the first word that
// is no flag.
func sedTurns(args []word, i int) bool {
	for _, before := range args[:i] {
		if !before.plain {
			return true
		}
		if !strings.HasPrefix(before.text, "-") {
			return false
		}
	}
	text := args[i].text
	return !strings.HasPrefix(text, "-") && !sedPlain.MatchString(text)
}

// awkTurns reports whether a word may be a program that runs commands or writes files.
func awkTurns(args []word, i int) bool {
	text := args[i].text
	return strings.ContainsAny(text, "|>@") || strings.Contains(text, "system") || strings.Contains(text, "getline")
}
