package registry

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// versionPatience is how long a program may take to say its version.
const versionPatience = 10 * time.Second

var versionWords = regexp.MustCompile(`\d+\.\d+(\.\d+)*(-[0-9A-Za-z.-]+)?`)

// versionOf returns the version of a program, "" if it can't be told. That of an npm package is in its package.json. Others
// are asked for it, unless they are known to serve whatever they are told.
func versionOf(ctx context.Context, f *Found) string {
	if v := packageVersion(f.Path, f.Agent.Package); v != "" {
		return v
	}
	if f.Agent.Quirks.Serves || f.Source == SourceAdded {
		return ""
	}
	cmd := exec.Command(f.Path, "--version")
	cmd.Env = f.Command().Env
	out, err := capture(ctx, versionPatience, cmd, false)
	if err != nil {
		return ""
	}
	return versionWords.FindString(out)
}

// packageVersion returns the version of the npm package that a program is part of.
func packageVersion(program, name string) string {
	if name == "" {
		return ""
	}
	// On Windows a program of npm's is a small script beside the packages.
	beside := filepath.Join(filepath.Dir(program), "node_modules", filepath.FromSlash(name), "package.json")
	if v := versionIn(beside, name); v != "" {
		return v
	}
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return ""
	}
	for dir := filepath.Dir(real); ; dir = filepath.Dir(dir) {
		if v := versionIn(filepath.Join(dir, "package.json"), name); v != "" {
			return v
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// versionIn reads a package.json, which has to be that of a package.
func versionIn(file, name string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	var p struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	if err := json.Unmarshal(text, &p); err != nil || p.Name != name {
		return ""
	}
	return p.Version
}

// compareVersions compares the numbers of two versions, one after the other.
func compareVersions(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(x), len(y)) {
		var n, m int
		if i < len(x) {
			n, _ = strconv.Atoi(x[i])
		}
		if i < len(y) {
			m, _ = strconv.Atoi(y[i])
		}
		if n != m {
			return cmp.Compare(n, m)
		}
	}
	return 0
}
