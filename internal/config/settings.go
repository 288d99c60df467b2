package config

import (
	"maps"
	"slices"
	"strings"
)

// A path is where a value is: "providers", "groq", "api".
type path []string

// key makes a path the key of a map. No TOML key needs a NUL.
func (p path) key() string { return strings.Join(p, "\x00") }

func (p path) with(name string) path { return append(slices.Clip(p), name) }

// String writes a path as TOML does.
func (p path) String() string {
	words := make([]string, len(p))
	for i, word := range p {
		words[i] = word
		if strings.IndexFunc(word, notBare) >= 0 || word == "" {
			words[i] = quote(word)
		}
	}
	return strings.Join(words, ".")
}

func notBare(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-')
}

// settings are the values that one place gives, or several together, by the key of their path.
type settings map[string]Value[any]

// over returns the settings with those of a stronger place over them.
func (s settings) over(weaker settings) settings {
	all := settings{}
	maps.Copy(all, weaker)
	maps.Copy(all, s)
	return all
}

// get returns a value of a type, and the zero value if there is none.
func get[T any](s settings, p ...string) Value[T] {
	found, ok := s[path(p).key()]
	if !ok {
		return Value[T]{}
	}
	value, _ := found.Value.(T) // the schema has seen to the type
	return Value[T]{value, found.From}
}

// names returns the names that are used below a path, sorted.
func (s settings) names(p ...string) []string {
	prefix := path(p).key() + "\x00"
	found := map[string]bool{}
	for key := range s {
		if rest, below := strings.CutPrefix(key, prefix); below {
			name, _, _ := strings.Cut(rest, "\x00")
			found[name] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}
