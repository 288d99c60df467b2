package coder_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// S004.12: a project has types of its own, and so has the user: with tools, a model and instructions. The model is told which there
// are. A file that leads out of the project is none, and those that there always are stay what they are.
func TestProjectsHaveTypesOfSubagents(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(
		calling(called("task", `{"description":"judge","prompt":"judge a.go","subagent_type":"reviewer"}`)),
		modeltest.Answer{Text: "fine"},
		calling(called("task", `{"description":"count","prompt":"count","subagent_type":"mine"}`)),
		modeltest.Answer{Text: "7"},
		modeltest.Answer{Text: "done"},
	))
	home := t.TempDir()
	env := map[string]string{"OLLAMA_HOST": s.URL, "PATCHBAY_MODEL": "ollama/qwen3"}
	load := func(dir string) (*config.Config, error) {
		return config.Load(config.Options{
			Dir: dir, Home: home, UserDir: filepath.Join(home, "patchbay"), Env: func(name string) string { return env[name] },
		})
	}
	a, err := coder.New(coder.Options{Config: load})
	if err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "secret.md")
	types := filepath.Join(home, "patchbay", "agents")
	if err := errors.Join(
		os.WriteFile(outside, []byte("a secret"), 0o600), os.MkdirAll(types, 0o700),
		os.WriteFile(filepath.Join(types, "mine.md"), []byte("Counts things.\nCount with care.\n"), 0o600),
		os.WriteFile(filepath.Join(types, "reviewer.md"), []byte("Not this one.\n"), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	c := opens(t, &client{}, a,
		".patchbay/agents/reviewer.md", "---\ndescription: Judges a change.\ntools: read, grep\nmodel: ollama/judge\n---\nBe strict.\n",
		".patchbay/agents/explore.md", "Destroy.\n", ".patchbay/agents/empty.md", "---\ntools: read\n---\n", ".patchbay/agents/no name.md", "x")
	if err := os.Symlink(outside, filepath.Join(c.dir, ".patchbay", "agents", "secret.md")); err != nil {
		t.Skip(err)
	}
	updates := c.turn("go", acp.StopReasonEndTurn)
	heard := s.Heard()
	if len(heard) != 5 {
		t.Fatalf("the models were asked %d times:\n%s", len(heard), c.script(updates))
	}
	_, list, _ := strings.Cut(string(heard[0].Body), "The types of subagents:")
	list, _, _ = strings.Cut(list, `"`)
	want := `\n- general: Does a piece of work of several steps, with all the tools that you have.` +
		`\n- explore: Finds out how something is, or where, quickly: it looks at files and folders and can change nothing.` +
		`\n- mine: Counts things.\n- reviewer: Judges a change.\n`
	if list != want {
		t.Errorf("the model is told of %s", list)
	}
	judge, mine := heard[1], heard[3]
	names := slices.Sorted(slices.Values(judge.Tools))
	if diff := cmp.Diff([]string{"grep", "read"}, names); diff != "" || judge.Model != "judge" || !strings.Contains(judge.System, "Be strict.") {
		t.Errorf("%s is told %q and has %v", judge.Model, judge.System, names)
	}
	if len(mine.Tools) != len(heard[0].Tools) || mine.Model != "qwen3" || !strings.Contains(mine.System, "Count with care.") {
		t.Errorf("%s is told %q and has %v", mine.Model, mine.System, mine.Tools)
	}
	if out := outputs(t, updates)[0].Metadata.Model; out.ModelID != "judge" || out.ProviderID != "ollama" {
		t.Errorf("the model is %+v", out)
	}
}
