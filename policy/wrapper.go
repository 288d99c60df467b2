package policy

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A wrapper is a program that runs the command in its arguments.
type wrapper struct {
	flags   string   // letters of flags without a value
	values  string   // letters of flags that take a value
	bare    []string // names of flags without a value
	longs   []string // names of flags that take a value, maybe as the next word
	skip    int      // words of its own before the command
	through bool     // it adds nothing: a rule for what it runs is enough, unless there are flags that aren't listed here
	scripts string   // letters of flags whose value is a line for the shell
}

var xargs = wrapper{
	flags: "0rtpxoi", bare: []string{"null", "no-run-if-empty", "verbose", "interactive", "exit", "replace"},
	values: "EIJLnPsdaRS", longs: []string{"arg-file", "delimiter", "max-args", "max-procs", "max-lines", "max-chars"},
}

var wrappers = map[string]wrapper{
	"builtin":     {through: true},
	"command":     {flags: "p", through: true},
	"coproc":      {through: true},
	"nohup":       {through: true},
	"setsid":      {flags: "cfw", through: true},
	"chronic":     {through: true},
	"unbuffer":    {through: true},
	"exec":        {flags: "cl", values: "a", through: true},
	"nice":        {values: "n", longs: []string{"adjustment"}, through: true},
	"ionice":      {values: "cnpPu", longs: []string{"class", "classdata"}, through: true},
	"stdbuf":      {values: "ioe", longs: []string{"input", "output", "error"}, through: true},
	"timeout":     {flags: "v", bare: []string{"verbose", "foreground", "preserve-status"}, values: "ks", longs: []string{"kill-after", "signal"}, skip: 1, through: true},
	"gtimeout":    {flags: "v", bare: []string{"verbose", "foreground", "preserve-status"}, values: "ks", longs: []string{"kill-after", "signal"}, skip: 1, through: true},
	"time":        {flags: "pvq", values: "f", longs: []string{"format"}, through: true},
	"env":         {flags: "i0v", bare: []string{"ignore-environment", "null"}, values: "uC", longs: []string{"unset", "chdir"}, scripts: "S", through: true},
	"caffeinate":  {values: "tw"},
	"sudo":        {flags: "AbEHnPSkKsiBN", bare: []string{"non-interactive", "login", "set-home", "stdin", "shell", "background"}, values: "CDghpRrTtUu", longs: []string{"chdir", "group", "user", "host", "prompt", "chroot", "role", "type"}},
	"doas":        {flags: "n", values: "Cu"},
	"pkexec":      {longs: []string{"user"}},
	"runuser":     {values: "ugG", scripts: "c"},
	"su":          {values: "gGsw", scripts: "c"},
	"xargs":       xargs,
	"gxargs":      xargs,
	"watch":       {values: "nq", longs: []string{"interval"}},
	"flock":       {values: "wE", longs: []string{"timeout", "wait"}, skip: 1, scripts: "c"},
	"strace":      {values: "abeEIoOpPsSuUX"},
	"ltrace":      {values: "aAeFlnopsuwx"},
	"valgrind":    {},
	"chroot":      {longs: []string{"userspec", "groups"}, skip: 1},
	"unshare":     {values: "SGRw"},
	"nsenter":     {values: "tSGW"},
	"setpriv":     {},
	"busybox":     {},
	"toybox":      {},
	"script":      {values: "EIoOTB", scripts: "c"},
	"rlwrap":      {},
	"proxychains": {values: "f"},
	"torsocks":    {},
	"systemd-run": {values: "pEuMH", longs: []string{"unit", "property"}},
	"bwrap":       {},
	"firejail":    {},
	"parallel":    {},
}

// wrapped finds the command among a wrapper's arguments.
func (r *reader) wrapped(c *command, w wrapper, redirs []*syntax.Redirect) {
	name := c.base()
	i, skip := c.assigns+1, w.skip
	for ; i < len(c.words); i++ {
		arg := c.words[i]
		if !arg.plain {
			c.hidden = "runs a command that is put together when it runs"
			return
		}
		if name == "command" && (arg.text == "-v" || arg.text == "-V") {
			return // only says what would be run
		}
		flag := strings.HasPrefix(arg.text, "-") && arg.text != "-"
		if arg.text == "--" {
			flag = true
		} else if flag {
			if !r.flag(c, w, &i) {
				return
			}
		}
		if flag {
			continue
		}
		if arg.text == "-" && name == "env" {
			continue
		}
		if skip == 0 {
			break
		}
		skip--
	}
	if i >= len(c.words) {
		if !w.through && !strings.HasSuffix(name, "xargs") {
			c.hidden = "may run a shell of its own"
		}
		return
	}
	c.head, c.through = i, w.through && !c.strange
	rest := slices.Clone(c.words[i:])
	switch name {
	case "xargs", "gxargs":
		rest = append(replaced(rest, c.words[c.assigns+1:i]), unknown)
	case "watch":
		r.lineOf(c, rest, len(c.words))
		return
	}
	r.argv(c, rest, i, redirs)
}

// flag looks at a flag of a wrapper, and moves over its value. It reports whether to look on.
func (r *reader) flag(c *command, w wrapper, i *int) bool {
	text := c.words[*i].text
	if long, ok := strings.CutPrefix(text, "--"); ok {
		name, value, has := strings.Cut(long, "=")
		if w.scripts != "" && (strings.HasPrefix("command", name) || strings.HasPrefix("split-string", name) || strings.HasPrefix("session-command", name)) {
			if !has && *i+1 < len(c.words) {
				*i++
				r.lineOf(c, c.words[*i:*i+1], *i+1)
			} else {
				r.text(c, value, *i+1)
			}
			c.head = *i + 1
			c.hidden = "splits its arguments by rules of its own"
			return false
		}
		takes := slices.Contains(w.longs, name)
		if takes && !has {
			*i++
		}
		c.strange = c.strange || !takes && !slices.Contains(w.bare, name)
		return true
	}
	for at, letter := range text[1:] {
		rest := text[1+at+len(string(letter)):]
		if strings.ContainsRune(w.scripts, letter) {
			if rest != "" {
				r.text(c, rest, *i+1)
			} else if *i+1 < len(c.words) {
				*i++
				r.lineOf(c, c.words[*i:*i+1], *i+1)
			}
			if c.base() == "env" {
				c.hidden = "splits its arguments by rules of its own"
			}
			c.head = *i + 1
			return false
		}
		if strings.ContainsRune(w.values, letter) {
			if rest == "" {
				*i++
			}
			return true
		}
		c.strange = c.strange || !strings.ContainsRune(w.flags, letter)
	}
	return true
}

// replaced takes what xargs puts into words, by the flags -I, -J, -i and --replace, out of them. It may be the program.
func replaced(words, flags []word) []word {
	for i, flag := range flags {
		if long, ok := strings.CutPrefix(flag.text, "--"); ok {
			if name, mark, _ := strings.Cut(long, "="); name != "" && strings.HasPrefix("replace", name) {
				words = found(words, orElse(mark, "{}"))
			}
			continue
		}
		at := strings.IndexAny(flag.text, "IJi")
		if at < 0 || flag.text[0] != '-' {
			continue
		}
		mark := flag.text[at+1:]
		if mark == "" && flag.text[at] != 'i' && i+1 < len(flags) {
			mark = flags[i+1].text
		}
		words = found(words, orElse(mark, "{}"))
	}
	return words
}
