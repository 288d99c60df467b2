package registry

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
)

// What comes from a server that was not to be trusted takes no more room than the largest agents do.
func TestArchivesAreBounded(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	u := &unpacker{root: root, bytes: 10, entries: 4}
	for _, step := range []struct {
		do   func() error
		want string // in the error; "" for none
	}{
		{func() error { return u.file("a", 0o644, strings.NewReader("123456")) }, ""},
		{func() error { return u.file("b", 0o644, strings.NewReader("1234")) }, ""},
		{func() error { return u.file("c", 0o644, strings.NewReader("1")) }, "the content is larger than"},
		{func() error { return u.dir("d") }, ""},
		{func() error { return u.dir("e") }, "there are more than"},
	} {
		err := step.do()
		if (err == nil) != (step.want == "") || err != nil && !strings.Contains(err.Error(), step.want) {
			t.Errorf("got %v, want %q", err, step.want)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "12345") }))
	defer server.Close()
	var b bytes.Buffer
	if _, err := download(t.Context(), nil, server.URL, &b, 5); err != nil {
		t.Error(err)
	}
	if _, err := download(t.Context(), nil, server.URL, &b, 4); err == nil || !strings.Contains(err.Error(), "larger than 4 bytes") {
		t.Errorf("got %v", err)
	}
}
