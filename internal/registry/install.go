package registry

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// An Installation says what to install, and what it has to be.
type Installation struct {
	Name     string // of the agent
	Registry string // the file that has it, in the public registry's format; "" for a known agent's npm package

	// Version of the npm package where there is no registry; "" is the newest one for this version of Node.
	Version string

	// From is "npm" or "binary" where an agent comes both ways; "" is the binary if its hash is known, else npm.
	From string

	// Hash is what has to be installed: "sha256:" and hexadecimal digits, or an integrity value of npm's ("sha512-...").
	// Unverified accepts an archive whose hash nobody has named; it is kept, so that another one is noticed later.
	Hash       string
	Unverified bool

	// Scripts lets the package's own scripts run while it is installed, which some need to fetch a binary.
	Scripts bool

	// Report, if set, is told what is being done.
	Report func(text string)

	// Client downloads archives. Default: one that does not wait for ever.
	Client *http.Client
}

// Install installs an agent in a folder of its own, from which it is started afterwards without any network (F100). The
// agent that was installed before stays until the new one is complete, and if that fails.
func (r *Registry) Install(ctx context.Context, in Installation) (*Manifest, error) {
	if r.o.DataDir == "" {
		return nil, errNoPlace
	}
	if in.Report == nil {
		in.Report = func(string) {}
	}
	entry, err := r.entry(&in)
	if err != nil {
		return nil, err
	}
	m := &Manifest{ID: entry.ID, Title: entry.Name, Version: entry.Version}
	if a := knownAs(entry.ID); a != nil {
		m.ID, m.Title = a.ID, a.Title
	}
	if err := os.MkdirAll(r.o.folder(m.ID), 0o700); err != nil {
		return nil, fmt.Errorf("install %s: %w", m.ID, err)
	}
	folder, err := os.MkdirTemp(r.o.folder(m.ID), "")
	if err != nil {
		return nil, fmt.Errorf("install %s: %w", m.ID, err)
	}
	m.Folder = filepath.Base(folder)
	if err := r.fill(ctx, &in, entry, folder, m); err != nil {
		_ = os.RemoveAll(folder)
		return nil, fmt.Errorf("install %s: %w", m.ID, err)
	}
	return m, nil
}

// entry returns what to install.
func (r *Registry) entry(in *Installation) (*Entry, error) {
	if in.Registry != "" {
		entries, err := ReadFile(in.Registry)
		if err != nil {
			return nil, err
		}
		return pick(entries, in.Name)
	}
	a := knownAs(in.Name)
	switch {
	case a == nil:
		return nil, r.unknown(in.Name)
	case a.Package == "":
		return nil, fmt.Errorf("%s does not come from npm, and there is no --registry to say where it comes from; %s", a.ID, a.Hint)
	}
	spec := a.Package + "@" + in.Version
	if in.Version == "" {
		spec = a.Package
	}
	return &Entry{
		ID: a.ID, Name: a.Title, Version: in.Version, Distribution: Distribution{Npx: &PackageSource{Package: spec, Args: a.Args, Env: a.Env}},
	}, nil
}

// fill puts an agent into its folder, checks it, and makes it count.
func (r *Registry) fill(ctx context.Context, in *Installation, e *Entry, folder string, m *Manifest) error {
	binary, hasBinary := e.Distribution.Binary[platform()]
	var err error
	switch {
	case in.From != "npm" && hasBinary && (in.From == "binary" || binary.SHA256 != "" || e.Distribution.Npx == nil || strings.HasPrefix(in.Hash, sha256Prefix)):
		err = installBinary(ctx, in, &binary, folder, m)
	case in.From != "binary" && e.Distribution.Npx != nil:
		err = r.installPackage(ctx, in, e, folder, m)
	default:
		err = e.noWay(in.From)
	}
	if err != nil {
		return err
	}
	program := m.program(r.o.DataDir)
	if m.ProgramHash, err = hashFile(program); err != nil {
		return fmt.Errorf("what was installed has no program %s: %w", m.Program, err)
	}
	if err := r.samePin(in, m); err != nil {
		return err
	}
	before := r.installed[m.ID]
	if err := writeManifest(r.o.DataDir, m); err != nil {
		return err
	}
	r.installed[m.ID] = m
	delete(r.broken, m.ID)
	r.sweep(m, before)
	return nil
}

// noWay says why an entry can't be installed.
func (e *Entry) noWay(from string) error {
	d := e.Distribution
	switch {
	case from != "":
		return fmt.Errorf("it does not come as %s for %s", from, platform())
	case d.Uvx != nil:
		return fmt.Errorf("it comes from PyPI, which isn't installed here: run `uv tool install %s`, and `patchbay agents add %s -- COMMAND` if it isn't known", d.Uvx.Package, e.ID)
	}
	return fmt.Errorf("it does not come for %s", platform())
}

// errChanged says that something has the name and the version of what was installed before, and is something else.
var errChanged = errors.New("the same version was something else before")

// samePin refuses a version that has changed since it was installed.
func (r *Registry) samePin(in *Installation, m *Manifest) error {
	before := r.installed[m.ID]
	if before == nil || before.Version != m.Version || before.From != m.From || before.Hash == m.Hash || in.Hash != "" {
		return nil
	}
	return fmt.Errorf("%w: version %s has the hash %s now, and had %s; if that is right, say so by --hash %[3]s", errChanged, m.Version, m.Hash, before.Hash)
}

// inUse is how long a folder is left alone that nobody seems to need: another process may be filling it.
const inUse = time.Hour

// sweep removes the folders of an agent's earlier installations. That of the last one stays, since it may be running.
func (r *Registry) sweep(now, before *Manifest) {
	entries, _ := os.ReadDir(r.o.folder(now.ID))
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || e.Name() == now.Folder || before != nil && e.Name() == before.Folder || time.Since(info.ModTime()) < inUse {
			continue
		}
		_ = os.RemoveAll(filepath.Join(r.o.folder(now.ID), e.Name()))
	}
}

// folder is where the installations of an agent are, each in a folder of its own.
func (o *Options) folder(id string) string { return filepath.Join(o.DataDir, id) }

// Uninstall removes what was installed of an agent, and reports whether there was anything.
func (r *Registry) Uninstall(name string) (was bool, err error) {
	id := name
	if a := knownAs(name); a != nil {
		id = a.ID
	}
	if r.installed[id] == nil && r.broken[id] == nil {
		return false, nil
	}
	if err := os.Remove(filepath.Join(r.o.DataDir, id+manifestSuffix)); err != nil {
		return true, err
	}
	delete(r.installed, id)
	delete(r.broken, id)
	return true, os.RemoveAll(r.o.folder(id))
}

const sha256Prefix = "sha256:"

// hashFile returns the "sha256:" of a file.
func hashFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(err, errors.New("not a file"))
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return sha256Prefix + hex.EncodeToString(h.Sum(nil)), nil
}
