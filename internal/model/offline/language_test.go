package offline

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func list(commands ...command) []command { return commands }

func TestLanguage(t *testing.T) {
	for _, c := range []struct {
		prompt string
		want   []command
	}{
		// Each form.
		{"list", list(command{verb: "list"})},
		{"list src", list(command{verb: "list", path: "src"})},
		{"find TODO", list(command{verb: "find", text: "TODO"})},
		{"find TODO in src", list(command{verb: "find", text: "TODO", path: "src"})},
		{"read main.go", list(command{verb: "read", path: "main.go"})},
		{"write a.txt: hello", list(command{verb: "write", path: "a.txt", text: "hello"})},
		{"replace a with b in c.go", list(command{verb: "replace", old: "a", text: "b", path: "c.go"})},
		{"run go test ./...", list(command{verb: "run", text: "go test ./..."})},
		{"plan look; think ;; do", list(command{verb: "plan", entries: []string{"look", "think", "do"}})},
		{"help", list(command{verb: "help"})},

		// Spaces, case and lines.
		{"  LIST\tsrc \n", list(command{verb: "list", path: "src"})},
		{"Read my notes.txt", list(command{verb: "read", path: "my notes.txt"})},
		{"list THEN help", list(command{verb: "list"}, command{verb: "help"})},
		{"list\nthen\nread a then help", list(command{verb: "list"}, command{verb: "read", path: "a"}, command{verb: "help"})},
		{"write a.txt:\none\ntwo\n", list(command{verb: "write", path: "a.txt", text: "one\ntwo"})},
		{"read\u00a0a.txt", list(command{verb: "read", path: "a.txt"})},

		// Words that are only words inside others.
		{"find authentic in then.go", list(command{verb: "find", text: "authentic", path: "then.go"})},
		{"read thenable", list(command{verb: "read", path: "thenable"})},
		{"find within", list(command{verb: "find", text: "within"})},

		// Quotes take their meaning from words.
		{`find "then" in "in"`, list(command{verb: "find", text: "then", path: "in"})},
		{`find 'a in b'`, list(command{verb: "find", text: "a in b"})},
		{"find `x then y` then list", list(command{verb: "find", text: "x then y"}, command{verb: "list"})},
		{`write "a: b.txt": "x\n\ty \"z\" \\n\r"`, list(command{verb: "write", path: "a: b.txt", text: "x\n\ty \"z\" \\n\r"})},
		{`write a: 'x\n'`, list(command{verb: "write", path: "a", text: `x\n`})},
		{`replace "with" with "" in "in in.go"`, list(command{verb: "replace", old: "with", path: "in in.go"})},
		{`replace a in b with c in d in e`, list(command{verb: "replace", old: "a in b", text: "c in d", path: "e"})},
		{`task explore: "find a then read b" then list`, list(command{verb: "task", kind: "explore", text: "find a then read b"}, command{verb: "list"})},
		{`plan "a; b"; 'c'`, list(command{verb: "plan", entries: []string{"a; b", "c"}})},

		// Quotes that are none.
		{"find don't then list", list(command{verb: "find", text: "don't"}, command{verb: "list"})},
		{`find 5" then list`, list(command{verb: "find", text: `5"`}, command{verb: "list"})},
		{`write a: say "hi"`, list(command{verb: "write", path: "a", text: `say "hi"`})},
		{`find "a" and "b"`, list(command{verb: "find", text: `"a" and "b"`})},
		{`find "`, list(command{verb: "find", text: `"`})},

		// A command line keeps its quotes, which are the shell's, but for Markdown's.
		{`run echo "a then b" then list`, list(command{verb: "run", text: `echo "a then b"`}, command{verb: "list"})},
		{`run "my program" -x`, list(command{verb: "run", text: `"my program" -x`})},
		{"run `ls -l`", list(command{verb: "run", text: "ls -l"})},
		{"run `date` | cat", list(command{verb: "run", text: "`date` | cat"})},
		{`run printf 'a\nb'`, list(command{verb: "run", text: `printf 'a\nb'`})},

		// Colons.
		{"write a.txt:hello", list(command{verb: "write", path: "a.txt", text: "hello"})},
		{"write a.txt:", list(command{verb: "write", path: "a.txt"})},
		{`write C:\x.txt: a: b`, list(command{verb: "write", path: `C:\x.txt`, text: "a: b"})},
		{`write C:\x.txt:a`, list(command{verb: "write", path: `C:\x.txt`, text: "a"})},
		{"write a:b: c", list(command{verb: "write", path: "a:b", text: "c"})},

		// Any text.
		{"find Größe in Straße", list(command{verb: "find", text: "Größe", path: "Straße"})},
		{"write 日本.txt: 你好 🙂\u2028", list(command{verb: "write", path: "日本.txt", text: "你好 🙂"})},
		{"find a\xffb", list(command{verb: "find", text: "a\xffb"})},
	} {
		got, err := parse(c.prompt)
		if err != nil {
			t.Errorf("%q: %v", c.prompt, err)
			continue
		}
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(command{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.prompt, diff)
		}
	}
}

// What is no command, or half of one, says what would be. Nothing of such a prompt is done, not even what comes before it.
func TestLanguageMistakes(t *testing.T) {
	for prompt, form := range map[string]string{
		"":                           "",
		"then":                       "",
		"please fix the tests":       "",
		"lists":                      "",
		"help me":                    "",
		"list then dance":            "",
		"list then":                  "",
		"read":                       "read FILE",
		`read ""`:                    "read FILE",
		"find":                       "find TEXT [in DIR]",
		`find "" in src`:             "find TEXT [in DIR]",
		"write a.txt":                "write FILE: TEXT",
		"write : x":                  "write FILE: TEXT",
		`write "a: b"`:               "write FILE: TEXT",
		"replace a with b":           "replace A with B in FILE",
		"replace a in b":             "replace A with B in FILE",
		"replace with b in c":        "replace A with B in FILE",
		"replace a with in c":        "replace A with B in FILE",
		`replace "" with "b" in "c"`: "replace A with B in FILE",
		"run":                        "run COMMAND",
		"run ``":                     "run COMMAND",
		"plan":                       "plan A; B; C",
		"plan ; ;":                   "plan A; B; C",
		"task find TODO":             "task TYPE: STEPS",
		"task : find TODO":           "task TYPE: STEPS",
		"task a b: find TODO":        "task TYPE: STEPS",
		"task explore:":              "task TYPE: STEPS",
	} {
		_, err := parse(prompt)
		var mistake *syntaxError
		if !errors.As(err, &mistake) || mistake.form != form || !strings.Contains(err.Error(), form) {
			t.Errorf("%q: got %v, want one about %q", prompt, err, form)
		}
	}
}

// Whatever is put in double quotes with backslashes comes out again.
func TestQuotesKeepAnyText(t *testing.T) {
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`, "\r", `\r`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		got, err := parse(`write "` + escape.Replace(text) + `x": "` + escape.Replace(text) + `" then list`)
		want := list(command{verb: "write", path: text + "x", text: text}, command{verb: "list"})
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(command{})); err != nil || diff != "" {
			t.Fatalf("%v (-want +got):\n%s", err, diff)
		}
	})
}

// Reading takes no longer than a text is long, also where quotes open again and again and never close.
func TestLanguageIsQuick(t *testing.T) {
	for name, piece := range map[string]string{"escaped": `\"`, "words": ` 'a`, "then": " then", "quotes": `"`} {
		t.Run(name, func(t *testing.T) {
			prompt := "write a: \"" + strings.Repeat(piece, 1<<20/len(piece))
			start := time.Now()
			_, _ = parse(prompt)
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("1 MiB took %v", took)
			}
		})
	}
}

// Any input is read or refused, and soon.
func FuzzLanguage(f *testing.F) {
	f.Add(`write "a: b": 'x' then find "in" in in`)
	f.Add("replace ` with ' in \" then then")
	f.Fuzz(func(t *testing.T, prompt string) {
		steps, err := parse(prompt)
		if (err == nil) == (len(steps) == 0) {
			t.Errorf("got %d steps and error %v", len(steps), err)
		}
		for _, s := range steps {
			if s.verb != "help" {
				s.call()
			}
		}
	})
}
