package promises

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Document is where the list stands in the repository.
const Document = "docs/requirements.md"

// Check reads the list and all tests of a repository and returns what doesn't fit together.
func Check(repository fs.FS) ([]Problem, error) {
	doc, err := fs.ReadFile(repository, Document)
	if err != nil {
		return nil, err
	}
	tests, cited, err := Scan(repository)
	if err != nil {
		return nil, err
	}
	list, problems := Parse(Document, string(doc))
	known := map[string]Promise{}
	for _, p := range list {
		known[p.ID] = p
	}
	for _, c := range cited {
		if _, ok := known[c.ID]; !ok {
			problems = append(problems, Problem{c.Where, "cites " + c.ID + ", which isn't listed"})
		}
	}
	exists := map[Name]Test{}
	for _, t := range tests {
		exists[t.Name] = t
		for _, id := range t.IDs {
			if p, ok := known[id]; ok && p.State == Planned {
				problems = append(problems, Problem{where(p), fmt.Sprintf("%s is planned, but %s proves some of it", id, t.Name)})
			}
		}
	}
	for _, p := range list {
		for _, name := range p.Tests {
			t, ok := exists[name]
			switch {
			case !ok:
				problems = append(problems, Problem{where(p), fmt.Sprintf("%s names %s, which doesn't exist", p.ID, name)})
			case !slices.Contains(t.IDs, p.ID):
				problems = append(problems, Problem{where(p), fmt.Sprintf("%s names %s, which doesn't say that it proves it", p.ID, name)})
			}
		}
	}
	return problems, nil
}

func where(p Promise) string { return fmt.Sprintf("%s:%d", Document, p.Line) }

// Update returns the document with the tests of each promise that is kept or part as the tests themselves say it.
// Planned promises stay as they are: which state a promise has reached is for people to judge.
func Update(doc string, tests []Test) string {
	proves := map[string][]Name{}
	for _, t := range tests {
		for _, id := range t.IDs {
			proves[id] = append(proves[id], t.Name)
		}
	}
	lines := strings.Split(doc, "\n")
	inside := false
	for i, line := range lines {
		cells := row(line)
		switch {
		case cells == nil:
			inside = false
		case slices.Equal(cells, header):
			inside = true
		case inside && len(cells) == len(header) && (cells[2] == string(Kept) || cells[2] == string(Part)):
			names := slices.SortedFunc(slices.Values(proves[cells[0]]), func(a, b Name) int {
				return cmp.Or(cmp.Compare(a.Folder, b.Folder), cmp.Compare(a.Func, b.Func))
			})
			cells[1] = strings.ReplaceAll(cells[1], "|", `\|`)
			cells[3] = cell(names)
			lines[i] = "| " + strings.Join(cells, " | ") + " |"
		}
	}
	return strings.Join(lines, "\n")
}
