package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// KeysName is the name of the file of keys, in the user's folder.
const KeysName = "keys.json"

// Keys is the file of the user's keys, a provider each. Only the user can read it: it has mode 0600 in a folder of mode 0700,
// and one that others can read is refused, as SSH refuses such keys. It is replaced as a whole, so a crash leaves the old one
// or the new one. Keys are safe for concurrent use within a process; of two processes that write at once, the later one wins.
type Keys struct {
	path string // "" if there is no place for it
	mu   sync.Mutex
}

// NewKeys returns the file at a path, which needs not exist.
func NewKeys(path string) *Keys { return &Keys{path: path} }

// errNoPlace says that there is no user's folder.
var errNoPlace = errors.New("there is no place for keys: neither $HOME nor $XDG_CONFIG_HOME is set")

// Path returns where the file is; "" if there is no place for one.
func (k *Keys) Path() string { return k.path }

// Get returns a provider's key; the zero Secret if there is none.
func (k *Keys) Get(provider string) (Secret, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	all, err := k.read()
	return NewSecret(all[provider]), err
}

// List returns the names of the providers that there is a key for, sorted.
func (k *Keys) List() ([]string, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	all, err := k.read()
	return slices.Sorted(maps.Keys(all)), err
}

// Set stores a provider's key.
func (k *Keys) Set(provider string, key Secret) error {
	if err := providerName(provider); err != nil {
		return err
	}
	if err := key.check(); err != nil {
		return err
	}
	return k.change(func(all map[string]string) bool {
		all[provider] = key.Reveal()
		return true
	})
}

// Forget deletes a provider's key, and reports whether there was one.
func (k *Keys) Forget(provider string) (was bool, err error) {
	err = k.change(func(all map[string]string) bool {
		_, was = all[provider]
		delete(all, provider)
		return was
	})
	return was && err == nil, err
}

// change reads the file, lets f change what is in it, and writes it if f says so.
func (k *Keys) change(f func(all map[string]string) bool) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	all, err := k.read()
	if err != nil || !f(all) {
		return err
	}
	if k.path == "" {
		return errNoPlace
	}
	content, err := json.Marshal(keysFile{all}, jsontext.WithIndent("  "), json.Deterministic(true))
	if err != nil {
		return err
	}
	if err := writePrivate(k.path, append(content, '\n')); err != nil {
		return fmt.Errorf("store the key: %w", err)
	}
	return nil
}

// keysFile is what the file looks like.
type keysFile struct {
	Keys map[string]string `json:"keys"`
}

func (k *Keys) read() (map[string]string, error) {
	none := map[string]string{}
	if k.path == "" {
		return none, nil
	}
	info, err := os.Stat(k.path)
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return none, fmt.Errorf("read the keys: %w", err)
	}
	if !info.Mode().IsRegular() {
		return none, fmt.Errorf("%s is not a file, and keys are kept in one: move it away, and run `patchbay login`", k.path)
	}
	if err := private(k.path, info); err != nil {
		return none, err
	}
	content, err := contentOf(k.path)
	if err != nil {
		return none, fmt.Errorf("read the keys: %w", err)
	}
	var file keysFile
	if err := json.Unmarshal(content, &file); err != nil {
		return none, fmt.Errorf("%s is not a file of keys; delete it, and run `patchbay login`", k.path) // the error might quote it
	}
	if file.Keys == nil {
		return none, nil
	}
	return file.Keys, nil
}

// writePrivate replaces a file by one that only the user can read. Through a link, its target is replaced.
func writePrivate(name string, content []byte) (err error) {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o700); err != nil { // it may have been there before
		return err
	}
	if target, err := filepath.EvalSymlinks(name); err == nil {
		name, dir = target, filepath.Dir(target)
	}
	f, err := os.CreateTemp(dir, "."+KeysName+"-*") // of mode 0600
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
