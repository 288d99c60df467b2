package registry

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Manifest says what was installed of an agent. It is the file ID.json beside the agents' folders: replacing it is what makes
// an installation count, so that one which fails changes nothing.
type Manifest struct {
	ID      string            `json:"id"`
	Title   string            `json:"title,omitempty"`
	Version string            `json:"version"`
	Folder  string            `json:"folder"`  // its name, in the agent's folder, which is beside the manifest
	Program string            `json:"program"` // in the folder, with slashes
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`

	// From is the package, or the address of the archive. Hash is that of what came from there: as npm writes it
	// ("sha512-" and base64), or "sha256:" and hexadecimal digits.
	From string `json:"from"`
	Hash string `json:"hash"`

	// ProgramHash is the "sha256:" of the program, by which a change is noticed.
	ProgramHash string `json:"programHash"`
}

const manifestSuffix = ".json"

// program returns the path of the program.
func (m *Manifest) program(dataDir string) string {
	return filepath.Join(dataDir, m.ID, m.Folder, filepath.FromSlash(m.Program))
}

// agent describes an installed agent that is not a known one.
func (m *Manifest) agent() *Agent {
	return &Agent{ID: m.ID, Title: cmp.Or(m.Title, m.ID), Program: filepath.Base(m.Program), Args: m.Args, Env: m.Env}
}

// check refuses what this package has not written: a manifest says what is executed.
func (m *Manifest) check(id string) error {
	switch {
	case m.ID != id:
		return fmt.Errorf("it is the manifest of %q", m.ID)
	case filepath.Base(m.Folder) != m.Folder || m.Folder == "" || !filepath.IsLocal(m.Folder):
		return fmt.Errorf("the folder %q is elsewhere", m.Folder)
	case !filepath.IsLocal(filepath.FromSlash(m.Program)):
		return fmt.Errorf("the program %q is elsewhere", m.Program)
	}
	return nil
}

// readManifests reads what is installed, by id, and why what can't be read of it can't.
func readManifests(dataDir string) (all map[string]*Manifest, broken map[string]error, err error) {
	all, broken = map[string]*Manifest{}, map[string]error{}
	if dataDir == "" {
		return all, broken, nil
	}
	entries, err := os.ReadDir(dataDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("read the installed agents: %w", err)
	}
	for _, e := range entries {
		id, is := strings.CutSuffix(e.Name(), manifestSuffix)
		if !is || !idForm.MatchString(id) {
			continue
		}
		if m, err := readManifest(filepath.Join(dataDir, e.Name()), id); err != nil {
			broken[id] = fmt.Errorf("%w; install the agent again, or run `patchbay agents remove %s`", err, id)
		} else {
			all[id] = m
		}
	}
	return all, broken, nil
}

func readManifest(file, id string) (*Manifest, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err = json.Unmarshal(text, m); err == nil {
		err = m.check(id)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}

func writeManifest(dataDir string, m *Manifest) error {
	text, err := json.Marshal(m, jsontext.WithIndent("  "), json.Deterministic(true))
	if err != nil {
		return err
	}
	return writeWhole(filepath.Join(dataDir, m.ID+manifestSuffix), append(text, '\n'))
}
