package tool_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/internal/tool"
)

// A page says what it says: nothing in it is escaped.
func TestFetchEscapesNothing(t *testing.T) {
	s := serve(t, "/", "text/html", "<p>snake_case *stars* [brackets] 1. # `ticks` \\</p>")
	r, err := s.fetch("/", "")
	if err != nil || !strings.HasSuffix(r.Text, "\nsnake_case *stars* [brackets] 1. # `ticks` \\\n") && !strings.HasSuffix(r.Text, "\nsnake_case *stars* [brackets] 1. # `ticks` \\") {
		t.Errorf("got %+v and error %v", r, err)
	}
}

// No page takes long to convert, whatever it is made of, and none that is too much is tried.
func TestFetchConvertsInTime(t *testing.T) {
	s := serve(t, "/brackets", "text/html", "<p>"+strings.Repeat("*_[`", 50_000), "/large", "text/html", strings.Repeat("<p>a", 600_000))
	began := time.Now()
	if r, err := s.fetch("/brackets", ""); err != nil || !strings.Contains(r.Text, "*_[`*_[`") {
		t.Errorf("got %.100v and error %v", r, err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
	s.wantFailure("/large", `,'max_bytes':8000000`, "it has 2.3 MiB of HTML, and 2.0 MiB is the most that can be converted: set max_bytes to less, or format to raw")
	if r, err := s.fetch("/large", `,'max_bytes':8000000,'format':'raw'`); err != nil || !strings.Contains(r.Text, "<p>a<p>a") {
		t.Errorf("got %.100v and error %v", r, err)
	}
}

// S000.6: a cancel doesn't wait for a conversion.
func TestFetchIsCancelledWhileItConverts(t *testing.T) {
	s := serve(t, "/", "text/html", strings.Repeat("<b>a</b> ", 200_000))
	job, err := s.prepare(tool.Fetch(), `{'url':'`+s.url+`/','max_bytes':2000000}`)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, err := job.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got error %v", err)
	}
	if took := time.Since(began); took > 1200*time.Millisecond {
		t.Errorf("it took %s", took)
	}
}
