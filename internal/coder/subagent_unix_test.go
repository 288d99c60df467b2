//go:build unix

package coder_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// A command that a subagent has left in the background ends with it (F92).
func TestF92_ASubagentsJobsEndWithIt(t *testing.T) {
	shell := func(input string) []any { return calls(&model.Call{ID: "1", Name: "shell", Input: acp.Raw(input)}) }
	m := parent([]*model.Call{startTask("1", "general", "job")}, func(_ context.Context, r *model.Request) []any {
		switch len(r.Messages) {
		case 1:
			return shell(`{"command":"echo $$ >pid; exec sleep 1000","background":true}`)
		case 3:
			return shell(`{"command":"until [ -s pid ]; do sleep 0.01; done"}`)
		}
		return says("started")
	})
	c := opens(t, &client{permit: answers(acp.PermissionOptionKindAllowOnce)}, coder.With(m))
	c.turn("go", acp.StopReasonEndTurn)
	pid, err := os.ReadFile(filepath.Join(c.dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	if alive(strings.TrimSpace(string(pid))) {
		t.Errorf("process %s lives", pid)
	}
}
