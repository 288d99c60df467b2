package coder_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/coder"
)

// The guide has the table of modes as it is (S002.13, S001.14).
func TestS002_13_TheGuideHasTheModes(t *testing.T) {
	text, err := os.ReadFile("../../docs/permissions.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range coder.ModeTable() {
		servers := "no"
		if r.Servers {
			servers = "yes"
		}
		want := fmt.Sprintf("| `%s` | %s | `%s` | %s | %s |\n", r.ID, r.Description, strings.Join(r.Tools, "`, `"), servers, r.Bounds)
		if !strings.Contains(string(text), want) {
			t.Errorf("docs/permissions.md lacks\n%s", want)
		}
	}
}
