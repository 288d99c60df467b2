package registry_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/internal/registry"
)

// An entry is a file in an archive.
type entry struct {
	name, content string
	kind          byte // tar.TypeReg if 0
}

func tarred(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(e.content))}
		body := e.content
		if e.kind != 0 && e.kind != tar.TypeReg {
			h.Typeflag, h.Linkname, h.Size, body = e.kind, e.content, 0, ""
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func zipped(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		h.SetMode(0o644)
		if e.kind == tar.TypeSymlink {
			h.SetMode(os.ModeSymlink | 0o777)
		}
		f, err := w.CreateHeader(h)
		if err == nil {
			_, err = f.Write([]byte(e.content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A server has archives by their paths.
type server struct {
	*httptest.Server
	archives map[string][]byte
	asked    int
}

func newServer(t *testing.T) *server {
	s := &server{archives: map[string][]byte{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked++
		content, ok := s.archives[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(content)
	}))
	t.Cleanup(s.Close)
	return s
}

func platform() string {
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[runtime.GOARCH]
	return runtime.GOOS + "-" + arch
}

// list is a registry's file, in the public format, with one agent that is a binary.
func (s *server) list(version, path, more string) string {
	return fmt.Sprintf(`{"version":"1.0.0","agents":[{
		"id":"tiny-agent","name":"Tiny Agent","version":%q,"description":"An agent.","authors":["A"],"license":"MIT","icon":"x.svg",
		"distribution":{"binary":{%q:{"archive":%q,"cmd":"./bin/tiny","args":["acp"],"env":{"TINY":"1"}%s}}}}],"extensions":[]}`,
		version, platform(), s.URL+path, more)
}

func sha(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

const tiny = "#!/bin/sh\necho \"tiny $* $TINY\"\n"

// F100: an agent from a registry's file is installed with its version and hash, and found from then on without the network;
// the file, the server and what is on the server may go.
func TestF100_ABinaryIsPinned(t *testing.T) {
	c, s := newComputer(t), newServer(t)
	for path, archive := range map[string][]byte{
		"/tiny.tar.gz": tarred(t, entry{name: "bin/", kind: tar.TypeDir}, entry{name: "bin/real", content: tiny}, entry{name: "./bin/tiny", content: "real", kind: tar.TypeSymlink}),
		"/tiny.zip":    zipped(t, entry{name: "bin/tiny", content: tiny}),
		"/tiny":        []byte(tiny),
	} {
		s.archives[path] = archive
		file := c.write("registry.json", s.list("1.2.3", path, `,"sha256":"`+sha(archive)+`"`))
		m, err := c.open().Install(t.Context(), registry.Installation{Name: "tiny-agent", Registry: file})
		if err != nil {
			t.Fatal(path, err)
		}
		if m.Version != "1.2.3" || m.Hash != "sha256:"+sha(archive) || m.From != s.URL+path {
			t.Errorf("%s: %+v", path, m)
		}
		asked := s.asked
		f := c.find("tiny-agent")
		command := f.Command()
		run := exec.Command(command.Path, command.Args...)
		run.Env = command.Env
		if out, err := run.CombinedOutput(); string(out) != "tiny acp 1\n" {
			t.Errorf("%s: %q, %v", path, out, err)
		}
		if f.Version(t.Context()) != "1.2.3" || f.Source != registry.SourceInstalled || s.asked != asked {
			t.Errorf("%s: %+v", path, f)
		}
	}
	if was, err := c.open().Uninstall("tiny-agent"); !was || err != nil {
		t.Error(was, err)
	}
	if _, err := c.open().Find(t.Context(), "tiny-agent"); err == nil {
		t.Error("it is still there")
	}
	if left, _ := os.ReadDir(filepath.Join(c.home, "data")); len(left) > 0 {
		t.Errorf("it has left %v", left)
	}
}

// F100: what is not what it has to be is not installed, and an agent that was installed before stays as it is.
func TestF100_AFailureLeavesTheOldOne(t *testing.T) {
	c, s := newComputer(t), newServer(t)
	good := tarred(t, entry{name: "bin/tiny", content: tiny})
	s.archives["/good.tgz"] = good
	file := c.write("registry.json", s.list("1.0.0", "/good.tgz", ""))
	if _, err := c.open().Install(t.Context(), registry.Installation{Name: "tiny-agent", Registry: file, Hash: "sha256:" + sha(good)}); err != nil {
		t.Fatal(err)
	}
	before := c.find("tiny-agent").Path
	long := strings.Repeat("x", 200)
	for name, bad := range map[string]struct {
		archive []byte
		path    string
		in      registry.Installation
		want    string
	}{
		"no hash":           {archive: good, want: "nobody says which hash"},
		"another hash":      {archive: good, in: registry.Installation{Hash: "sha256:" + sha([]byte("x"))}, want: "and not sha256:"},
		"no hash at all":    {archive: good, in: registry.Installation{Hash: "sha256:xyz"}, want: "is no hash"},
		"not there":         {path: "/nowhere.tgz", want: "404"},
		"no archive":        {archive: []byte("hello, this is no archive"), want: "invalid header"},
		"cut off":           {archive: good[:len(good)/2], want: "EOF"},
		"no program":        {archive: tarred(t, entry{name: "bin/other", content: tiny}), want: "no program ./bin/tiny"},
		"the program's out": {archive: tarred(t, entry{name: "bin/tiny", content: "../../../x", kind: tar.TypeSymlink}), want: "leads out"},
		"out by a name":     {archive: tarred(t, entry{name: "../../evil", content: "x"}), want: "leads out"},
		"an absolute name":  {archive: tarred(t, entry{name: "/tmp/patchbay-evil", content: "x"}), want: "leads out"},
		"out by a link":     {archive: tarred(t, entry{name: "up", content: "..", kind: tar.TypeSymlink}), want: "leads out"},
		"out by two links": {archive: tarred(t, entry{name: "a/b", content: "../c/d/e", kind: tar.TypeSymlink}, entry{name: "c/d/e/", kind: tar.TypeDir},
			entry{name: "a/b/up", content: "../x", kind: tar.TypeSymlink}, entry{name: "x", content: "../../..", kind: tar.TypeSymlink}), want: "leads out"},
		"over a link":    {archive: tarred(t, entry{name: "a", content: "b", kind: tar.TypeSymlink}, entry{name: "a", content: "x"}), want: "exists"},
		"out by a copy":  {archive: tarred(t, entry{name: "a", content: "../../../registry.json", kind: tar.TypeLink}), want: "leads out"},
		"a pipe":         {archive: tarred(t, entry{name: "p", kind: tar.TypeFifo}), want: "neither a file"},
		"zip, out":       {archive: zipped(t, entry{name: "../evil", content: "x"}), path: "/bad.zip", want: "leads out"},
		"zip, backslash": {archive: zipped(t, entry{name: `..\evil`, content: "x"}), path: "/bad.zip", want: "leads out"},
		"zip, a link":    {archive: zipped(t, entry{name: "a", content: "/etc", kind: tar.TypeSymlink}), path: "/bad.zip", want: "leads out"},
		"long names":     {archive: tarred(t, entry{name: long + long, content: "x"}), want: "name too long"},
	} {
		t.Run(name, func(t *testing.T) {
			if bad.path == "" {
				bad.path = "/bad.tgz"
			}
			if bad.archive != nil {
				s.archives[bad.path] = bad.archive
			}
			in := bad.in
			in.Name, in.Registry = "tiny-agent", c.write("bad.json", s.list("2.0.0", bad.path, ""))
			in.Unverified = in.Hash == "" && name != "no hash"
			_, err := c.open().Install(t.Context(), in)
			if err == nil || !strings.Contains(err.Error(), bad.want) {
				t.Errorf("got %v, want %q", err, bad.want)
			}
			if f := c.find("tiny-agent"); f.Path != before || f.Version(t.Context()) != "1.0.0" {
				t.Errorf("it is %s now", f.Path)
			}
			if folders, _ := os.ReadDir(filepath.Join(c.home, "data", "tiny-agent")); len(folders) != 1 {
				t.Errorf("there are %d folders", len(folders))
			}
		})
	}
	if evil, _ := filepath.Glob(filepath.Join(c.home, "*evil*")); len(evil) > 0 {
		t.Errorf("%v was written", evil)
	}
}

// F100: the same version with another hash is refused until the user says that it is right, a new version is not.
func TestF100_AVersionDoesNotChange(t *testing.T) {
	c, s := newComputer(t), newServer(t)
	install := func(version, content string, in registry.Installation) error {
		s.archives["/tiny"] = []byte(content)
		in.Name, in.Registry, in.Unverified = "tiny-agent", c.write("registry.json", s.list(version, "/tiny", "")), true
		_, err := c.open().Install(t.Context(), in)
		return err
	}
	for _, step := range []struct {
		version, content string
		in               registry.Installation
		fails            bool
	}{
		{version: "1.0.0", content: tiny},
		{version: "1.0.0", content: tiny + "#\n", fails: true},
		{version: "1.0.0", content: tiny},
		{version: "1.0.0", content: tiny + "#\n", in: registry.Installation{Hash: "sha256:" + sha([]byte(tiny+"#\n"))}},
		{version: "1.0.1", content: tiny + "##\n"},
	} {
		if err := install(step.version, step.content, step.in); (err != nil) != step.fails {
			t.Errorf("%+v: %v", step, err)
		}
	}
	// Of the versions before, the last one stays, since it may be running, and what may be another process's work.
	folder := filepath.Join(c.home, "data", "tiny-agent")
	folders, _ := os.ReadDir(folder)
	for _, f := range folders {
		old := time.Now().Add(-2 * time.Hour)
		if err := os.Chtimes(filepath.Join(folder, f.Name()), old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := install("1.0.2", tiny, registry.Installation{}); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.ReadDir(folder); len(folders) < 3 || len(after) != 2 {
		t.Errorf("there were %d folders, and there are %d", len(folders), len(after))
	}
}

// F100: a program that is not the one which was installed, such as one that has replaced itself, is not started.
func TestF100_AChangedProgramIsNotStarted(t *testing.T) {
	c, s := newComputer(t), newServer(t)
	s.archives["/tiny"] = []byte(tiny)
	in := registry.Installation{Name: "tiny-agent", Registry: c.write("registry.json", s.list("1.0.0", "/tiny", "")), Unverified: true}
	if _, err := c.open().Install(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(c.find("tiny-agent").Path, []byte(tiny+"# newer\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := c.open().Find(t.Context(), "tiny-agent")
	var changed *registry.ChangedError
	if !errors.As(err, &changed) || !strings.Contains(err.Error(), "patchbay agents install tiny-agent") {
		t.Error(err)
	}
	if err := os.Remove(changed.Path); err != nil {
		t.Fatal(err)
	}
	if _, err := c.open().Find(t.Context(), "tiny-agent"); !registry.IsMissing(err) || !strings.Contains(err.Error(), "is gone") {
		t.Error(err)
	}
}

// A manifest says what is executed, so that one which this program can't have written counts for nothing, harms no other agent,
// and can be removed.
func TestDamagedManifests(t *testing.T) {
	c := newComputer(t)
	c.write("path/goose", nothing)
	for _, text := range []string{
		"", "{", `{"id":"other","folder":"1","program":"x"}`, `{"id":"gemini","folder":"../..","program":"x"}`, `{"id":"gemini","folder":"1","program":"../../../bin/sh"}`,
		`{"id":"gemini","folder":"","program":"x"}`,
	} {
		c.write("data/gemini.json", text)
		if _, err := c.open().Find(t.Context(), "gemini"); err == nil || !strings.Contains(err.Error(), "patchbay agents remove gemini") {
			t.Errorf("%s: %v", text, err)
		}
		c.find("goose")
		if was, err := c.open().Uninstall("gemini"); !was || err != nil {
			t.Error(was, err)
		}
	}
}

// Waiting for a download ends when the context does, and nothing is left of it.
func TestInstallIsCancelled(t *testing.T) {
	c := newComputer(t)
	asked := make(chan struct{})
	over := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusOK)
		w.(http.Flusher).Flush()
		close(asked)
		<-over
	}))
	defer slow.Close()
	defer close(over)
	s := &server{Server: slow}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	in := registry.Installation{Name: "tiny-agent", Registry: c.write("registry.json", s.list("1.0.0", "/tiny", "")), Unverified: true}
	if _, err := c.open().Install(ctx, in); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(c.home, "data", "*", "*")); len(left) > 0 {
		t.Errorf("it has left %v", left)
	}
}

// What is not this computer is downloaded from by https only.
func TestOnlyHTTPS(t *testing.T) {
	c := newComputer(t)
	s := &server{Server: &httptest.Server{URL: "http://example.com"}}
	in := registry.Installation{Name: "tiny-agent", Registry: c.write("registry.json", s.list("1.0.0", "/tiny", "")), Unverified: true}
	if _, err := c.open().Install(t.Context(), in); err == nil || !strings.Contains(err.Error(), "it has to be https") {
		t.Error(err)
	}
	elsewhere := httptest.NewServer(http.RedirectHandler("http://example.com/tiny", http.StatusFound))
	defer elsewhere.Close()
	in.Registry = c.write("registry.json", (&server{Server: elsewhere}).list("1.0.0", "/tiny", ""))
	if _, err := c.open().Install(t.Context(), in); err == nil || !strings.Contains(err.Error(), "it has to be https") {
		t.Error(err)
	}
}
