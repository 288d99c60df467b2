package tool_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// F9: a line ends with a line feed. What other programs take for the end of one is text like any other, to each tool.
func TestF9_OtherSeparatorsEndNoLine(t *testing.T) {
	const text = "one\u2028two\u2029three\u0085four\vfive\fsix\x1cseven\rEND\nlast\n"
	grep(t, func(t *testing.T, grep *tool.Tool) {
		p := at(t, "a.txt", text)
		p.wantText(p.must(tool.Read(), `{'path':'a.txt'}`), "a.txt has 2 lines\n     1\t"+strings.TrimSuffix(text, "\nlast\n")+"\n     2\tlast\n")
		p.wantText(p.must(grep, `{'pattern':'^last'}`), "1 line in 1 file with \"^last\"\na.txt:2:last\n")
		p.wantText(p.must(grep, `{'pattern':'^(two|three|four|five|six|seven|END)'}`), "Nothing in . matches \"^(two|three|four|five|six|seven|END)\"\n")
		p.must(tool.Edit(), `{'path':'a.txt','edits':[{'old':'two','new':'2\u2028'}]}`)
		if got, want := p.text("a.txt"), strings.Replace(text, "two", "2\u2028", 1); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// F88: a tool that panics fails its call, and nothing else.
func TestF88_AToolThatPanics(t *testing.T) {
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil)))
	defer slog.SetDefault(before)
	type none struct{}
	at := func(where string) *tool.Tool {
		return tool.Define(tool.Tool{Name: "odd"}, func(tool.Env, none) (*tool.Job, error) {
			fail := func(here string) {
				if here == where {
					panic(errors.New("nil map"))
				}
			}
			fail("prepare")
			return tool.NewJob(
				func(context.Context) ([]acp.ToolCallContent, error) { fail("preview"); return nil, nil },
				func(context.Context) (*tool.Result, error) { fail("run"); return &tool.Result{}, nil },
			), nil
		})
	}
	for _, where := range []string{"prepare", "preview", "run", "nowhere"} {
		job, err := at(where).Prepare(nil, acp.Raw(`{}`))
		if err == nil {
			_, err = job.Preview(t.Context())
		}
		if err == nil {
			_, err = job.Run(t.Context())
		}
		switch {
		case where == "nowhere" && err != nil:
			t.Errorf("%s: got error %v", where, err)
		case where != "nowhere" && (err == nil || err.Error() != "the tool odd failed: nil map"):
			t.Errorf("%s: got error %v", where, err)
		}
	}
}

// A silent is a command in a terminal of a client that never says what it has written.
type silent struct {
	tool.Env
	ended chan struct{} // closed when the command has ended
	freed int
}

func (s *silent) Start(context.Context, tool.Command) (tool.Process, error) { return s, nil }
func (s *silent) Done() <-chan struct{}                                     { return s.ended }
func (s *silent) Grown() <-chan struct{}                                    { return nil }
func (s *silent) Next(ctx context.Context) (*tool.Output, error)            { return s.Output(ctx) }
func (s *silent) Kill()                                                     {}
func (s *silent) Close()                                                    { s.freed++ }

func (s *silent) Output(ctx context.Context) (*tool.Output, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// F44, F54: a client that doesn't answer for its terminal fails the call that asks, before long, and the terminal is let go.
func TestF54_AClientThatDoesNotAnswerForItsTerminal(t *testing.T) {
	dir := t.TempDir()
	for name, ended := range map[string]bool{"ended": true, "never ends": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &silent{Env: tool.NewLocal(dir, nil), ended: make(chan struct{})}
				if ended {
					close(s.ended)
				}
				job, err := tool.Shell().Prepare(s, acp.Raw(`{"command":"make","timeout_seconds":60}`))
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				if _, err := job.Run(t.Context()); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "reading the command's output") {
					t.Errorf("got error %v", err)
				}
				if took := time.Since(began); took > 80*time.Second || s.freed != 1 {
					t.Errorf("it took %s, and was let go %d times", took, s.freed)
				}
			})
		})
	}
}

// F167: each session works in its own folder, however many do so at once, and this process's is none of their business.
func TestF167_EachSessionHasItsFolder(t *testing.T) {
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		name := fmt.Sprint(i)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := at(t, "here.txt", name+"\n", "sub/here.txt", name+"\n")
			for range 5 {
				p.wantText(p.must(tool.Read(), `{'path':'here.txt'}`), "here.txt has 1 line\n     1\t"+name+"\n")
				p.wantText(p.must(tool.Grep(""), `{'pattern':'.','path':'sub'}`), "1 line in 1 file with \".\"\nsub/here.txt:1:"+name+"\n")
				p.must(tool.Write(), `{'path':'new.txt','text':'`+name+`'}`)
				if got := p.text("new.txt"); got != name {
					t.Errorf("new.txt is %q", got)
				}
			}
			if now, err := os.Getwd(); err != nil || now != home {
				t.Errorf("the process is in %s, %v", now, err)
			}
		})
	}
}

// F173: what a session remembers of files is bounded. What was read long ago is forgotten, so that it has to be read again.
func TestF173_WhatWasSeenIsBounded(t *testing.T) {
	var seen tool.Seen
	seen.Note("/first")
	seen.Note("/second")
	for i := range 4093 {
		seen.Note(fmt.Sprint("/", i))
	}
	seen.Note("/first") // once more
	for i, name := range []string{"/a", "/b"} {
		seen.Note(name)
		if got := seen.Knows("/second"); got != (i == 0) {
			t.Errorf("after %s, /second is known: %t", name, got)
		}
	}
	for _, name := range []string{"/first", "/0", "/4092", "/b"} {
		if !seen.Knows(name) {
			t.Errorf("%s is forgotten", name)
		}
	}
}

// F149: a command line reaches the shell as it is, whatever is in it: nobody splits it, quotes it or expands it before.
func TestF149_CommandLinesStayWhole(t *testing.T) {
	for _, line := range []string{`printf '%s|' "a  b" 'c\d' "\"e\"" \$HOME`, "a\nb \\\n c", `C:\dir\x.exe "--flag=1 2"`, "é\u2028 %PATH%"} {
		if _, args := tool.ShellCommand(line); args[len(args)-1] != line {
			t.Errorf("%q becomes %q", line, args)
		}
	}
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip(err)
	}
	p := at(t)
	if err := os.Mkdir(filepath.Join(p.dir, "a b"), 0o777); err != nil {
		t.Fatal(err)
	}
	job, err := tool.Shell().Prepare(p.env, acp.Raw(`{"cwd":"a b","command":`+quoteJSON(`printf '%s|' "a  b" 'c\d' "\"e\"" \$HOME`)+`}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := job.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.wantText(r, "The command ended with status 0\n"+`a  b|c\d|"e"|$HOME|`)
}
