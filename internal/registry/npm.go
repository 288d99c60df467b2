package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/transport"
)

// npmPatience is how long npm may take. Agents are large, and lines slow.
const npmPatience = 30 * time.Minute

// exactVersion is a version that means one thing for ever.
var exactVersion = regexp.MustCompile(`^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)

// packageName is what the registry of npm's calls a package. npm takes much else for one: paths, addresses, and repositories.
var packageName = regexp.MustCompile(`^(@[a-z0-9~-][a-z0-9._~-]*/)?[A-Za-z0-9_~-][A-Za-z0-9._~-]*$`)

// A lockFile is what npm writes of the packages that it has installed.
type lockFile struct {
	Packages map[string]lockedPackage `json:"packages"` // by their folders
}

type lockedPackage struct {
	Version   string            `json:"version"`
	Integrity string            `json:"integrity"`
	InBundle  bool              `json:"inBundle"` // it came in another one's archive
	Bin       map[string]string `json:"bin"`
}

// installPackage installs a package of npm's with everything that it needs, in the versions that npm's lock file then
// has.
func (r *Registry) installPackage(ctx context.Context, in *Installation, e *Entry, folder string, m *Manifest) error {
	source := e.Distribution.Npx
	spec, err := r.spec(in, e)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "package.json"), []byte("{\"private\":true}\n"), 0o600); err != nil {
		return err
	}
	if err := r.npm(ctx, in, folder, []string{spec}); err != nil {
		return err
	}
	at, err := mainPackage(folder)
	if err != nil {
		return err
	}
	known := knownAs(e.ID)
	if known != nil && len(known.Extra) > 0 {
		if err := r.npm(ctx, in, folder, known.Extra); err != nil {
			return err
		}
	}
	lock, err := readLock(folder)
	if err != nil {
		return err
	}
	p := lock.Packages[at]
	if m.Version != "" && p.Version != m.Version && exactVersion.MatchString(m.Version) {
		return fmt.Errorf("npm has installed version %s in the place of %s", p.Version, m.Version)
	}
	m.Version, m.From, m.Hash = p.Version, spec, p.Integrity
	if in.Hash != "" && in.Hash != p.Integrity {
		return fmt.Errorf("the package has the hash %s, and not %s", p.Integrity, in.Hash)
	}
	if m.Program, err = binOf(p, at, known); err != nil {
		return err
	}
	m.Args, m.Env = source.Args, source.Env
	if in.Registry == "" {
		m.Args = known.argsOf(known.starts()[0], m.Version)
	}
	return nil
}

// spec returns what npm is told to install: a package with its exact version, or a file.
func (r *Registry) spec(in *Installation, e *Entry) (string, error) {
	spec := e.Distribution.Npx.Package
	if file, ok := strings.CutPrefix(spec, "file:"); ok {
		if !filepath.IsAbs(file) {
			file = filepath.Join(filepath.Dir(in.Registry), filepath.FromSlash(file))
		}
		file, err := filepath.Abs(file)
		return "file:" + file, err
	}
	name, version := spec, ""
	if at := strings.LastIndexByte(spec, '@'); at > 0 {
		name, version = spec[:at], spec[at+1:]
	}
	if !packageName.MatchString(name) {
		return "", fmt.Errorf("%q is no package of npm's", spec)
	}
	if in.Registry == "" && version == "" {
		return name, nil // the newest one; the lock file has its version
	}
	if version = cmp.Or(version, e.Version); !exactVersion.MatchString(version) {
		return "", fmt.Errorf("%q is not pinned: %q is no exact version", spec, version)
	}
	return name + "@" + version, nil
}

// npmVariables are what npm needs of our variables beside those of every program.
var npmVariables = []string{"NODE_*", "NPM_*", "npm_*", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"}

// npm runs npm install.
func (r *Registry) npm(ctx context.Context, in *Installation, folder string, specs []string) error {
	npm, place, _ := r.look(ctx, "npm")
	if npm == "" {
		return errors.New("there is no npm, which comes with Node: see https://nodejs.org")
	}
	args := []string{
		"install", "--prefix", folder, "--save-exact", "--package-lock=true", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error",
	}
	if !in.Scripts {
		args = append(args, "--ignore-scripts")
	}
	in.Report("npm install " + strings.Join(specs, " "))
	cmd := exec.Command(npm, append(append(args, "--"), specs...)...)
	cmd.Dir = folder
	cmd.Env = os.Environ()
	if in.Scripts { // which have no business with anybody's keys
		cmd.Env = transport.AllowEnv(npmVariables...)
	}
	if search := r.searchFor(ctx, place); search != "" {
		cmd.Env = append(cmd.Env, "PATH="+search)
	}
	said, err := capture(ctx, npmPatience, cmd, true)
	if err == nil && !cmd.ProcessState.Success() {
		err = errors.New(cmd.ProcessState.String())
	}
	if err != nil {
		return fmt.Errorf("npm install %s: %w: %s", strings.Join(specs, " "), err, strings.TrimSpace(said))
	}
	return nil
}

// readLock reads what npm has installed. Every package has its hash, by which npm has checked it, so that the lock file, which
// stays in the folder, pins them all.
func readLock(folder string) (*lockFile, error) {
	lock := &lockFile{}
	if err := readJSON(filepath.Join(folder, "package-lock.json"), lock); err != nil {
		return nil, fmt.Errorf("npm's lock file: %w", err)
	}
	for _, at := range slices.Sorted(maps.Keys(lock.Packages)) {
		if p := lock.Packages[at]; at != "" && p.Integrity == "" && !p.InBundle {
			return nil, fmt.Errorf("the package in %s has no hash in npm's lock file, so it can't be pinned", at)
		}
	}
	return lock, nil
}

// mainPackage returns where the package is that was installed first and alone.
func mainPackage(folder string) (at string, err error) {
	var wanted struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	if err := readJSON(filepath.Join(folder, "package.json"), &wanted); err != nil {
		return "", err
	}
	for name := range wanted.Dependencies {
		at = "node_modules/" + name
	}
	if len(wanted.Dependencies) != 1 {
		return "", fmt.Errorf("npm has installed %d packages for one", len(wanted.Dependencies))
	}
	return at, nil
}

func readJSON(file string, into any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// binOf returns the program of a package, in the folder: the known one, else the one that npx would take.
func binOf(p lockedPackage, at string, known *Agent) (string, error) {
	names := slices.Sorted(maps.Keys(p.Bin))
	name := path.Base(at)
	files := map[string]bool{}
	for _, file := range p.Bin {
		files[path.Clean(file)] = true
	}
	switch {
	case known != nil && p.Bin[known.Program] != "":
		name = known.Program
	case p.Bin[name] != "":
	case len(files) == 1:
		name = names[0]
	default:
		return "", fmt.Errorf("which program of the package is the agent? it has %q", names)
	}
	if runtime.GOOS == "windows" {
		name += ".cmd"
	}
	return "node_modules/.bin/" + name, nil
}
