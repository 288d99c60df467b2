package client

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
)

// A desk is a session's folder, with Files for it.
type desk struct {
	*Files
	root  string
	roots []string
}

func newDesk(t *testing.T) desk {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return desk{Files: &Files{}, root: root, roots: []string{root}}
}

func (d desk) put(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(d.root, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (d desk) read(t *testing.T, req acp.ReadTextFileRequest) (string, error) {
	t.Helper()
	resp, err := d.Files.read(t.Context(), d.space(d.root, d.roots), &req)
	if err != nil {
		return "", err
	}
	return resp.Content, nil
}

func (d desk) write(t *testing.T, path, text string) error {
	t.Helper()
	_, err := d.Files.write(t.Context(), d.space(d.root, d.roots), &acp.WriteTextFileRequest{Path: path, Content: text})
	return err
}

// checkError fails the test unless an error is one for the peer with this code, and names things.
func checkError(t *testing.T, err error, code int, words ...string) {
	t.Helper()
	e, ok := errors.AsType[*acp.Error](err)
	if !ok || int(e.Code) != code {
		t.Errorf("got %v, want an error with code %d", err, code)
		return
	}
	for _, w := range words {
		if !strings.Contains(e.Error(), w) {
			t.Errorf("%q lacks %q", e, w)
		}
	}
}

func u32(n uint32) *uint32 { return &n }

const (
	invalidParams = -32602
	notFound      = -32002
	refusedByUs   = -32600
)

// What is written is read again, byte for byte, by an absolute path or one that starts at the session's folder (F152,
// S001.19).
func TestF152_FilesKeepBytes(t *testing.T) {
	d := newDesk(t)
	const text = "\ufeffone\r\ntwo\n\nno end"
	if err := d.write(t, d.root+"/new/folder/x.txt", text); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{d.root + "/new/folder/x.txt", "new/folder/x.txt"} {
		if got, err := d.read(t, acp.ReadTextFileRequest{Path: path}); got != text || err != nil {
			t.Errorf("%s: got %q and %v", path, got, err)
		}
	}
	on, err := os.ReadFile(d.root + "/new/folder/x.txt")
	if string(on) != text {
		t.Errorf("on the disk is %q (%v)", on, err)
	}
}

// Lines are counted from 1. A limit of 0 and lines beyond the end are an empty text, a line of 0 is an error.
func TestFilesReadLines(t *testing.T) {
	d := newDesk(t)
	d.put(t, "x", "1\r\n2\n3")
	for _, c := range []struct {
		line, limit *uint32
		want        string
	}{
		{nil, nil, "1\r\n2\n3"},
		{u32(1), nil, "1\r\n2\n3"},
		{nil, u32(1), "1\r\n"},
		{u32(2), u32(1), "2\n"},
		{u32(3), u32(100), "3"},
		{u32(4), nil, ""},
		{u32(1 << 31), u32(1<<32 - 1), ""},
		{nil, u32(0), ""},
	} {
		if got, err := d.read(t, acp.ReadTextFileRequest{Path: "x", Line: c.line, Limit: c.limit}); got != c.want || err != nil {
			t.Errorf("got %q and %v, want %q", got, err, c.want)
		}
	}
	_, err := d.read(t, acp.ReadTextFileRequest{Path: "x", Line: u32(0)})
	checkError(t, err, invalidParams, "line is 1-based")
	_, err = d.read(t, acp.ReadTextFileRequest{Path: "none", Limit: u32(0)})
	checkError(t, err, notFound, "none")
}

// Each kind of bad path has an error that says what is wrong with it.
func TestFilesErrors(t *testing.T) {
	d := newDesk(t)
	d.put(t, "binary", "\x7fELF\x01\xff")
	d.put(t, "long", strings.Repeat("x\n", 100))
	d.MaxBytes = 100
	for path, c := range map[string]struct {
		code  int
		words []string
	}{
		"none":        {notFound, []string{"none"}},
		"/etc/passwd": {invalidParams, []string{"/etc/passwd is outside the root " + d.root}},
		"../x":        {invalidParams, []string{"../x is outside"}},
		"":            {invalidParams, []string{"empty"}},
		".":           {invalidParams, []string{"is a folder"}},
		"long/x":      {invalidParams, []string{"not a directory"}},
		"binary":      {invalidParams, []string{"binary: the file is not UTF-8 text: byte 0xFF at offset 5"}},
		"long":        {invalidParams, []string{"long: the text is longer than 100 bytes", "line and limit"}},
	} {
		_, err := d.read(t, acp.ReadTextFileRequest{Path: path})
		checkError(t, err, c.code, c.words...)
	}
	if got, err := d.read(t, acp.ReadTextFileRequest{Path: "long", Line: u32(51)}); len(got) != 100 || err != nil {
		t.Errorf("the second half: got %d bytes and %v", len(got), err)
	}
	checkError(t, d.write(t, "/etc/none", ""), invalidParams, "/etc/none is outside the root "+d.root)
	checkError(t, d.write(t, ".", ""), invalidParams, "is a folder")
	d.Exceptions = []string{"relative"}
	_, err := d.read(t, acp.ReadTextFileRequest{Path: "long"})
	checkError(t, err, -32603, `"relative" is not an absolute path`)
}

// A link doesn't lead out of the session's folder, neither to read nor to write (F154).
func TestF154_FilesRefuseLinksOut(t *testing.T) {
	d, other := newDesk(t), newDesk(t)
	other.put(t, "secret", "secret")
	if err := errors.Join(os.Symlink(other.root, d.root+"/exit"), os.Symlink(other.root+"/secret", d.root+"/innocent")); err != nil {
		t.Skip("no links here:", err)
	}
	for _, path := range []string{"exit/secret", "innocent", "exit/none"} {
		_, err := d.read(t, acp.ReadTextFileRequest{Path: path})
		checkError(t, err, invalidParams, path+" leads by a link outside the root "+d.root)
		checkError(t, d.write(t, path, "overwritten"), invalidParams, path)
	}
	if got, _ := other.read(t, acp.ReadTextFileRequest{Path: "secret"}); got != "secret" {
		t.Errorf("it became %q", got)
	}
	d.Exceptions = []string{other.root} // now it may
	if got, err := d.read(t, acp.ReadTextFileRequest{Path: "innocent"}); got != "secret" {
		t.Errorf("got %q and %v", got, err)
	}
}

// Files and Terminals serve their methods, for the session that asks.
func TestFilesImplements(t *testing.T) {
	var (
		_ FileReader      = (*Files)(nil)
		_ FileWriter      = (*Files)(nil)
		_ TerminalHandler = (*Terminals)(nil)
		_ SessionEnder    = (*Terminals)(nil)
	)
}

// Some agents ask for a file before they make it.
func TestFilesMissingIsEmpty(t *testing.T) {
	d := newDesk(t)
	d.MissingIsEmpty = true
	if got, err := d.read(t, acp.ReadTextFileRequest{Path: "none/at/all"}); got != "" || err != nil {
		t.Errorf("got %q and %v", got, err)
	}
	_, err := d.read(t, acp.ReadTextFileRequest{Path: "/none"})
	checkError(t, err, invalidParams, "outside")
}

// A cancelled request ends with the context's error and writes nothing.
func TestFilesHonourContext(t *testing.T) {
	d := newDesk(t)
	d.put(t, "x", "old")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Files.read(ctx, d.space(d.root, d.roots), &acp.ReadTextFileRequest{Path: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("read: %v", err)
	}
	if _, err := d.Files.write(ctx, d.space(d.root, d.roots), &acp.WriteTextFileRequest{Path: "x"}); !errors.Is(err, context.Canceled) {
		t.Errorf("write: %v", err)
	}
	if got, _ := d.read(t, acp.ReadTextFileRequest{Path: "x"}); got != "old" {
		t.Errorf("it became %q", got)
	}
}
