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
	job, err := p.prepare(tool.Run(), `{'command':'echo a\necho b'}`)
	if err != nil || job.Title != "Run `echo a echo b`" {
		t.Errorf("title %q, error %v", job.Title, err)
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
