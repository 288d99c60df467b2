package promises

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A State says how far a promise has come.
type State string

const (
	Kept    State = "kept"    // tests prove all of it
	Part    State = "part"    // tests prove some of it; the row says what is missing
	Planned State = "planned" // nothing to prove yet
)

// A Promise is one row of the list.
type Promise struct {
	ID    string
	Text  string
	State State
	Tests []Name
	Line  int // in the document, from 1
}

// A Name is a test's full name: the folder it is in and the function.
type Name struct{ Folder, Func string }

func (n Name) String() string { return n.Folder + ": " + n.Func }

// A Problem is one thing that is wrong, and where.
type Problem struct{ Where, What string }

func (p Problem) String() string { return p.Where + ": " + p.What }

// ids matches every id of a promise in running text. None has leading zeros, so that a byte such as 0F or F0 isn't one.
var ids = regexp.MustCompile(`\b(?:[WT][1-9]\d?|F[1-9]\d{0,2}|S\d{3}\.[1-9]\d?)\b`)

func isID(s string) bool { return ids.FindString(s) == s && s != "" }

// header is the first row of each table of promises.
var header = []string{"id", "promise", "state", "tests"}

// Parse reads the list. Tables with another header, and all text around them, are prose to it.
func Parse(path, doc string) ([]Promise, []Problem) {
	var list []Promise
	var problems []Problem
	seen := map[string]int{}
	inside := false // a table of promises
	for i, line := range strings.Split(doc, "\n") {
		cells := row(line)
		switch {
		case cells == nil:
			inside = false
			continue
		case slices.Equal(cells, header):
			inside = true
			continue
		case strings.Trim(line, "|-: ") == "":
			continue
		}
		where := fmt.Sprintf("%s:%d", path, i+1)
		if !inside {
			if isID(cells[0]) {
				problems = append(problems, Problem{where, cells[0] + " stands in a table that isn't one of promises"})
			}
			continue
		}
		p, err := promise(cells)
		if err != nil {
			problems = append(problems, Problem{where, err.Error()})
			p.Tests = nil // one complaint about a row is enough
		}
		if !isID(p.ID) {
			continue
		}
		if first, again := seen[p.ID]; again {
			problems = append(problems, Problem{where, fmt.Sprintf("%s is listed again, first in line %d", p.ID, first)})
			continue
		}
		p.Line = i + 1
		seen[p.ID] = p.Line
		list = append(list, p)
	}
	if len(list) == 0 {
		problems = append(problems, Problem{path, "lists no promise"})
	}
	return list, problems
}

// row splits a line of a table into its cells; it is nil for any other line.
func row(line string) []string {
	if !strings.HasPrefix(line, "|") {
		return nil
	}
	line = strings.TrimSuffix(strings.TrimSpace(line[1:]), "|")
	var cells []string
	for cell := range strings.SplitSeq(strings.ReplaceAll(line, `\|`, "\x00"), "|") {
		cells = append(cells, strings.TrimSpace(strings.ReplaceAll(cell, "\x00", "|")))
	}
	return cells
}

func promise(cells []string) (Promise, error) {
	if len(cells) != len(header) {
		return Promise{}, fmt.Errorf("a row of %d cells, want %d: %s", len(cells), len(header), strings.Join(header, ", "))
	}
	p := Promise{ID: cells[0], Text: cells[1], State: State(cells[2])}
	if !isID(p.ID) {
		return p, fmt.Errorf("%q is no id", p.ID)
	}
	if p.Text == "" {
		return p, fmt.Errorf("%s promises nothing", p.ID)
	}
	var err error
	if p.Tests, err = names(cells[3]); err != nil {
		return p, fmt.Errorf("%s: %w", p.ID, err)
	}
	switch p.State {
	case Kept, Part:
		if len(p.Tests) == 0 {
			return p, fmt.Errorf("%s is %s, but names no test", p.ID, p.State)
		}
		if missing := strings.Contains(p.Text, "Missing:"); missing != (p.State == Part) {
			return p, fmt.Errorf("%s is %s: the text says what is \"Missing:\" if, and only if, it is part", p.ID, p.State)
		}
	case Planned:
		if len(p.Tests) > 0 {
			return p, fmt.Errorf("%s is planned, but names tests", p.ID)
		}
	default:
		return p, fmt.Errorf("%s has state %q, want kept, part or planned", p.ID, p.State)
	}
	return p, nil
}

// names reads the last cell: "jsonrpc: TestA, TestB; acp: TestC".
func names(cell string) ([]Name, error) {
	if cell == "" {
		return nil, nil
	}
	var list []Name
	for group := range strings.SplitSeq(cell, ";") {
		folder, funcs, ok := strings.Cut(group, ":")
		if !ok {
			return nil, fmt.Errorf("tests are written \"folder: TestName, TestName; folder: TestName\", found %q", group)
		}
		for name := range strings.SplitSeq(funcs, ",") {
			list = append(list, Name{strings.TrimSpace(folder), strings.TrimSpace(name)})
		}
	}
	return list, nil
}

// cell writes what names reads.
func cell(list []Name) string {
	var b strings.Builder
	folder := ""
	for _, n := range list {
		switch {
		case n.Folder == folder:
			b.WriteString(", ")
		case folder != "":
			b.WriteString("; ")
			fallthrough
		default:
			b.WriteString(n.Folder + ": ")
			folder = n.Folder
		}
		b.WriteString(n.Func)
	}
	return b.String()
}
