package config

import (
	"fmt"
	"strings"
	"time"
)

// How patient a model is with its provider where nobody says otherwise, and at most. Reasoning models are silent for
// minutes; a model on a slow machine may read a long conversation for an hour.
const (
	defaultSilence  = 5 * time.Minute
	leastSilence    = time.Second
	longestSilence  = 24 * time.Hour
	defaultAttempts = 5
	mostAttempts    = 20
)

// silence checks a time with its unit.
func silence(value any) error {
	d, err := time.ParseDuration(value.(string))
	if err != nil {
		return fmt.Errorf("%q is no time with its unit, such as \"90s\", \"10m\" or \"1h\"", value)
	}
	if d < leastSilence || d > longestSilence {
		return fmt.Errorf("%q is not between %s and %s", value, plainly(leastSilence), plainly(longestSilence))
	}
	return nil
}

func attempts(value any) error {
	if n := value.(int64); n < 1 || n > mostAttempts {
		return fmt.Errorf("%d is not between 1 and %d", n, mostAttempts)
	}
	return nil
}

// fillPatience copies the settings for the patience with providers to where they are read, with their defaults.
func (c *Config) fillPatience() {
	c.Silence.Value = defaultSilence
	if v := get[string](c.all, nameSilence); v.Value != "" {
		c.Silence.From = v.From
		c.Silence.Value, _ = time.ParseDuration(v.Value) // the schema has seen to it
	}
	c.Attempts.Value = defaultAttempts
	if v := get[int64](c.all, nameAttempts); v.Value != 0 {
		c.Attempts = Value[int]{int(v.Value), v.From}
	}
}

// plainly writes a time as people do: "5m", where String has "5m0s".
func plainly(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}
