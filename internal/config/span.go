package config

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// day is what "d" stands for in a span of time.
const day = 24 * time.Hour

// KeepFor is how long a session is kept that is not used; 0 if for ever.
func (c *Config) KeepFor() time.Duration {
	if c.KeepSessions.Value == "" {
		return 0
	}
	d, _ := parseSpan(c.KeepSessions.Value) // the schema has seen to it
	return d
}

// parseSpan reads a span of time: days, such as "30d", or what time.ParseDuration takes.
func parseSpan(word string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(word, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16) // so that no product overflows
		return time.Duration(n) * day, err
	}
	return time.ParseDuration(word)
}

// span checks a span of time. An empty one is none.
func span(value any) error {
	word := value.(string)
	if word == "" {
		return nil
	}
	if d, err := parseSpan(word); err != nil || d <= 0 {
		return fmt.Errorf("%q is no span of time, such as \"30d\" or \"720h\"", word)
	}
	return nil
}
