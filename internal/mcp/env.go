package mcp

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// inherited are the variables of this process that a server gets: what programs need to find their way around. Keys of
// providers are not among them (F175).
var inherited = []string{
	"HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME",
	"SSL_CERT_DIR", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE",
	"NO_PROXY", "no_proxy",
	// Windows.
	"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMDATA",
	"PROGRAMFILES", "PROGRAMFILES(X86)", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERDOMAIN", "USERNAME", "USERPROFILE", "WINDIR",
}

// proxies are handed on unless there is a password in them.
var proxies = []string{"ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "all_proxy", "http_proxy", "https_proxy"}

// environment is what a server gets: the inherited variables, and its own.
func environment(own []acp.EnvVariable) ([]string, error) {
	env := []string{}
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if inherits(name, value) {
			env = append(env, entry)
		}
	}
	for _, v := range own {
		if v.Name == "" || strings.ContainsAny(v.Name, "=\x00") || strings.Contains(v.Value, "\x00") {
			return nil, fmt.Errorf("its environment can't have a variable named %q with the value that it was given", v.Name)
		}
		env = append(env, v.Name+"="+v.Value)
	}
	return env, nil
}

func inherits(name, value string) bool {
	if slices.Contains(proxies, name) {
		u, err := url.Parse(value)
		return err == nil && u.User == nil
	}
	is := func(known string) bool {
		return known == name || runtime.GOOS == "windows" && strings.EqualFold(known, name)
	}
	return strings.HasPrefix(name, "LC_") || slices.ContainsFunc(inherited, is)
}

// program finds a server's program. A mere name is looked up in the PATH that the server will have.
func program(command, dir string, env []string) (string, error) {
	switch {
	case command == "":
		return "", errors.New("it has no command")
	case filepath.Base(command) != command:
		if !filepath.IsAbs(command) {
			command = filepath.Join(dir, command)
		}
		return exec.LookPath(command)
	}
	for _, folder := range filepath.SplitList(variable(env, "PATH")) {
		if !filepath.IsAbs(folder) {
			continue // the working directory belongs to whoever wrote what is in it
		}
		if path, err := exec.LookPath(filepath.Join(folder, command)); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("there is no program %q in its PATH", command)
}

// variable returns the value of a variable, the last one of that name.
func variable(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		key, value, _ := strings.Cut(entry, "=")
		if key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}
