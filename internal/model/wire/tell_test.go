package wire_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/patchbay-dev/patchbay/internal/model/wire"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 28, 8, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		seconds, milliseconds string
		want                  time.Duration
	}{
		{"", "", 0},
		{"7", "", 7 * time.Second},
		{" 7 ", "", 7 * time.Second},
		{"1.5", "", 1500 * time.Millisecond},
		{"7", "250", 250 * time.Millisecond},
		{"7", "soon", 7 * time.Second},
		{"Sat, 28 Nov 2026 08:01:00 GMT", "", time.Minute},
		{"Sat, 28 Nov 2026 07:00:00 GMT", "", 0},
		{"Sat, 28 Nov 2099 07:00:00 GMT", "", 7 * 24 * time.Hour},
		{"-3", "", 0},
		{"NaN", "", 0},
		{"1e300", "", 7 * 24 * time.Hour},
		{"Inf", "", 7 * 24 * time.Hour},
		{"tomorrow", "", 0},
	} {
		h := http.Header{}
		h.Set("Retry-After", c.seconds)
		h.Set("Retry-After-Ms", c.milliseconds)
		if got := wire.RetryAfter(h, now); got != c.want {
			t.Errorf("%q, %q: got %v, want %v", c.seconds, c.milliseconds, got, c.want)
		}
	}
}

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"":                                "",
		" two\r\n lines ":                 "two lines",
		"bad\xffbytes":                    "bad\uFFFDbytes",
		"the key sk-1 is wrong: sk-1":     "the key [key] is wrong: [key]",
		strings.Repeat("x", 600):          strings.Repeat("x", 600),
		"x" + strings.Repeat("ä", 300):    "x" + strings.Repeat("ä", 299) + "…",
		strings.Repeat("x", 598) + "sk-1": strings.Repeat("x", 598) + "[k…", // no part of the key stays at the cut
	} {
		if got := wire.Line(in, "sk-1"); got != want || !utf8.ValidString(got) {
			t.Errorf("%q: got %q", in, got)
		}
	}
	if got := wire.Line("no key", ""); got != "no key" {
		t.Errorf("got %q", got)
	}
}
