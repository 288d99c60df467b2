package ledger_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/policy"
	"github.com/patchbay-dev/patchbay/policy/ledger"
)

// written makes a log of some lines, and returns its path, its bytes and its head.
func written(t testing.TB, lines ...string) (path string, text []byte, head string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "state", "audit.jsonl")
	log, err := ledger.OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if err := log.Append(entry(line)); err != nil {
			t.Fatal(err)
		}
	}
	if text, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return path, text, log.Head().Hash
}

func broken(t *testing.T, text []byte, head string) int {
	t.Helper()
	_, err := ledger.Verify(bytes.NewReader(text), head)
	b, _ := errors.AsType[*ledger.BrokenError](err)
	if b == nil {
		t.Fatalf("got %v, where a line is broken", err)
	}
	return b.Line
}

// S001.20: a decision is written down with who made it, by which rule, and about what.
func TestS001_20_ALineSaysWhatWasDecided(t *testing.T) {
	_, text, head := written(t, "git log", "rm -rf /")
	var e ledger.Entry
	if err := json.Unmarshal(bytes.Split(text, []byte{'\n'})[0], &e); err != nil {
		t.Fatal(err)
	}
	if e.N != 1 || e.Call != "Bash(git log)" || e.Verdict != policy.Allow || !e.Allowed || fmt.Sprint(e.Rules) != "[Bash(git *)]" ||
		e.Session != "s1" || e.By != ledger.ByPolicy || e.Operation != policy.OperationTerminalExecute || e.Time.IsZero() {
		t.Errorf("got %+v", e)
	}
	s, err := ledger.Verify(bytes.NewReader(text), head)
	if err != nil || s.Lines != 2 || s.Hash != head || s.Allowed != 1 || s.Denied != 1 || s.Last.Before(s.First) {
		t.Errorf("got %+v, %v", s, err)
	}
}

// Who knows the head finds every change of any byte. Without it the last line alone is vouched for by nobody.
func TestEveryChangeIsFound(t *testing.T) {
	_, text, head := written(t, "git log", "git show", "rm x", "git diff")
	last := bytes.LastIndexByte(text[:len(text)-1], '\n') + 1
	for i := range text {
		changed := bytes.Clone(text)
		changed[i] ^= 1
		line := 1 + bytes.Count(text[:i], []byte{'\n'})
		if got := broken(t, changed, head); got < line-1 || got > line+1 { // a hash may be wrong at either of its ends
			t.Fatalf("byte %d of line %d: line %d is said to be broken", i, line, got)
		}
		if i < last {
			broken(t, changed, "")
		}
	}
}

// What becomes of a log with lines that are gone, moved, put in or written anew.
func TestWhatVerifyFinds(t *testing.T) {
	_, text, head := written(t, "git log", "git show", "rm x")
	_, other, _ := written(t, "ls", "ls -l", "cat x")
	l := bytes.SplitAfter(text, []byte{'\n'})
	o := bytes.SplitAfter(other, []byte{'\n'})
	for name, c := range map[string]struct {
		lines [][]byte
		head  string
		line  int // that is broken; 0 if nothing shows
	}{
		"as it was written":            {l, head, 0},
		"an older head":                {l[:2], sum(l[0]), 0},
		"nothing":                      {nil, "", 0},
		"nothing where there was more": {nil, head, 1},
		"the first is missing":         {l[1:], "", 1},
		"one is missing":               {[][]byte{l[0], l[2]}, "", 2},
		"one comes twice":              {[][]byte{l[0], l[0], l[1]}, "", 2},
		"two have changed places":      {[][]byte{l[0], l[2], l[1]}, "", 2},
		"one is another log's":         {[][]byte{l[0], o[1], l[2]}, "", 1},
		"the last is not whole":        {[][]byte{l[0], l[1], l[2][:9]}, "", 3},
		"no line feed":                 {[][]byte{l[0], l[1], bytes.TrimSpace(l[2])}, "", 3},
		"something else":               {[][]byte{l[0], []byte("hello\n")}, "", 2},
		"an empty line":                {[][]byte{l[0], []byte("\n")}, "", 2},
		"a line without an end":        {[][]byte{l[0], bytes.Repeat([]byte("x"), 2<<20)}, "", 2},
		"cut off":                      {l[:2], "", 0},
		"cut off, with a head":         {l[:2], head, 3},
		"all written anew":             {o, "", 0},
		"all written anew, and a head": {o, head, 4},
	} {
		t.Run(name, func(t *testing.T) {
			text := bytes.Join(c.lines, nil)
			if c.line != 0 {
				if got := broken(t, text, c.head); got != c.line {
					t.Errorf("line %d is said to be broken, want %d", got, c.line)
				}
			} else if _, err := ledger.Verify(bytes.NewReader(text), c.head); err != nil {
				t.Errorf("got %v", err)
			}
		})
	}
}

func sum(line []byte) string {
	s, _ := ledger.Verify(bytes.NewReader(line), "")
	return s.Hash
}

// Several processes, and several goroutines of one, write one chain.
func TestProcessesShareALog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	var all sync.WaitGroup
	const processes = 3
	for range processes {
		all.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), "LEDGER_LOG="+path)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	for range 2 {
		all.Go(func() {
			if err := addLines(path, linesOfAProcess); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := ledger.Verify(bytes.NewReader(text), ""); err != nil || s.Lines != (processes+2)*linesOfAProcess {
		t.Errorf("%d lines, %v", s.Lines, err)
	}
}

// What can't be written is an error, and leaves the file as it was.
func TestALogThatCannotBeContinued(t *testing.T) {
	path, text, _ := written(t, "git log", "git show")
	log, err := ledger.OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := bytes.Cut(text, []byte{'\n'})
	for name, content := range map[string]string{
		"cut off":       string(first) + "\n",
		"not whole":     string(text[:len(text)-5]),
		"something":     "hello\n",
		"emptied":       "",
		"written anew":  strings.Replace(string(text), "git show", "git push", 1),
		"a huge line":   strings.Repeat("x", 3<<20) + "\n",
		"another entry": strings.Replace(string(text), `"n":2`, `"n":0`, 1),
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		err := log.Append(entry("git diff"))
		if after, _ := os.ReadFile(path); err == nil || string(after) != content {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := log.Append(entry("git diff")); err == nil {
		t.Error("a folder is a log")
	}
	if _, err := ledger.OpenLog(filepath.Join(path, "\x00")); err == nil {
		t.Error("a name that can't be is a log")
	}
}

// A call may be of any size. The line is not, and still says which call it was.
func TestLongCallsAreCut(t *testing.T) {
	huge := strings.Repeat("\x01\xff", 4<<20)
	path, _, _ := written(t)
	log, err := ledger.OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	e := entry(huge)
	e.Title, e.Reason, e.Agent, e.CWD, e.Session, e.ToolCallID, e.Granted = huge, huge, huge, huge, "s", "c", huge
	for range 300 {
		e.Rules, e.Grants = append(e.Rules, huge[:8<<10]), append(e.Grants, huge[:8<<10])
	}
	for range 2 { // the second one reads the first
		if err := log.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := ledger.Verify(bytes.NewReader(text), log.Head().Hash); err != nil || s.Lines != 2 {
		t.Errorf("%+v, %v", s, err)
	}
	if !bytes.Contains(text, []byte("bytes, SHA-256 ")) {
		t.Error("the line doesn't say what was cut")
	}
}

// Whatever a file has: it is checked without trouble, and where one that is said to be whole ends, the next line begins.
func FuzzVerify(f *testing.F) {
	var text []byte
	var head ledger.Head
	for _, line := range []string{"git log", "git show", "rm x"} {
		e := entry(line)
		e.N, e.Prev = head.Lines+1, head.Hash
		added, err := json.Marshal(e)
		if err != nil {
			f.Fatal(err)
		}
		text = append(append(text, added...), '\n')
		if head, err = ledger.HeadOf(bytes.NewReader(text), int64(len(text))); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(text, head.Hash)
	f.Add(text[:len(text)-3], "")
	f.Add([]byte("{}\n"), "")
	f.Add([]byte(`{"n":1,"time":"2026-01-01T00:00:00Z","operation":"other","call":"","verdict":"deny","source":"","allowed":false,"by":"","prev":""}`+"\n"), "")
	f.Fuzz(func(t *testing.T, text []byte, head string) {
		s, err := ledger.Verify(bytes.NewReader(text), head)
		if err != nil {
			return
		}
		if got, err := ledger.HeadOf(bytes.NewReader(text), int64(len(text))); err != nil || got != s.Head {
			t.Fatalf("the head is %+v, %v; want %+v", got, err, s.Head)
		}
	})
}
