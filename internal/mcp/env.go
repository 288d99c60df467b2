package mcp

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/process"
)

// environment is what a server gets: the inherited variables, and its own.
func environment(own []acp.EnvVariable) ([]string, error) {
	env := []string{}
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if process.Inherits(name, value) {
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
		if process.SameVariable(key, name) {
			return value
		}
	}
	return ""
}
