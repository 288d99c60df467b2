package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

const (
	maxName   = 64 // bytes of a tool's name that all models' APIs take
	maxPrefix = 24 // bytes of it for the server
)

// names gives out the names under which models know tools, and people know prompts: mcp__server__tool. Each is given once
// and for all, so that a conversation's old calls mean the same thing after a server has changed its list. It is not safe
// for several goroutines.
type names struct {
	taken map[string]bool
	given map[nameOf]string
}

// A nameOf is what has a name: something of a server.
type nameOf struct {
	server *server
	kind   kind
	own    string // the server's own name for it
}

// A kind is something that servers have.
type kind string

const (
	aTool   kind = "tool"
	aPrompt kind = "prompt"
)

func newNames() *names { return &names{make(map[string]bool), make(map[nameOf]string)} }

// of returns the name of something, which is shown as its own. Tools and prompts have names of their own each.
func (n *names) of(what nameOf, shown string) string {
	if name, ok := n.given[what]; ok {
		return name
	}
	full := "mcp__" + what.server.prefix + "__" + clean(shown)
	name := full
	for try := 0; len(name) > maxName || n.taken[string(what.kind)+name]; try++ {
		name = shortened(full, fmt.Sprintf("%s\x00%d", what.own, try))
	}
	n.taken[string(what.kind)+name], n.given[what] = true, name
	return name
}

// shortened returns a name with a mark in the place of its end, so that two that begin alike differ.
func shortened(full, own string) string {
	sum := sha256.Sum256([]byte(own))
	mark := "_" + hex.EncodeToString(sum[:3])
	return full[:min(len(full), maxName-len(mark))] + mark
}

// prefixes returns the part of tools' names that says which server they are of, for each server. Servers of the same name
// get numbers.
func prefixes(servers []string) []string {
	taken := make(map[string]bool)
	list := make([]string, len(servers))
	for i, name := range servers {
		base := prefix(name)
		p := base
		for n := 2; taken[p]; n++ {
			p = fmt.Sprintf("%s_%d", base, n)
		}
		taken[p], list[i] = true, p
	}
	return list
}

// prefix makes a server's name part of a tool's. It has no double underscore, nor one at its end, so that it is clear where
// the tool's own name begins.
func prefix(name string) string {
	words := strings.FieldsFunc(clean(name), func(r rune) bool { return r == '_' })
	p := strings.Join(words, "_")
	p = strings.TrimRight(p[:min(len(p), maxPrefix)], "_")
	if p == "" {
		return "server"
	}
	return p
}

// clean puts an underscore in the place of each character that is not for names.
func clean(name string) string {
	cleaned := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
	if cleaned == "" {
		return "_"
	}
	return cleaned
}
