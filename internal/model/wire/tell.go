package wire

import (
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// maxLine bounds a line, in bytes.
const maxLine = 600

// Line makes what somebody has said fit for an error's message: it is one line of at most 600 bytes and an ellipsis, in valid
// UTF-8, and shows no key.
func Line(text, key string) string {
	text = strings.ToValidUTF8(strings.Join(strings.Fields(Hide(text, key)), " "), "\uFFFD")
	if len(text) <= maxLine {
		return text
	}
	cut := maxLine
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

// Hide replaces the key, if there is one, in a text: some servers repeat it in what they say about it.
func Hide(text, key string) string {
	if key == "" {
		return text
	}
	return strings.ReplaceAll(text, key, "[key]")
}

// longestPause bounds what RetryAfter returns.
const longestPause = 7 * 24 * time.Hour

// RetryAfter is how long an answer's header asks to wait: milliseconds, seconds, or until a date; a week at most, and 0 if it
// doesn't say, or nothing that can be understood.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if d, ok := pause(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return d
	}
	after := h.Get("Retry-After")
	if d, ok := pause(after, time.Second); ok {
		return d
	}
	if date, err := http.ParseTime(after); err == nil {
		return min(max(date.Sub(now), 0), longestPause)
	}
	return 0
}

func pause(s string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(n >= 0) {
		return 0, false
	}
	return time.Duration(min(n*float64(unit), float64(longestPause))), true
}
