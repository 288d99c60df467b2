package config_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/config"
)

func newKeys(t *testing.T) *config.Keys {
	return config.NewKeys(filepath.Join(t.TempDir(), "a", "patchbay", "keys.json"))
}

func modeOf(t *testing.T, name string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestKeysAreStoredAndForgotten(t *testing.T) {
	k := newKeys(t)
	if names, err := k.List(); err != nil || len(names) != 0 {
		t.Errorf("before: %q, %v", names, err)
	}
	for _, name := range []string{"openai", "anthropic", "openai"} {
		if err := k.Set(name, config.NewSecret("key-of-"+name)); err != nil {
			t.Fatal(err)
		}
	}
	if names, err := k.List(); err != nil || !slices.Equal(names, []string{"anthropic", "openai"}) {
		t.Errorf("got %q, %v", names, err)
	}
	if key, err := config.NewKeys(k.Path()).Get("openai"); err != nil || key.Reveal() != "key-of-openai" {
		t.Errorf("got %q, %v", key.Reveal(), err)
	}
	for _, want := range []bool{true, false} {
		if was, err := k.Forget("openai"); err != nil || was != want {
			t.Errorf("forgot %t, %v", was, err)
		}
	}
	if key, err := k.Get("openai"); err != nil || !key.IsZero() {
		t.Errorf("still there: %v", err)
	}
	if key, _ := k.Get("anthropic"); key.Reveal() != "key-of-anthropic" {
		t.Error("the other key is gone")
	}
}

// The file is the user's alone, in a folder that is the user's alone, and leaves nothing beside it.
func TestKeysArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no modes")
	}
	k := newKeys(t)
	dir := filepath.Dir(k.Path())
	if err := os.MkdirAll(dir, 0o755); err != nil { // made by somebody else, too open
		t.Fatal(err)
	}
	for range 2 {
		if err := k.Set("openai", config.NewSecret("word")); err != nil {
			t.Fatal(err)
		}
		if f, d := modeOf(t, k.Path()), modeOf(t, dir); f != 0o600 || d != 0o700 {
			t.Errorf("modes %v and %v", f, d)
		}
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("left %v", entries)
	}
}

// A file that others can read is refused, for reading and for writing, and the error says what to do.
func TestKeysThatOthersCanReadAreRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no modes")
	}
	for _, mode := range []fs.FileMode{0o640, 0o604, 0o620, 0o666} {
		k := newKeys(t)
		if err := k.Set("openai", config.NewSecret("word")); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(k.Path(), mode); err != nil {
			t.Fatal(err)
		}
		key, err := k.Get("openai")
		if !key.IsZero() || err == nil || !strings.Contains(err.Error(), "chmod 600 "+k.Path()) {
			t.Errorf("mode %v: %v", mode, err)
		}
		if err := k.Set("openai", config.NewSecret("word")); err == nil {
			t.Errorf("mode %v: written", mode)
		}
	}
}

// The one who has such a file is told so when a key is needed, and when none is found.
func TestRefusedKeysAreTold(t *testing.T) {
	d := newDesk(t)
	d.file("home/.config/patchbay/keys.json", "sk-not-json")
	if err := d.provider("openai").Check(); err == nil || !strings.Contains(err.Error(), "is not a file of keys") || strings.Contains(err.Error(), "sk-not") {
		t.Errorf("got %v", err)
	}
	choice, err := d.load().Choose()
	if err != nil || choice.Model != config.Offline || !strings.Contains(choice.Note, "is not a file of keys") {
		t.Errorf("got %+v, %v", choice, err)
	}
	d.env["OPENAI_API_KEY"] = "word" // then the file doesn't matter
	if err := d.provider("openai").Check(); err != nil {
		t.Error(err)
	}
}

// A file that is a link, as those do who keep their settings elsewhere, stays one.
func TestKeysBehindALink(t *testing.T) {
	k := newKeys(t)
	real := filepath.Join(t.TempDir(), "real.json")
	if err := os.WriteFile(real, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(k.Path()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, k.Path()); err != nil {
		t.Skip(err)
	}
	if err := k.Set("openai", config.NewSecret("word")); err != nil {
		t.Fatal(err)
	}
	if content, err := os.ReadFile(real); err != nil || !strings.Contains(string(content), "word") {
		t.Errorf("the target holds %q, %v", content, err)
	}
}

func TestKeysThatAreNone(t *testing.T) {
	k := newKeys(t)
	if err := os.MkdirAll(k.Path(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := k.Set("openai", config.NewSecret("key")); err == nil || !strings.Contains(err.Error(), "not a file") {
		t.Errorf("a folder in the place of the file: %v", err)
	}
	if err := os.Remove(k.Path()); err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"", "two words", "line\nfeed", "ключ", strings.Repeat("x", 20_000)} {
		if err := k.Set("openai", config.NewSecret(word)); err == nil || word != "" && strings.Contains(err.Error(), word) {
			t.Errorf("%.20q: %v", word, err)
		}
	}
	for _, name := range []string{"", "Open AI", "offline", "sk-KEY"} {
		if err := k.Set(name, config.NewSecret("word")); err == nil {
			t.Errorf("%q has a key", name)
		}
	}
	if _, err := os.Stat(k.Path()); err == nil {
		t.Error("a file was written")
	}
	d := newDesk(t)
	d.env["OPENAI_API_KEY"] = "two\nlines" // would end a header early
	if err := d.provider("openai").Check(); err == nil || !strings.HasPrefix(err.Error(), "environment OPENAI_API_KEY: the key has a space") {
		t.Errorf("got %v", err)
	}
}

func TestKeysFromManyGoroutines(t *testing.T) {
	k := newKeys(t)
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := k.Set(fmt.Sprint("provider", i), config.NewSecret("word")); err != nil {
				t.Error(err)
			}
			_, _ = k.Get("provider0")
		})
	}
	all.Wait()
	if names, err := k.List(); err != nil || len(names) != 20 {
		t.Errorf("got %q, %v", names, err)
	}
}

// Whichever way a secret is printed, it is not told (F174).
func TestF174_SecretsAreNotTold(t *testing.T) {
	const word = "hush-hush"
	s := config.NewSecret(word)
	inside := struct {
		Key     config.Secret
		Pointer *config.Secret
		List    []config.Secret
		Map     map[string]config.Secret
		Value   config.Value[config.Secret]
		hidden  config.Secret
	}{s, &s, []config.Secret{s}, map[string]config.Secret{"k": s}, config.Value[config.Secret]{Value: s}, s}
	var said []string
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T"} {
		said = append(said, fmt.Sprintf(verb, s), fmt.Sprintf(verb, &s), fmt.Sprintf(verb, inside))
	}
	encoded, err := json.Marshal(inside)
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	for _, handler := range []slog.Handler{slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil)} {
		slog.New(handler).Info("m", "key", s, "all", inside)
	}
	said = append(said, string(encoded), log.String(), s.String(), fmt.Errorf("failed with %v", s).Error())
	for _, text := range said {
		if strings.Contains(text, word) || strings.Contains(text, fmt.Sprintf("%x", word)) || strings.Contains(text, fmt.Sprintf("%X", word)) {
			t.Errorf("told in %q", text)
		}
	}
	if !strings.Contains(string(encoded), "[redacted]") || s.Reveal() != word || config.NewSecret("").String() != "" {
		t.Errorf("got %s", encoded)
	}
}
