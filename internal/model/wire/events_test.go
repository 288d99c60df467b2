package wire_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/patchbay-dev/patchbay/internal/model/wire"
)

// told are the events of a stream: "name=data" each, and the error.
func told(body io.Reader) string {
	var all []string
	for e, err := range wire.Events(body) {
		if err != nil {
			all = append(all, "error "+err.Error())
			continue
		}
		all = append(all, e.Name+"="+string(e.Data))
	}
	return strings.Join(all, " | ")
}

func TestEvents(t *testing.T) {
	for body, want := range map[string]string{
		"":                                   "",
		"\n\n\r\n":                           "",
		"data: {}\n\n":                       "={}",
		"\ufeffdata: {}\n\n":                 "={}",
		"data:{}\n\n":                        "={}",
		"data:  [DONE] \n\ndata:  \n\n":      "=[DONE]",
		"data: {}\r\n\r\ndata: 1\r\n\r\n":    "={} | =1",
		"event: ping\ndata: {}\n\n":          "ping={}",
		"data: {}\nevent: x\n\ndata: 1\n\n":  "x={} | =1",
		": comment\n\ndata: 1\n\n: again\n":  "=1",
		"id: 1\nretry: 5\ndata: 1\nx: 2\n\n": "=1",
		"event: nothing\n\ndata: 1\n\n":      "=1",
		"data\n\ndata:\n\ndata: 1\n\n":       "=1",
		"data: [1,\ndata: 2]\n\n":            "=[1,\n2]",
		"data: {}":                           "={}",
		"data: {}\n":                         "={}",
		"data: {":                            "",
		"data: [DONE]\n\n":                   "=[DONE]",
		"data: 1\n\nerror: {\"code\":500}\n\ndata: [DONE]\n\n": "=1 | error={\"code\":500} | =[DONE]",
		"<html>\n<body>hello": "error <html>\n<body>hello",
		"\n  \n{\"a\":\n1}":   "error {\"a\":\n1}",
		"[{}]":                "error [{}]",
		"data: 1\n\n<html>":   "=1",
	} {
		if got := told(strings.NewReader(body)); got != want {
			t.Errorf("%q: got %q, want %q", body, got, want)
		}
		if got := told(iotest.OneByteReader(strings.NewReader(body))); got != want {
			t.Errorf("%q byte by byte: got %q, want %q", body, got, want)
		}
	}
}

// What stands before a broken connection is a part of something, whatever it looks like.
func TestT6_EventsOfABrokenConnection(t *testing.T) {
	for _, body := range []string{"data: 1", "data: 1\n", "data: 12\n\ndata: 1"} {
		got := told(io.MultiReader(strings.NewReader(body), iotest.ErrReader(errors.New("cut"))))
		if !strings.HasSuffix(got, "error cut") || strings.Contains(got, "=1 ") {
			t.Errorf("%q: got %q", body, got)
		}
	}
}

func TestABodyThatIsNoStreamIsNotKept(t *testing.T) {
	for _, body := range []string{strings.Repeat("x", 1<<20), strings.Repeat("<p>\n", 1<<18)} {
		for _, err := range wire.Events(strings.NewReader(body)) {
			var page wire.NoStream
			if !errors.As(err, &page) || len(page) > 64<<10 {
				t.Errorf("%d bytes are kept", len(page))
			}
		}
	}
}

// A listener may leave at any time.
func TestEventsMayBeLeft(t *testing.T) {
	for range wire.Events(strings.NewReader("data: 1\n\ndata: 2\n\n")) {
		break
	}
}
