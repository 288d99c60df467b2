package tool_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// What can't be seen, or makes other text look different, is shown as what it is. All else stays.
func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"go  test\n\t./... \n":               "go test ./...",
		"rm \u202egpj.hsab":                  `rm \u202egpj.hsab`,
		"\u2066a\u2069\u200b\ufeff\u00ad":    `\u2066a\u2069\u200b\ufeff\u00ad`,
		"\x1b[2K\x1b[1Gls\a\x00\x7f\u009b":   `␛[2K␛[1Gls␇␀␡\u009b`,
		"a\u2028b\u2029c\u0085d\vf":          `a\u2028b\u2029c\u0085d␋f`,
		"\u3164=1; \U000e0041 \U000f0000":    `\u3164=1; \U000e0041 \U000f0000`,
		"caf\xe9 \xf0\x9f\x98":               `caf\xe9 \xf0\x9f\x98`,
		"naïve Ünïcödé 日本　語 👩🏽 שלום e\u0301": "naïve Ünïcödé 日本　語 👩🏽 שלום e\u0301",
		`echo \u202e`:                        `echo \u202e`,
	} {
		got := tool.OneLine(text, 1000)
		if got != want {
			t.Errorf("%+q: got %q, want %q", text, got, want)
		}
		if again := tool.OneLine(got, 1000); again != got {
			t.Errorf("%q becomes %q", got, again)
		}
	}
	if got, want := tool.Visible("a\n\tb\r\n\u202ec  d\n"), "a\n\tb␍\n\\u202ec  d\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A line is cut after a whole character, and never within what stands for one.
func TestOneLineIsBounded(t *testing.T) {
	for text, want := range map[string]string{
		"123456789":     "123456789",
		"1234567890":    "1234567890",
		"12345678901":   "1234567890…",
		"123456789é":    "123456789…",
		"12345678é":     "12345678é",
		"1234\u202e":    `1234\u202e`,
		"12345\u202e6":  "12345…",
		"1234567\x1b90": "1234567␛…",
	} {
		if got := tool.OneLine(text, 10); got != want {
			t.Errorf("%+q: got %q, want %q", text, got, want)
		}
	}
}

// What people are asked about can't be made to look like something else, whatever the tool and wherever in the input it is:
// titles are a short line each, and so is all else that is shown of the call. The input itself is untouched.
func TestTitlesHideNothing(t *testing.T) {
	const evil = "a\u202eb\x1bc\u200bd\nrm -rf x\u2028"
	long := strings.Repeat("/é"+evil, 400)[1:]
	hidden := func(text string) bool {
		return strings.ContainsAny(strings.ReplaceAll(text, "\n", ""), "\u202e\x1b\u200b\u2028\r") || !utf8.ValidString(text)
	}
	for _, each := range []string{evil, long} {
		p, _ := before(t)
		p.must(tool.Shell(), `{'command':'true #`+escaped(evil)+`','background':true}`) // for the tool job
		word := escaped(each)
		for _, c := range []use{
			{tool.List(), `{'path':'` + word + `'}`},
			{tool.Glob(), `{'pattern':'` + word + `','path':'` + word + `'}`},
			{tool.Grep(""), `{'pattern':'` + strings.ReplaceAll(word, `\n`, "") + `','literal':true,'path':'` + word + `'}`},
			{tool.Read(), `{'path':'` + word + `','offset':3}`},
			{tool.Write(), `{'path':'` + word + `','text':''}`},
			{tool.Edit(), `{'path':'` + word + `','edits':[{'old':'a','new':'b'}]}`},
			{tool.Shell(), `{'command':'` + word + `','description':'` + word + `','cwd':'` + word + `'}`},
			{tool.Shell(), `{'command':'` + word + `','background':true}`},
			{tool.BackgroundJob(), `{'action':'output','id':'job_1'}`},
			{tool.BackgroundJob(), `{'action':'stop','id':'job_1'}`},
			{tool.BackgroundJob(), `{'action':'list'}`},
			{tool.Fetch(), `{'url':'http://example.com/?` + strings.NewReplacer(`\n`, "", `\u001b`, "").Replace(word) + `'}`},
			{tool.Plan(), `{'entries':[{'content':'` + word + `'}]}`},
			{tool.Ask(), `{'question':'` + word + `'}`},
		} {
			job, err := p.prepare(c.tool, c.input)
			if err != nil {
				t.Errorf("%s %.80q: %v", c.tool.Name, c.input, err)
				continue
			}
			if hidden(job.Title) || strings.Contains(job.Title, "\n") || len(job.Title) > 1010 {
				t.Errorf("%s has the title %q (%d bytes)", c.tool.Name, job.Title, len(job.Title))
			}
			if c.tool.Kind == acp.ToolKindEdit {
				continue // its preview is a diff, which is exact
			}
			content, err := job.Preview(t.Context())
			if err != nil {
				t.Errorf("%s: %v", c.tool.Name, err)
			}
			for _, block := range content {
				if text := block.(*acp.Content).Content.(*acp.TextContent).Text; hidden(text) {
					t.Errorf("%s shows %q", c.tool.Name, text)
				}
			}
		}
	}
}

// escaped is what stands between the quotes of a JSON string.
func escaped(text string) string {
	quoted := quoteJSON(text)
	return quoted[1 : len(quoted)-1]
}

// A command that its title doesn't show as it is, character by character, is shown in full.
func TestCommandsAreShownInFull(t *testing.T) {
	p := at(t)
	for command, want := range map[string]string{
		"ls -l":              "",
		"ls  -l":             "```\nls  -l\n```",
		"ls \u202e":          "```\nls \\u202e\n```",
		"printf '\u200b' ":   "```\nprintf '\\u200b' \n```",
		"echo a\n\techo b\r": "```\necho a\n\techo b␍\n```",
	} {
		job, err := tool.Shell().Prepare(p.env, acp.Raw(fmt.Sprintf(`{"command":%s}`, quoteJSON(command))))
		if err != nil {
			t.Fatal(err)
		}
		preview, err := job.Preview(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, block := range preview {
			got += block.(*acp.Content).Content.(*acp.TextContent).Text
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", command, got, want)
		}
	}
}

// Of a path that is too long for a title, its end is shown: it says most of what the call is about.
func TestTitlesOfLongPaths(t *testing.T) {
	p := at(t)
	job, err := p.prepare(tool.Read(), `{'path':'`+strings.Repeat("é/", 500)+`main.go'}`)
	if err != nil || !strings.HasPrefix(job.Title, "Read …") || !strings.HasSuffix(job.Title, "é/main.go") || !utf8.ValidString(job.Title) {
		t.Errorf("got %q, %v", job.Title, err)
	}
}
