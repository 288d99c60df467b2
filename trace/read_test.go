package trace_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
	"github.com/patchbay-dev/patchbay/trace"
)

// read returns the records of a trace without faults.
func read(t testing.TB, file string) (records []trace.Record) {
	t.Helper()
	for rec, err := range trace.Read(strings.NewReader(file)) {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, rec)
	}
	return records
}

func TestReadsWhatWasWritten(t *testing.T) {
	records := read(t, write(t, trace.Options{Program: "p 1", Raw: true}, out(`{"id":1}`), in("noise\xff")))
	if h := records[0].Header; h == nil || *h != (trace.Header{Version: 1, Program: "p 1"}) || records[0].IsFrame() {
		t.Errorf("header %+v", records[0])
	}
	if r := records[1]; !r.IsFrame() || r.Dir != trace.ToAgent || string(r.Msg) != `{"id":1}` || r.Line != 2 || time.Since(r.Time) > time.Minute {
		t.Errorf("message %+v", r)
	}
	if r := records[2]; r.Dir != trace.ToClient || string(r.Text) != "noise\xff" || r.Msg != nil {
		t.Errorf("noise %+v", r)
	}
}

func TestReadsLinesWithoutHeaderAndWithElapsedTime(t *testing.T) {
	records := read(t, `
{"t":1,"dir":"note","msg":{"cmd":["x"]}}

{"t":2.5,"dir":"client->agent","msg":{"id":1},"new":[]}`)
	if len(records) != 2 || records[0].IsFrame() || !records[1].IsFrame() || records[1].Line != 4 {
		t.Fatalf("got %+v", records)
	}
	if d := records[1].Time.Sub(records[0].Time); d != 1500*time.Microsecond {
		t.Errorf("%v apart", d)
	}
}

// A bad line is an error that names it, and what follows is read.
func TestBadLinesAreErrorsOfTheirOwn(t *testing.T) {
	for line, want := range map[string]string{
		`{"dir":"client->agent","msg":`:         "",
		`[]`:                                    "not a JSON object",
		`{}`:                                    `"dir" is missing`,
		`{"dir":"client->agent"}`:               "without content",
		`{"dir":1}`:                             `member "dir": 1 is not a string`,
		`{"time":"yesterday","dir":"note"}`:     `member "time"`,
		`{"t":1e99,"dir":"note"}`:               `member "t"`,
		`{"dir":"agent->client","base64":"?"}`:  `member "base64"`,
		`{"dir":"agent->client","tooLarge":{}}`: "size",
		`{"dir":"agent->client","tooLarge":{"size":1,"method":2}}`: `2 is not a string`,
		`{"format":"other","version":1}`:                           `not "patchbay-trace"`,
		`{"format":"patchbay-trace"}`:                              "version that this program does not know",
	} {
		var errs []string
		var good int
		for _, err := range trace.Read(strings.NewReader("{\"dir\":\"note\"}\n" + line + "\n{\"dir\":\"note\"}\n")) {
			if err != nil {
				errs = append(errs, err.Error())
			} else {
				good++
			}
		}
		wantGood := 2
		if strings.HasPrefix(want, "version") {
			wantGood = 1 // nothing after it means what it seems to
		}
		if len(errs) != 1 || !strings.HasPrefix(errs[0], "line 2 of the trace: ") || !strings.Contains(errs[0], want) || good != wantGood {
			t.Errorf("%s\ngot errors %q and %d good lines", line, errs, good)
		}
	}
}

func TestReadErrorEndsTheLoop(t *testing.T) {
	broken := errors.New("broken")
	n := 0
	for _, err := range trace.Read(io.MultiReader(strings.NewReader("{\"dir\":\"note\"}\n"), iotest.ErrReader(broken))) {
		if n++; n == 2 && !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
	}
	if n != 2 {
		t.Errorf("%d rounds, want 2", n)
	}
}

func TestLongLines(t *testing.T) {
	long := `"` + strings.Repeat("x", 1<<20) + `"`
	if got := read(t, write(t, trace.Options{}, in(long)))[1].Msg; string(got) != long {
		t.Errorf("%d bytes, want %d", len(got), len(long))
	}
}

// The recorded messages of real agents and clients can be read, written and read again without a change.
func TestCorpus(t *testing.T) {
	dir := os.Getenv("PATCHBAY_CORPUS")
	if dir == "" {
		t.Skip("PATCHBAY_CORPUS is not set")
	}
	files, _ := filepath.Glob(filepath.Join(dir, "transcripts", "*.ndjson"))
	if len(files) == 0 {
		t.Fatal("no transcripts in", dir)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var before []string
		var file bytes.Buffer
		w := trace.NewWriter(&file, trace.Options{Raw: true})
		for rec, err := range trace.Read(bytes.NewReader(text)) {
			if err != nil {
				t.Fatal(name, err)
			}
			if rec.IsFrame() {
				before = append(before, string(rec.Msg))
				w.Observe(in(string(rec.Msg)))
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for i, rec := range read(t, file.String())[1:] {
			if string(rec.Msg) != before[i] {
				t.Errorf("%s: message %d changed from\n%s\nto\n%s", name, i, before[i], rec.Msg)
			}
		}
	}
}

// FuzzRead: whatever a file holds, reading it ends, and what was read can be written and is the same when it is read again.
func FuzzRead(f *testing.F) {
	f.Add([]byte("{\"format\":\"patchbay-trace\",\"version\":1,\"time\":\"2026-01-02T15:04:05Z\"}\n{\"dir\":\"client->agent\",\"msg\":{}}\n"))
	f.Add([]byte(`{"t":5,"dir":"agent->client","text":"\ud800 npm"}` + "\n\n" + `{"lost":3}`))
	f.Add([]byte(`{"dir":"agent->client","base64":"/w=="}` + "\n" + `{"dir":"agent->client","tooLarge":{"size":5,"id":1,"method":"m"}}`))
	f.Add([]byte("\xff\n{\"dir\":\"note\",\"msg\":[1,\"token\",{\"env\":[{\"name\":1}]}]}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for rec, err := range trace.Read(bytes.NewReader(data)) {
			if err != nil || !rec.IsFrame() || rec.TooLarge != nil {
				continue
			}
			content := string(rec.Msg)
			if rec.Msg == nil {
				content = string(rec.Text)
			}
			again := read(t, write(t, trace.Options{Raw: true}, in(content)))[1]
			if got := string(again.Msg) + string(again.Text); got != content && rec.Msg != nil {
				t.Errorf("%q was read back as %q", content, got)
			}
			redacted := read(t, write(t, trace.Options{}, in(content)))[1]
			if rec.Msg != nil && rawjson.Check(redacted.Msg) != nil {
				t.Errorf("%q was redacted to %q", content, redacted.Msg)
			}
		}
	})
}
