package config

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every setting has its place in the guide, with its variable, its flag and whose it is, and with no other.
func TestTheGuideHasEverySetting(t *testing.T) {
	guide := read(t, "configuration.md")
	for name, field := range schema.fields {
		row := rowOf(guide, name+"`")
		if field.kind == table {
			row = rowOf(guide, name+".")
		}
		for _, c := range []struct {
			text string
			want bool
		}{
			{"`" + EnvPrefix + strings.ToUpper(name) + "`", slices.Contains(fromOutside, name)},
			{"`--" + strings.ReplaceAll(name, "_", "-") + "`", slices.Contains(slices.Concat(fromOutside, flagOnly), name)},
			{"user's file only", field.userOnly},
		} {
			if row == "" || strings.Contains(row, c.text) != c.want {
				t.Errorf("%s: %q in its row should be %t: %s", name, c.text, c.want, row)
			}
		}
	}
	provider := schema.fields[nameProviders].each
	for _, fields := range []map[string]*shape{provider.fields, modelShape.fields, modelShape.fields["price"].fields} {
		for name := range fields {
			if !strings.Contains(guide, "`"+name+"`") && rowOf(guide, name) == "" {
				t.Errorf("%s is not in the guide", name)
			}
		}
	}
	for _, word := range slices.Concat(Thinking, APIs, Modes, Permissions) {
		if !strings.Contains(guide, `"`+word+`"`) {
			t.Errorf("%q is not in the guide", word)
		}
	}
}

// rowOf returns the row of a table that begins with a word in code.
func rowOf(guide, word string) string {
	_, rest, _ := strings.Cut(guide, "\n| `"+word)
	row, _, _ := strings.Cut(rest, "\n")
	return row
}

// Every known provider has its row, with what it looks for.
func TestTheGuideHasEveryProvider(t *testing.T) {
	guide := read(t, "models.md")
	for _, p := range presets {
		row := rowOf(guide, p.name+"`")
		wanted := append([]string{p.model, p.urlEnv}, p.keyEnv...)
		if p.urlEnv == "" {
			wanted = append(wanted, p.url)
		}
		for _, word := range wanted {
			if row == "" || !strings.Contains(row, word) {
				t.Errorf("the row of %s lacks %q: %s", p.name, word, row)
			}
		}
	}
}

// The examples of the guides are files that can be read.
func TestTheGuidesExamplesAreRead(t *testing.T) {
	for _, name := range []string{"configuration.md", "models.md"} {
		blocks := strings.Split(read(t, name), "```toml\n")
		if len(blocks) < 2 {
			t.Errorf("%s has no example", name)
		}
		for _, block := range blocks[1:] {
			example, _, _ := strings.Cut(block, "```")
			dir := t.TempDir()
			if err := os.WriteFile(dir+"/"+FileName, []byte(example), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := readFile(dir+"/"+FileName, UserFile, ""); err != nil {
				t.Errorf("%s: %v in\n%s", name, err, example)
			}
		}
	}
}
