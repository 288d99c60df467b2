package interop_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/trace"
)

// agentsGuide has the table, between two lines of its own.
const (
	agentsGuide = "../docs/agents.md"
	tableBegins = "<!-- written by make interop-agents -->\n"
	tableEnds   = "<!-- end of what make interop-agents writes -->\n"
)

// columns are what a peer is examined in. The guide says what each means.
var columns = []string{
	"new", "tool call", "permission", "rejection", "cancel", "files", "terminals", "mode", "model", "option",
	"list", "load", "resume", "fork", "close", "delete", "noise", "killed", "run",
}

// A row is what is known of a peer.
type row struct {
	agent, version, date string
	cells                map[string]string
	notes                []string
}

// see notes what the agent asks of its client.
func (r *row) see(m *message) {
	if m.dir != trace.ToClient || m.ID == nil {
		return
	}
	switch {
	case strings.HasPrefix(m.Method, "fs/"):
		r.cells["files"] = "yes"
	case strings.HasPrefix(m.Method, "terminal/"):
		r.cells["terminals"] = "yes"
	}
}

// String is the row in the guide, without the date if plain.
func (r *row) String() string {
	cells := []string{r.agent, r.version}
	for _, column := range columns {
		cell := r.cells[column]
		if cell == "" {
			cell = "–"
		}
		cells = append(cells, cell)
	}
	return "| " + strings.Join(append(cells, r.date), " | ") + " |"
}

func tableHead() string {
	cells := slices.Concat([]string{"agent", "version"}, columns, []string{"on"})
	return "| " + strings.Join(cells, " | ") + " |\n|" + strings.Repeat("---|", len(cells)) + "\n"
}

// A table is what stands between the two lines.
type table struct{ rows, notes []string }

func readTable(t *testing.T) (before string, tab table, after string) {
	t.Helper()
	guide, err := os.ReadFile(agentsGuide)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(guide), tableBegins)
	text, after, ends := strings.Cut(rest, tableEnds)
	if !ok || !ends {
		t.Fatalf("%s has no place for the table", agentsGuide)
	}
	if text != "" && !strings.HasPrefix(text, "\n"+tableHead()) {
		t.Logf("the columns have changed: all rows are to be written anew")
		return before, tab, after
	}
	for line := range strings.Lines(strings.TrimPrefix(text, "\n"+tableHead())) {
		switch line = strings.TrimSuffix(line, "\n"); {
		case strings.HasPrefix(line, "| "):
			tab.rows = append(tab.rows, line)
		case strings.HasPrefix(line, "* "):
			tab.notes = append(tab.notes, line)
		}
	}
	return before, tab, after
}

// put replaces a row and its notes, or adds them.
func (tab *table) put(r *row) {
	mine := func(line string) bool {
		return strings.HasPrefix(line, "| "+r.agent+" |") || strings.HasPrefix(line, "* "+r.agent+", ")
	}
	tab.rows = append(slices.DeleteFunc(tab.rows, mine), r.String())
	tab.notes = slices.DeleteFunc(tab.notes, mine)
	for _, note := range r.notes {
		if line := "* " + r.agent + ", " + note; !slices.Contains(tab.notes, line) {
			tab.notes = append(tab.notes, line)
		}
	}
	order := func(a, b string) int { return rank(a) - rank(b) }
	slices.SortStableFunc(tab.rows, order)
	slices.SortStableFunc(tab.notes, order)
}

// rank is the place of the peer that a line is about.
func rank(line string) int {
	return slices.IndexFunc(peers, func(p *peer) bool {
		return strings.HasPrefix(line, "| "+p.title+" |") || strings.HasPrefix(line, "* "+p.title+", ")
	})
}

func (tab *table) String() string {
	text := "\n" + tableHead() + strings.Join(tab.rows, "\n") + "\n"
	if len(tab.notes) > 0 {
		text += "\nWhat was found beside that:\n\n" + strings.Join(tab.notes, "\n") + "\n"
	}
	return text + "\n"
}

// writeRow puts what was found into the guide.
func writeRow(t *testing.T, r *row) {
	t.Helper()
	before, tab, after := readTable(t)
	tab.put(r)
	if err := os.WriteFile(agentsGuide, fmt.Appendf(nil, "%s%s%s%s%s", before, tableBegins, &tab, tableEnds, after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The table in the guide has rows of agents that we know how to run, one each and in our order, of the columns that we fill in.
// Only one that isn't free software, and so isn't examined with the others, may have none.
func TestAgentsTableIsOfTheAgentsThatWeKnow(t *testing.T) {
	_, tab, _ := readTable(t)
	var want []string
	for _, p := range peers {
		if !p.asked || slices.ContainsFunc(tab.rows, func(line string) bool { return rank(line) == slices.Index(peers, p) }) {
			want = append(want, p.title)
		}
	}
	var got []string
	for _, line := range tab.rows {
		cells := strings.Split(strings.Trim(line, "|"), "|")
		got = append(got, strings.TrimSpace(cells[0]))
		if len(cells) != len(columns)+3 {
			t.Errorf("%d cells in %s", len(cells), line)
			continue
		}
		for i, cell := range cells[2 : len(cells)-1] {
			if !slices.Contains([]string{"yes", "–", "fails"}, strings.TrimSpace(cell)) {
				t.Errorf("%s, %s: %q", got[len(got)-1], columns[i], cell)
			}
		}
	}
	same(t, "agents", got, want)
	for _, line := range tab.notes {
		if rank(line) < 0 {
			t.Errorf("a note about no agent: %s", line)
		}
	}
}
