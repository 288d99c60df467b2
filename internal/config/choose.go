package config

import (
	"fmt"
	"strings"
)

// A Choice is the model to use.
type Choice struct {
	Provider string // "" for the offline one
	Model    string // the provider's name of it; Offline for the offline one
	From     Source

	// Note tells the user, once, what nobody has chosen; it may be empty.
	Note string
}

// String is the name by which a user chooses it.
func (c Choice) String() string {
	if c.Provider == "" {
		return c.Model
	}
	return c.Provider + "/" + c.Model
}

// Choose returns the model that is chosen: the one that is set; else the usual one of the first provider that there is a key
// for; else Offline, with a note.
func (c *Config) Choose() (Choice, error) {
	if c.Model.Value != "" {
		choice, err := c.Parse(c.Model.Value)
		choice.From = c.Model.From
		return choice, err
	}
	var broken error // why the stored keys can't be read
	for _, p := range c.Providers() {
		if p.keysErr != nil {
			broken = p.keysErr
		}
		if p.DefaultModel != "" && !p.disabled && (p.Withheld || !p.Key.Value.IsZero()) {
			return Choice{Provider: p.Name, Model: p.DefaultModel}, nil
		}
	}
	return Choice{Model: Offline, Note: offlineNote(broken)}, nil
}

func offlineNote(broken error) string {
	var variables []string
	for _, p := range presets {
		if p.model != "" {
			variables = append(variables, p.keyEnv[0])
		}
	}
	note := fmt.Sprintf("No model is set up, so this is the offline one, which only carries out a few commands. Set %s, run `patchbay login`, or choose a model in %s.",
		strings.Join(variables, " or "), FileName)
	if broken != nil {
		note += " The stored keys can't be used: " + broken.Error() + "."
	}
	return note
}

// Parse reads the name of a model: "provider/name", where the name may have more slashes; "provider" for its usual model;
// "offline".
func (c *Config) Parse(name string) (Choice, error) {
	if name == Offline {
		return Choice{Model: Offline}, nil
	}
	providerName, modelName, named := strings.Cut(name, "/")
	p, err := c.Provider(providerName)
	switch {
	case err != nil && !named:
		return Choice{}, fmt.Errorf("the model %q has no provider: write it as provider/name: %w", name, err)
	case err != nil:
		return Choice{}, err
	case modelName == "" && p.DefaultModel == "":
		return Choice{}, fmt.Errorf("which model of %s? write it as %s/name", providerName, providerName)
	case modelName == "":
		modelName = p.DefaultModel
	}
	return Choice{Provider: providerName, Model: modelName}, nil
}
