//go:build unix

package tool_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/sys/unix"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

func TestShell(t *testing.T) {
	p := at(t, "a.txt", "", "sub/b.txt", "")
	for _, c := range []struct {
		input, want string
		failed      bool
	}{
		{`{'command':'ls *.txt; echo oops >&2'}`, "The command ended with status 0\na.txt\noops\n", false},
		{`{'command':'echo no; exit 3'}`, "The command ended with status 3\nno\n", true},
		{`{'command':'true'}`, "The command ended with status 0 and wrote nothing\n", false}, // F160
		{`{'command':'kill -9 $$'}`, "The command was ended by SIGKILL and wrote nothing\n", true},
		{`{'command':'cat'}`, "The command ended with status 0 and wrote nothing\n", false}, // F108
		{`{'command':'ls','cwd':'sub'}`, "The command ended with status 0\nb.txt\n", false},
		{`{'command':'echo $GIT_PAGER $PAGER $TERM'}`, "The command ended with status 0\ncat cat dumb\n", false},
		{`{'command':'printf \'\\033[1;31mred\\033[0m\\n 10%%\\r 99%%\\r100%%\\n\''}`, "The command ended with status 0\nred\n100%\n", false},
		{`{'command':'sleep 0','timeout_seconds':600,'description':'waits'}`, "The command ended with status 0 and wrote nothing\n", false},
	} {
		r := p.must(tool.Shell(), c.input)
		p.wantText(r, c.want)
		if r.Failed != c.failed {
			t.Errorf("%s: failed %t", c.input, r.Failed)
		}
	}
}

// F175: variables that are withheld reach no command, in the background neither, and no other variable is touched.
func TestF175_CommandsGetNoKeys(t *testing.T) {
	for _, name := range []string{"KEY_A", "KEY_B", "KEY_AB"} {
		t.Setenv(name, "word")
	}
	p := at(t)
	local := tool.NewLocal(p.dir, nil)
	t.Cleanup(local.Close)
	local.Withhold = []string{"KEY_A", "KEY_B", "KEY_C"}
	p.env = local
	p.wantText(p.must(tool.Shell(), `{'command':'env | grep ^KEY_'}`), "The command ended with status 0\nKEY_AB=word\n")
	p.must(tool.Shell(), `{'command':'env | grep ^KEY_','background':true}`)
	p.wantText(p.must(tool.BackgroundJob(), `{'action':'output','id':'job_1','wait_seconds':20}`), "job_1 ended with status 0\nKEY_AB=word\n")
}

// The end of long output counts, and it begins with a whole character (F106).
func TestF106_LongOutput(t *testing.T) {
	p := at(t)
	r := p.must(tool.Shell(), `{'command':'yes äöü | head -c 200001'}`)
	if want := "The command ended with status 0; this is the end of its output\n"; !strings.HasPrefix(r.Text, want) || len(r.Text) > 66_000 {
		t.Errorf("got %d bytes that begin with %.80q", len(r.Text), r.Text)
	}
	if _, output, _ := strings.Cut(r.Text, "\n"); len(output) < tool.MaxOutput-4 || !utf8.ValidString(output) || strings.HasPrefix(output, "\uFFFD") {
		t.Errorf("%d bytes of output begin with %.10q", len(output), output)
	}
}

// The user sees all of a command before it runs, in the title or else below it, and where.
func TestShellShowsTheWholeCommand(t *testing.T) {
	p := at(t)
	long := strings.Repeat("echo harmless; ", 20) + "rm -r x"
	for command, want := range map[string]string{
		"echo a":              "",
		`echo a\necho b`:      "```\necho a\necho b\n```",
		"echo  'two  spaces'": "```\necho  \"two  spaces\"\n```",
		long:                  "```\n" + long + "\n```",
	} {
		job, content := p.preview(tool.Shell(), `{'command':'`+strings.ReplaceAll(command, "'", `\'`)+`'}`)
		got := ""
		if len(content) > 0 {
			got = content[0].(*acp.Content).Content.(*acp.TextContent).Text
		}
		if got != want || !strings.HasPrefix(job.Title, "Run `echo ") || len(job.Title) > 220 {
			t.Errorf("%q: title %q, content %q", command, job.Title, got)
		}
	}
	job, content := p.preview(tool.Shell(), `{'command':'ls','cwd':'sub','background':true,'description':'Lists the rest'}`)
	if job.Title != "Run `ls` in sub in the background" || content[0].(*acp.Content).Content.(*acp.TextContent).Text != "Lists the rest" {
		t.Errorf("title %q, content %+v", job.Title, content)
	}
}

func TestShellRefusesBadInput(t *testing.T) {
	p := at(t)
	for input, want := range map[string]string{
		`{'command':' '}`:                              "no command",
		`{'command':'a\u0000b'}`:                       "zero byte",
		`{'command':'a','timeout_seconds':0}`:          "0 is less than 1",
		`{'command':'a','timeout_seconds':601}`:        "601 is greater than 600",
		`{}`:                                           `missing properties: ["command"]`,
		`{'command':'a','cwd':'..'}`:                   "outside the root",
		`{'command':'a','cwd':'/'}`:                    "outside the root",
		`{'command':'a','cwd':'missing'}`:              "no such file",
		`{'command':'a','cwd':'no','background':true}`: "no such file",
	} {
		p.wantError(tool.Shell(), input, want)
	}
}

// A command that takes too long is ended with what it started. The result says so and has the output so far.
func TestShellTimeLimit(t *testing.T) {
	p := at(t)
	r := p.must(tool.Shell(), `{'command':'sleep 1000 & echo $! begun; wait','timeout_seconds':1}`)
	if !r.Failed || !strings.HasPrefix(r.Text, "The command was still running after 1 seconds and was ended; this is its output so far\n") ||
		!strings.HasSuffix(r.Text, " begun\n") {
		t.Errorf("failed %t: %q", r.Failed, r.Text)
	}
	_, output, _ := strings.Cut(r.Text, "\n")
	p.wantGone(output)
}

// wantGone reports an error if there is a process whose number a text begins with. One that nobody has reaped is gone too.
func (p *place) wantGone(text string) {
	p.Helper()
	pid, err := strconv.Atoi(strings.Fields(text)[0])
	if err != nil {
		p.Fatal(err)
	}
	if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil {
		if _, state, _ := strings.Cut(string(stat), ") "); strings.HasPrefix(state, "Z") {
			return
		}
	}
	if err := unix.Kill(pid, 0); !errors.Is(err, unix.ESRCH) {
		p.Errorf("process %d is alive: %v", pid, err)
	}
}

// F48: a command that is cancelled ends at once with what it started, whatever it does about signals.
func TestF48_ShellIsCancelled(t *testing.T) {
	p, a := before(t)
	job, err := p.prepare(tool.Shell(), `{'command':'trap \'\' TERM; sleep 1000 & echo $! > pid; echo begun; wait; wait'}`)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		a.await(t, "begun")
		cancel()
	}()
	if _, err := job.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v", err)
	}
	p.wantGone(p.text("pid"))
}

// Output is shown as it comes, and in the end the result is, in its place.
func TestShellOutputIsStreamed(t *testing.T) {
	p, a := before(t)
	done := make(chan *tool.Result)
	go func() {
		done <- p.must(tool.Shell(), `{'command':'echo one; until [ -e gate ]; do sleep 0.01; done; echo two; exit 4'}`)
	}()
	a.await(t, "one")
	if shown := a.seen(); len(shown) != 1 || shown[0] != "```\none\n```" {
		t.Errorf("shown so far: %q", shown)
	}
	if err := os.WriteFile(filepath.Join(p.dir, "gate"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	r := <-done
	p.wantText(r, "The command ended with status 4\none\ntwo\n")
	if shown := a.seen(); r.Content != nil || shown[len(shown)-1] != "The command ended with status 4\n\n```\none\ntwo\n```" {
		t.Errorf("shown at last: %q, and content %v", shown, r.Content)
	}
}

// What was not shown while it ran is in the result alone.
func TestShellOutputOfAQuickCommand(t *testing.T) {
	p := at(t)
	if r := p.must(tool.Shell(), `{'command':'echo one'}`); len(r.Content) != 1 {
		t.Errorf("content %v", r.Content)
	}
}

// F22, F105: a command that writes without end floods nobody: what is shown comes at most ten times a second, and is only
// the end of the output until that is complete.
func TestF105_AFloodIsNotPassedOn(t *testing.T) {
	p, a := before(t)
	begin := time.Now()
	r := p.must(tool.Shell(), `{'command':'yes 0123456789','timeout_seconds':1}`)
	took := time.Since(begin)
	if !strings.Contains(r.Text, "was still running after 1 seconds and was ended; this is the end of its output") || len(r.Text) > tool.MaxOutput+200 {
		t.Errorf("the model gets %d bytes that begin with %.100q", len(r.Text), r.Text)
	}
	shown := a.seen()
	if most := int(took/(100*time.Millisecond)) + 2; len(shown) < 2 || len(shown) > most {
		t.Errorf("shown %d times in %s, want 2 to %d", len(shown), took, most)
	}
	for _, each := range shown[:len(shown)-1] {
		if len(each) > 9<<10 || !strings.HasPrefix(each, "```\n0123456789\n") {
			t.Errorf("%d bytes are shown that begin with %.30q", len(each), each)
		}
	}
}

// F88: no command line takes the process down, or long to be understood.
func TestF88_CommandsOfAnyDepth(t *testing.T) {
	p := at(t)
	for _, c := range []string{"(", "$(", "{ ", "! ", "`", `"$(`, "${a:-", "[[ ! ", "<(", "$((", "((", "if ", "a=(", "case x in x) ", "function f() { ", "<<a\n"} {
		for _, n := range []int{4000, 1_000_000} {
			line := strings.Repeat(c, n/len(c))
			began := time.Now()
			job, err := p.prepare(tool.Shell(), `{'command':`+quoted(line)+`}`)
			if err != nil || job.Call.Command != line {
				t.Fatalf("%q: got %.80v and error %v", c, job, err)
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("%q, %d bytes: it took %s", c, n, took)
			}
		}
	}
}

// quoted writes a string as prepare reads it.
func quoted(s string) string {
	return `'` + strings.NewReplacer(`'`, `\u0027`, `"`, `\u0022`, `\`, `\\`, "\n", `\n`).Replace(s) + `'`
}
