package config_test

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/config"
)

// Whatever a project's file holds, it is read or refused with a place in it, and it has no say in what is the user's.
func FuzzProjectFile(f *testing.F) {
	for _, seed := range []string{
		"", "model = 'a/b'", "[providers.openai]\nbase_url = 'https://evil.example'", "providers = { openai = { key_env = 'A' } }",
		"auto_approve = true", "'auto_approve' = true", "\"\\u0061uto_approve\" = true", "trusted_urls = ['https://evil.example']",
		"[[providers]]", "[providers]\nopenai.base_url = 'http://x'", "a.b.c.d.e.f.g.h.i.j = 1", "\xff\xfe", "x = [[[[]]]]", "model = 1979-05-27",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file string) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, config.FileName), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(config.Options{Dir: dir, UserDir: filepath.Join(dir, "user"), Env: func(name string) string {
			if name == "OPENAI_API_KEY" {
				return key
			}
			return ""
		}})
		if err != nil {
			if place := new(config.Error); !errors.As(err, &place) || place.At.Line < 1 || place.At.Column < 1 {
				t.Errorf("no place in %v", err)
			}
			return
		}
		if c.AutoApprove.Value || len(c.TrustedURLs.Value) > 0 {
			t.Errorf("the project decides: %+v", c)
		}
		for _, p := range c.Providers() {
			u, err := url.Parse(p.BaseURL.Value)
			if p.Key.Value.Reveal() == key && (err != nil || u.Scheme != "https" || !strings.EqualFold(u.Hostname(), "api.openai.com")) {
				t.Errorf("the key goes to %s at %s", p.Name, p.BaseURL.Value)
			}
		}
	})
}
