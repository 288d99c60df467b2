package wire_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/wire"
)

func TestDefaults(t *testing.T) {
	o := complete(t, &wire.Options{Model: "m"})
	if d := cmp.Diff(&wire.Options{Model: "m", BaseURL: "http://stub", Provider: "stub", Title: "m", MaxBytes: wire.DefaultMaxBytes}, o); d != "" {
		t.Error(d)
	}
	mine := wire.Options{
		Model: "m", BaseURL: "https://example.com/v1", Provider: "mine", Title: "Mine", MaxBytes: 1, ContextTokens: 5, Prompt: acp.PromptCapabilities{Image: true},
	}
	if d := cmp.Diff(mine, *complete(t, &mine)); d != "" {
		t.Error(d)
	}
	want := model.Info{Name: "mine/m", Provider: "mine", Title: "Mine", ContextTokens: 5, Prompt: acp.PromptCapabilities{Image: true}}
	if d := cmp.Diff(want, mine.Info()); d != "" {
		t.Error(d)
	}
}

func TestOptionsThatAreRefused(t *testing.T) {
	for want, o := range map[string]wire.Options{
		"stub: no model is named":         {},
		"stub: the base URL is no URL":    {Model: "m", BaseURL: "http://a:secret@b\x7f"},
		"does not begin with http://":     {Model: "m", BaseURL: "localhost:8080"},
		"http:// or https:// and a host":  {Model: "m", BaseURL: "https:///v1"},
		"the base URL ftp://a:xxxxx@b do": {Model: "m", BaseURL: "ftp://a:secret@b"},
		"the key has a space":             {Model: "m", Key: "sk secret"},
		"another character":               {Model: "m", Key: "sk-secret\n"},
	} {
		if err := o.Complete("stub", "http://stub"); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v", want, err)
		}
	}
}
