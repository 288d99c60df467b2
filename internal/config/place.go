package config

import (
	"slices"
	"strconv"

	"github.com/pelletier/go-toml/v2/unstable"
)

// A place is a line and a column, from 1.
type place struct{ line, column int }

// maxDepth is how deep a path is followed. No setting is deeper, and what a file has below that is unknown further up.
const maxDepth = 8

// placesOf finds where the keys of a document are, by their paths. The document has been parsed before, so nothing can be
// wrong with it.
func placesOf(doc []byte) map[string]place {
	f := &finder{lines: []int{0}, found: map[string]place{}}
	for i, b := range doc {
		if b == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	var parser unstable.Parser
	parser.Reset(doc)
	var at path // of the table that the file is in
	for parser.NextExpression() {
		e := parser.Expression()
		switch e.Kind {
		case unstable.Table:
			at = f.keys(nil, e.Key())
		case unstable.ArrayTable:
			at = f.nextOf(f.keys(nil, e.Key()))
		case unstable.KeyValue:
			f.keyValue(at, e)
		}
	}
	return f.found
}

type finder struct {
	lines []int // where they begin
	found map[string]place
	last  place // of the key that was looked at last
}

// nextOf notes one more table of a list: its number is the last part of its path.
func (f *finder) nextOf(list path) path {
	for n := 0; ; n++ {
		at := list.with(strconv.Itoa(n))
		if _, noted := f.found[at.key()]; !noted {
			f.found[at.key()] = f.last
			return at
		}
	}
}

// keys notes a dotted key, each part of it for the table that it makes, and returns the path.
func (f *finder) keys(at path, key unstable.Iterator) path {
	for key.Next() && len(at) < maxDepth {
		at = at.with(string(key.Node().Data))
		f.last = f.place(int(key.Node().Raw.Offset))
		if _, noted := f.found[at.key()]; !noted {
			f.found[at.key()] = f.last
		}
	}
	return at
}

func (f *finder) keyValue(at path, e *unstable.Node) {
	at = f.keys(at, e.Key())
	if e.Value().Kind != unstable.InlineTable || len(at) >= maxDepth {
		return
	}
	for inner := e.Value().Children(); inner.Next(); {
		f.keyValue(at, inner.Node())
	}
}

func (f *finder) place(offset int) place {
	line, exact := slices.BinarySearch(f.lines, offset)
	if !exact {
		line-- // it is in the line before the one that begins after it
	}
	return place{line + 1, offset - f.lines[line] + 1}
}
