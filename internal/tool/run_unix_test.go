//go:build unix

package tool_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

func TestRun(t *testing.T) {
	p := at(t, "a.txt", "")
	for _, c := range []struct {
		input, want string
		failed      bool
	}{
		{`{'command':'ls; echo oops >&2'}`, "The command ended with status 0\na.txt\noops\n", false},
		{`{'command':'echo no; exit 3'}`, "The command ended with status 3\nno\n", true},
		{`{'command':'true'}`, "The command ended with status 0 and wrote nothing\n", false}, // F160
		{`{'command':'kill -9 $$'}`, "The command was ended by SIGKILL and wrote nothing\n", true},
		{`{'command':'cat'}`, "The command ended with status 0 and wrote nothing\n", false}, // F108
	} {
		r := p.must(tool.Run(), c.input)
		p.wantText(r, c.want)
		if r.Failed != c.failed {
			t.Errorf("%s: failed %t", c.input, r.Failed)
		}
	}
	r := p.must(tool.Run(), `{'command':'yes | head -c 200000'}`)
	if want := "The command ended with status 0; this is the end of its output\n"; !strings.HasPrefix(r.Text, want) || len(r.Text) > 66_000 {
		t.Errorf("got %d bytes that begin with %.80q", len(r.Text), r.Text)
	}
}

// The user sees all of a command before it runs, in the title or else below it.
func TestRunShowsTheWholeCommand(t *testing.T) {
	p := at(t)
	long := strings.Repeat("echo harmless; ", 20) + "rm -r x"
	for command, want := range map[string]string{
		"echo a":              "",
		`echo a\necho b`:      "```\necho a\necho b\n```",
		"echo  'two  spaces'": "```\necho  \"two  spaces\"\n```",
		long:                  "```\n" + long + "\n```",
	} {
		job, content := p.preview(tool.Run(), `{'command':'`+strings.ReplaceAll(command, "'", `\'`)+`'}`)
		got := ""
		if len(content) > 0 {
			got = content[0].(*acp.Content).Content.(*acp.TextContent).Text
		}
		if got != want || !strings.HasPrefix(job.Title, "Run `echo ") || len(job.Title) > 220 {
			t.Errorf("%q: title %q, content %q", command, job.Title, got)
		}
	}
}

// A command that is cancelled ends with what it started (F48).
func TestRunIsCancelled(t *testing.T) {
	p := at(t)
	job, err := p.prepare(tool.Run(), `{'command':'echo $$ > pid; sleep 100 & wait'}`)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
			if info, err := os.Stat(filepath.Join(p.dir, "pid")); err == nil && info.Size() > 0 {
				return
			}
		}
	}()
	if _, err := job.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v", err)
	}
}
