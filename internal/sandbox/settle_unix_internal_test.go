//go:build unix

package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tree makes folders, and links where there is an arrow, and returns a function that finds them.
func tree(t *testing.T, lines ...string) (at func(string) string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	at = func(path string) string { return filepath.Join(dir, path) }
	for _, line := range lines {
		name, target, isLink := strings.Cut(line, " -> ")
		if err := os.MkdirAll(filepath.Dir(at(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if !isLink {
			err = os.MkdirAll(at(name), 0o755)
		} else {
			err = os.Symlink(target, at(name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return at
}

// What lies in a folder that may be changed may have been changed: a command before may have left a link there.
func TestNoLinkInWhatMayBeChangedIsFollowed(t *testing.T) {
	at := tree(t,
		"keys", "other", "project/sub", "project/evil -> ../keys", "project/round -> sub",
		"by-link -> project", "bin -> project/evil", "tools -> other", "chain -> by-link/evil", "loop -> loop", "lib/deep -> ../other",
	)
	for _, test := range []struct {
		name                string
		read, write         string // names, separated by blanks
		wantRead, wantWrite string
		wantErr             string
	}{
		{"read a folder", "other", "", "other", "", ""},
		{"read by links", "tools lib/deep", "", "other", "", ""},
		{"read what is missing", "none loop", "", "", "", ""},
		{"read what is inside", "project/sub project/evil", "project", "", "project", ""},
		{"read by a link inside", "bin chain other", "project", "other", "project", ""},
		{"read by a link inside, where nothing is written", "bin", "", "keys", "", ""},
		{"read what is inside by another name", "by-link/evil", "project", "", "project", ""},
		{"read what is inside of a root that is a link", "project/evil by-link/sub", "by-link", "", "project", ""},
		{"a root that is a link", "", "by-link", "", "project", ""},
		{"a root twice", "", "project project by-link", "", "project", ""},
		{"a root inside of another", "", "project project/sub", "", "project", ""},
		{"a root inside of another, first", "", "project/sub project", "", "project", ""},
		{"a root inside of another by a link", "", "project project/round", "", "project", ""},
		{"a root that is a link inside of another, outwards", "", "project project/evil", "", "", "a link to it is in what may be changed"},
		{"the same by another name", "", "project by-link/evil", "", "", "a link to it is in what may be changed"},
		{"the same by a link", "", "project bin", "", "", "a link to it is in what may be changed"},
		{"a root that is missing", "", "none", "", "", "no such file"},
	} {
		all := func(names string) (paths []string) {
			for name := range strings.FieldsSeq(names) {
				paths = append(paths, at(name))
			}
			return paths
		}
		reads, writes, err := Policy{Read: all(test.read), Write: all(test.write)}.settle()
		if test.wantErr != "" {
			if err == nil || !strings.Contains(err.Error(), test.wantErr) {
				t.Errorf("%s: %v, want %s", test.name, err, test.wantErr)
			}
			continue
		}
		if err != nil || !slices.Equal(reads, all(test.wantRead)) || !slices.Equal(writes, all(test.wantWrite)) {
			t.Errorf("%s: read %q, write %q, %v", test.name, reads, writes, err)
		}
	}
}

func TestPathsAreAbsolute(t *testing.T) {
	for _, p := range []Policy{{Read: []string{"a"}}, {Write: []string{"a"}}, {Temp: "a"}, {Read: []string{"/a\x00b"}}, {Write: []string{""}}} {
		if _, _, err := p.settle(); err == nil {
			t.Errorf("%+v is taken", p)
		}
	}
}

// Of /etc, what everyone may read is read, without what is known to hold keys all the same.
func TestOnlyPublicFilesOfTheSystem(t *testing.T) {
	at := tree(t, "etc/open/sub", "etc/mixed/private", "etc/closed", "etc/cluster", "etc/link -> closed")
	for path, mode := range map[string]os.FileMode{
		"etc/passwd": 0o644, "etc/shadow": 0o640, "etc/open/file": 0o644, "etc/open/sub/file": 0o444,
		"etc/cluster/key": 0o644, "etc/mixed/public": 0o644, "etc/mixed/key": 0o600, "etc/mixed/private/public": 0o644, "etc/closed/file": 0o644,
	} {
		if err := os.WriteFile(at(path), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{"etc/mixed/private", "etc/closed"} {
		if err := os.Chmod(at(dir), 0o710); err != nil {
			t.Fatal(err)
		}
	}
	defer func(before []string) { secrets = before }(secrets)
	secrets = append(secrets[:len(secrets):len(secrets)], at("etc/cluster"))
	got, all := public(nil, at("etc"), 0)
	want := []string{at("etc/mixed/public"), at("etc/open"), at("etc/passwd")}
	if all || !slices.Equal(slices.Sorted(slices.Values(got)), want) {
		t.Errorf("%q, all %v; want %q", got, all, want)
	}
}

// A toolchain's folder is one, not the home folder with all its keys, nor something above it.
func TestToolchainsAreNarrow(t *testing.T) {
	at := tree(t, "home/.nvm", "home/.cargo/bin", "home/bin", "elsewhere/go", "up -> home", "home/bin-link -> bin")
	t.Setenv("HOME", at("home"))
	for _, v := range homeToolchains {
		if v.variable != "" {
			t.Setenv(v.variable, "")
		}
	}
	t.Setenv("PATH", strings.Join([]string{at("home/bin"), at("home"), at("up"), at(""), "/", "/home", ".", "", "bin", at("none"), at("home/bin-link")}, ":"))
	t.Setenv("GOROOT", at("elsewhere/go"))
	t.Setenv("JAVA_HOME", "/")
	t.Setenv("VIRTUAL_ENV", at("home"))
	want := []string{at("home/bin"), at("home/bin-link"), at("home/.cargo/bin"), at("home/.nvm"), at("elsewhere/go")}
	if got := toolchains(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestTheEnvironmentFitsThePolicy(t *testing.T) {
	at := tree(t, "home/.nvm", "home/go/pkg/mod", "temp")
	t.Setenv("HOME", at("home"))
	for _, v := range homeToolchains {
		if v.variable != "" {
			t.Setenv(v.variable, "")
		}
	}
	before := []string{"HOME=/h", "A=1", "TMPDIR=/t", "GOCACHE=/g", "GOCACHEPROG=x", "XDG_CACHE_HOME=/c"}
	for _, test := range []struct {
		name   string
		policy Policy
		want   []string
	}{
		{"with a private folder", Policy{Temp: at("temp")}, []string{
			"A=1", "GOCACHEPROG=x", "TMPDIR=" + at("temp"), "TMP=" + at("temp"), "TEMP=" + at("temp"), "GOMODCACHE=" + at("home/go/pkg/mod"), "NVM_DIR=" + at("home/.nvm"),
			"HOME=" + at("temp/home"),
		}},
		{"with a network", Policy{Temp: at("temp"), Network: true}, []string{
			"A=1", "GOCACHEPROG=x", "TMPDIR=" + at("temp"), "TMP=" + at("temp"), "TEMP=" + at("temp"), "NVM_DIR=" + at("home/.nvm"), "HOME=" + at("temp/home"),
		}},
		{"without", Policy{}, []string{"A=1", "TMPDIR=/t", "GOCACHEPROG=x", "GOMODCACHE=" + at("home/go/pkg/mod"), "NVM_DIR=" + at("home/.nvm"), "HOME=/nonexistent"}},
		{"with the home folder", Policy{Temp: at("temp"), KeepHome: true}, []string{
			"HOME=/h", "A=1", "GOCACHE=/g", "GOCACHEPROG=x", "XDG_CACHE_HOME=/c", "TMPDIR=" + at("temp"), "TMP=" + at("temp"), "TEMP=" + at("temp"),
		}},
	} {
		got := test.policy.environ(before)
		slices.Sort(got)
		slices.Sort(test.want)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// RemoveTemp removes folders that may not be written, and follows no link.
func TestRemoveTemp(t *testing.T) {
	dir, err := MakeTemp()
	if err != nil {
		t.Fatal(err)
	}
	at := tree(t, "outside")
	for _, err := range []error{
		os.MkdirAll(dir+"/home/mod/sub", 0o755), os.WriteFile(dir+"/home/mod/sub/file", nil, 0o444), os.Chmod(dir+"/home/mod/sub", 0o555),
		os.Chmod(dir+"/home/mod", 0o555), os.Symlink(at("outside"), dir+"/link"), os.Chmod(at("outside"), 0o555),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := RemoveTemp(dir); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Error("it is still there")
	}
	if info, err := os.Stat(at("outside")); err != nil || info.Mode().Perm() != 0o555 {
		t.Errorf("what a link leads to was changed: %v, %v", info, err)
	}
}
