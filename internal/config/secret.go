package config

import (
	"fmt"
	"log/slog"
)

// redacted stands for a secret wherever it is printed.
const redacted = "[redacted]"

// A Secret is a key. However it is printed, logged or encoded, it shows as "[redacted]", or as nothing if it is empty; only
// Reveal tells it.
//
// It is a pointer, since package fmt prints what is in an unexported field without asking its methods. So secrets can't be
// compared with ==.
type Secret struct{ text *string }

// NewSecret returns a secret.
func NewSecret(text string) Secret { return Secret{&text} }

// Reveal returns the secret itself, for the request that needs it.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsZero reports whether there is no secret.
func (s Secret) IsZero() bool { return s.Reveal() == "" }

// String doesn't tell the secret.
func (s Secret) String() string {
	if s.IsZero() {
		return ""
	}
	return redacted
}

// Format doesn't tell the secret, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) }

// MarshalText doesn't tell the secret; JSON and TOML use it.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue doesn't tell the secret.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
