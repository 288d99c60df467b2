package registry

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/internal/filelock"
)

// AddedName is the name of the file with the user's own agents, in the user's folder.
const AddedName = "agents.toml"

// An Added is an agent of the user's own, as the file has it.
type Added struct {
	Command     []string          `toml:"command"`
	Env         map[string]string `toml:"env,omitempty"`
	Environment []string          `toml:"environment,omitempty"` // see Agent.Environment; nil for everything
}

type addedFile struct {
	Agents map[string]Added `toml:"agents"`
}

// AddedFile returns where the user's own agents are; "" if there is no place for them.
func (r *Registry) AddedFile() string {
	if r.o.ConfigDir == "" {
		return ""
	}
	return filepath.Join(r.o.ConfigDir, AddedName)
}

// Add adds an agent of the user's own, in the place of one of that name. It may have the name of a known one.
func (r *Registry) Add(name string, a Added) error {
	if err := config.AgentName(name); err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	switch {
	case name == BuiltIn:
		return fmt.Errorf("%s is the built-in agent", BuiltIn)
	case len(a.Command) == 0 || a.Command[0] == "":
		return errors.New("the agent has no command")
	}
	return r.change(func(all map[string]Added) error {
		all[name] = a
		return nil
	})
}

// Remove removes an agent that was added. What was installed is removed by Uninstall.
func (r *Registry) Remove(name string) error {
	return r.change(func(all map[string]Added) error {
		if _, ok := all[name]; !ok {
			return fmt.Errorf("no agent %q was added", name)
		}
		delete(all, name)
		return nil
	})
}

// IsAdded reports whether an agent was added by the user.
func (r *Registry) IsAdded(name string) bool { return r.added[name] != nil }

// lockTime is how long a change waits for one that another process makes, which takes milliseconds.
const lockTime = 10 * time.Second

// change changes the file, as it is by now, while no other process does.
func (r *Registry) change(f func(all map[string]Added) error) error {
	file := r.AddedFile()
	if file == "" {
		return errNoPlace
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return fmt.Errorf("store the agents: %w", err)
	}
	err := filelock.With(file+".lock", lockTime, func() error {
		content, err := parseAdded(file)
		if err != nil {
			return err
		}
		if err := f(content.Agents); err != nil {
			return err
		}
		text, err := toml.Marshal(content)
		if err != nil {
			return err
		}
		if err := writeWhole(file, text); err != nil {
			return fmt.Errorf("store the agents: %w", err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.added, err = readAdded(file)
	return err
}

func parseAdded(file string) (*addedFile, error) {
	content := &addedFile{Agents: map[string]Added{}}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) || file == "" {
		return content, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the agents: %w", err)
	}
	decoder := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
	if err := decoder.Decode(content); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for name, a := range content.Agents {
		if len(a.Command) == 0 || a.Command[0] == "" {
			return nil, fmt.Errorf("%s: the agent %q has no command", file, name)
		}
	}
	return content, nil
}

func readAdded(file string) (map[string]*Agent, error) {
	content, err := parseAdded(file)
	if err != nil {
		return nil, err
	}
	all := map[string]*Agent{}
	for name, a := range content.Agents {
		all[name] = &Agent{
			ID: name, Title: name, Program: a.Command[0], Args: a.Command[1:], Env: a.Env, Environment: a.Environment, added: true,
		}
	}
	return all, nil
}

// writeWhole replaces a file, which only the user can read: it may have keys in it. A crash leaves the old one or the new one.
func writeWhole(name string, content []byte) (err error) {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name, dir = target, filepath.Dir(target)
	}
	f, err := os.CreateTemp(dir, "."+filepath.Base(name)+"-*") // of mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(content)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
