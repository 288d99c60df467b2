package mcp_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/internal/mcp"
)

func TestNamesAreWhatModelsTakeAndTheOnlyOnes(t *testing.T) {
	long := strings.Repeat("long", 20)
	s, _ := ready(t, mcp.Options{},
		ours(t, "a", "full", "x.y", "x/y", "x_y", long+"1", long+"2"),
		ours(t, "a", "full"), // the same name again
		ours(t, "a__2", "full"),
		ours(t, "über/server ✓", "full"),
		ours(t, "", "full"),
		ours(t, long, "full"),
	)
	var echoes []string
	byName := make(map[string]string)
	for _, tool := range s.Tools() {
		if !regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`).MatchString(tool.Name) || byName[tool.Name] != "" {
			t.Errorf("the name %q is none, or not the only one", tool.Name)
		}
		byName[tool.Name] = tool.Title
		if tool.Title == "ECHO" {
			echoes = append(echoes, tool.Name)
		}
	}
	want := []string{
		"mcp__a__echo", "mcp__a_2__echo", "mcp__a_2_2__echo", "mcp__ber_server__echo", "mcp__server__echo",
		"mcp__" + long[:24] + "__echo",
	}
	if diff := cmp.Diff(want, echoes); diff != "" {
		t.Errorf("the names (-want +got):\n%s", diff)
	}
	// Each name leads to its own tool.
	for _, own := range []string{"x.y", "x/y", "x_y", long + "1", long + "2"} {
		i := slices.IndexFunc(s.Tools(), func(tool *mcp.Tool) bool { return tool.Title == strings.ToUpper(own) })
		if r := call(t, s, s.Tools()[i].Name, "{}"); r.Text != own {
			t.Errorf("%s leads to %s", s.Tools()[i].Name, r.Text)
		}
	}
}
