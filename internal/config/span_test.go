package config_test

import (
	"strings"
	"testing"
	"time"
)

// How long sessions are kept is said in days or in the units of Go, by the user's file or a flag, and not by a variable: a
// workspace could come with one, and what it removes is gone.
func TestHowLongSessionsAreKept(t *testing.T) {
	const hour = time.Hour
	for word, want := range map[string]time.Duration{"": 0, "30d": 720 * hour, "1d": 24 * hour, "65535d": 65535 * 24 * hour, "720h": 720 * hour, "1h30m": 3 * hour / 2} {
		d := newDesk(t)
		d.user("keep_sessions = '" + word + "'")
		d.env["PATCHBAY_KEEP_SESSIONS"] = "1s"
		if got := d.load().KeepFor(); got != want {
			t.Errorf("%q: got %v, want %v", word, got, want)
		}
		d.flags["keep_sessions"] = "2d"
		if got := d.load().KeepFor(); got != 48*hour {
			t.Errorf("the flag: got %v", got)
		}
	}
	for _, word := range []string{"0", "0d", "-1h", "-3d", "d", "30", "1.5d", "65536d", "99999999999999d", "for ever"} {
		d := newDesk(t)
		d.flags["keep_sessions"] = word
		if _, err := d.tryFrom("home/project"); err == nil || !strings.Contains(err.Error(), "no span of time") {
			t.Errorf("%q: got %v", word, err)
		}
	}
}
