package config

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// maxFile is how long a configuration may be, in bytes.
const maxFile = 1 << 18

// maxErrors is how many mistakes of a file are listed.
const maxErrors = 10

// readFile reads a file's settings. A file that doesn't exist has none.
func readFile(name string, kind Kind, userFile string) (settings, error) {
	doc, err := contentOf(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	doc = []byte(strings.TrimPrefix(string(doc), "\ufeff")) // some editors begin a file with this mark
	r := &reader{file: name, kind: kind, userFile: userFile, found: settings{}}
	var tree map[string]any
	if err := toml.Unmarshal(doc, &tree); err != nil {
		return nil, r.syntax(err)
	}
	r.places = placesOf(doc)
	r.table(schema, tree, nil)
	return r.found, r.failed()
}

// contentOf returns a file's content. Nothing but a regular file is opened: a pipe of that name would wait for ever.
func contentOf(name string) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	doc, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(doc) > maxFile {
		err = fmt.Errorf("%s is longer than %d bytes", name, maxFile)
	}
	return doc, err
}

// A reader compares a file with the schema.
type reader struct {
	file     string
	kind     Kind
	userFile string // the path of the user's file, for people
	places   map[string]place
	found    settings
	errs     []*Error
}

func (r *reader) syntax(err error) error {
	at := Source{Kind: r.kind, File: r.file, Line: 1, Column: 1}
	if d := new(toml.DecodeError); errors.As(err, &d) {
		at.Line, at.Column = d.Position()
	}
	return &Error{at, strings.TrimPrefix(err.Error(), "toml: ")}
}

// failed returns all that is wrong with the file, first things first.
func (r *reader) failed() error {
	slices.SortFunc(r.errs, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.At.Line, b.At.Line), cmp.Compare(a.At.Column, b.At.Column), cmp.Compare(a.Message, b.Message))
	})
	var all []error
	for i, e := range r.errs {
		if i == maxErrors {
			all = append(all, fmt.Errorf("%s: %d more", r.file, len(r.errs)-i))
			break
		}
		all = append(all, e)
	}
	return errors.Join(all...)
}

// at returns where a key is; that of an entry of a list which is written in one line is where the list is.
func (r *reader) at(p path) Source {
	where, found := r.places[p.key()]
	for !found && len(p) > 1 {
		p = p[:len(p)-1]
		where, found = r.places[p.key()]
	}
	return Source{Kind: r.kind, File: r.file, Line: where.line, Column: where.column}
}

func (r *reader) wrong(p path, format string, args ...any) {
	r.errs = append(r.errs, &Error{r.at(p), fmt.Sprintf(format, args...)})
}

// table reads a table.
func (r *reader) table(s *shape, values map[string]any, at path) {
	for name, value := range values {
		p := at.with(name)
		below, ok := s.each, s.each != nil
		if !ok {
			below, ok = s.fields[name]
		}
		switch {
		case !ok:
			r.unknown(p, slices.Sorted(maps.Keys(s.fields)))
		case s.names != nil && s.names(name) != nil:
			r.wrong(p, "%s: %v", p, s.names(name))
		default:
			r.value(below, value, p)
		}
	}
}

func (r *reader) unknown(p path, known []string) {
	name := p[len(p)-1]
	if near := Nearest(name, known); near != "" {
		r.wrong(p, "unknown key %s; did you mean %q?", quote(name), near)
		return
	}
	r.wrong(p, "unknown key %s; known here are %s", quote(name), strings.Join(known, ", "))
}

func (r *reader) value(s *shape, value any, p path) {
	if s.userOnly && r.kind == ProjectFile {
		r.wrong(p, "%s is taken from the user's file only (%s), not from a project's", p, r.userFile)
		return
	}
	if !s.kind.is(value) {
		r.wrong(p, "%s is %s, and has to be %s", p, describe(value), s.kind)
		return
	}
	if s.check != nil {
		if err := s.check(value); err != nil {
			r.wrong(p, "%s: %v", p, err)
			return
		}
	}
	if s.kind == table {
		r.table(s, value.(map[string]any), p)
		return
	}
	r.found[p.key()] = Value[any]{canonical(s.kind, value), r.at(p)}
}

// is reports whether a value that was read from TOML is of the kind.
func (k kind) is(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return k == table
	case string:
		return k == text
	case int64:
		return k == whole || k == number
	case float64:
		return k == number
	case bool:
		return k == truth
	case []any:
		return k == strlist && !slices.ContainsFunc(v, func(e any) bool { _, ok := e.(string); return !ok })
	}
	return false
}

// canonical gives all values of a kind one type.
func canonical(k kind, value any) any {
	switch v := value.(type) {
	case int64:
		if k == number {
			return float64(v)
		}
	case []any:
		words := make([]string, len(v))
		for i, word := range v {
			words[i] = word.(string)
		}
		return words
	}
	return value
}

// describe says what kind of value was found.
func describe(value any) string {
	switch value.(type) {
	case map[string]any:
		return string(table)
	case string:
		return string(text)
	case int64:
		return string(whole)
	case float64:
		return string(number)
	case bool:
		return string(truth)
	case []any:
		return "a list"
	}
	return "a date or a time"
}

func quote(word string) string { return strconv.Quote(word) }
