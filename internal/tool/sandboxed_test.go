package tool_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// A sandboxed tool is its original under another name, speaks of the others by their names there, and can't be used where
// there is no sandbox.
func TestSandboxed(t *testing.T) {
	bare := regexp.MustCompile(`\b(shell|job) (has|to)\b`)
	for _, original := range []*tool.Tool{tool.List(), tool.Glob(), tool.Grep(""), tool.Read(), tool.Write(), tool.Edit(), tool.Shell(), tool.BackgroundJob()} {
		got := tool.Sandboxed(original)
		if got.Name != "sandbox_"+original.Name || string(got.Schema) != string(original.Schema) {
			t.Errorf("%s became %s with the schema %s", original.Name, got.Name, got.Schema)
		}
		if got.Kind != original.Kind || got.ReadOnly != original.ReadOnly {
			t.Errorf("%s differs from its original", got.Name)
		}
		if found := bare.FindString(got.Description); found != "" {
			t.Errorf("%s speaks of another tool as %q", got.Name, found)
		}
		_, err := got.Prepare(tool.NewLocal(t.TempDir(), nil), acp.Raw(`{"path":"x","command":"true"}`))
		if err == nil || !strings.Contains(err.Error(), "there is no sandbox here") {
			t.Errorf("%s without a sandbox: got error %v", got.Name, err)
		}
	}
}
