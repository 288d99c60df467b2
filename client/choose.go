package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// A ChoiceError says that a session has nothing of the kind that was to be chosen. Nothing was sent.
type ChoiceError struct {
	// Kind is what was to be chosen: "model", "mode", "option", or the id of an option.
	Kind string

	// Name is what was asked for.
	Name string

	// Choices are the ids that there are. None means that the agent does not offer the choice at all.
	Choices []string

	// Many means that the name is a label that several of them have.
	Many bool
}

// Error names what was asked for and what there is.
func (e *ChoiceError) Error() string {
	if len(e.Choices) == 0 {
		return fmt.Sprintf("%s %q: the agent offers no choice of that", e.Kind, e.Name)
	}
	if e.Many {
		return fmt.Sprintf("%s %q is more than one that the agent offers; say which by its id, of %s", e.Kind, e.Name, strings.Join(e.Choices, ", "))
	}
	return fmt.Sprintf("%s %q is none that the agent offers; it offers %s", e.Kind, e.Name, strings.Join(e.Choices, ", "))
}

// ChooseModel lets the session use a model, named by its id or by the label that is shown for it, in the way that the agent
// offers: as a configuration option, or by the older session/set_model (F144). A model that is not offered is a *ChoiceError.
func (s *Session) ChooseModel(ctx context.Context, name string) error {
	if option := s.optionOf(acp.SessionConfigOptionCategoryModel); option != nil {
		return s.chooseValue(ctx, "model", option, name)
	}
	models := s.state.Models().Available
	i, err := find("model", name, len(models), func(i int) (string, string) { return models[i].ID, models[i].Name })
	if err != nil {
		return err
	}
	return s.SetModel(ctx, models[i].ID)
}

// ChooseMode puts the session into a mode, as ChooseModel does with a model: by a configuration option, or by
// session/set_mode.
func (s *Session) ChooseMode(ctx context.Context, name string) error {
	if option := s.optionOf(acp.SessionConfigOptionCategoryMode); option != nil {
		return s.chooseValue(ctx, "mode", option, name)
	}
	modes := s.state.Modes()
	i, err := find("mode", name, len(modes), func(i int) (string, string) { return string(modes[i].ID), modes[i].Name })
	if err != nil {
		return err
	}
	return s.SetMode(ctx, modes[i].ID)
}

// ChooseOption gives a configuration option a value, both named by their ids or labels. The value of an option that is on or
// off is one of on, off, true, false, yes, no. The options "model" and "mode" are there too where an agent offers them in an
// older way. What is not offered is a *ChoiceError.
func (s *Session) ChooseOption(ctx context.Context, key, value string) error {
	options := s.state.Config()
	i, err := find("option", key, len(options), func(i int) (string, string) { return string(options[i].ID), options[i].Name })
	switch {
	case err == nil:
		return s.chooseValue(ctx, string(options[i].ID), &options[i], value)
	case key == "model":
		return s.ChooseModel(ctx, value)
	case key == "mode":
		return s.ChooseMode(ctx, value)
	}
	return err
}

// optionOf returns the option of a category, or the one that has its name as its id; nil if there is none with values.
func (s *Session) optionOf(category acp.SessionConfigOptionCategory) *acp.SessionConfigOption {
	options := s.state.Config()
	for _, is := range []func(o acp.SessionConfigOption) bool{
		func(o acp.SessionConfigOption) bool { return o.Category == category },
		func(o acp.SessionConfigOption) bool { return string(o.ID) == string(category) },
	} {
		i := slices.IndexFunc(options, func(o acp.SessionConfigOption) bool {
			_, ok := o.Value.(*acp.SessionConfigSelect)
			return ok && is(o)
		})
		if i >= 0 {
			return &options[i]
		}
	}
	return nil
}

func (s *Session) chooseValue(ctx context.Context, kind string, option *acp.SessionConfigOption, name string) error {
	switch value := option.Value.(type) {
	case *acp.SessionConfigBoolean:
		on, err := onOrOff(name)
		if err != nil {
			return &ChoiceError{Kind: kind, Name: name, Choices: []string{"on", "off"}}
		}
		return s.SetConfigOption(ctx, option.ID, &acp.SetConfigBoolean{Value: on})
	case *acp.SessionConfigSelect:
		values := slices.Collect(value.Options.All())
		i, err := find(kind, name, len(values), func(i int) (string, string) { return string(values[i].Value), values[i].Name })
		if err != nil {
			return err
		}
		return s.SetConfigOption(ctx, option.ID, &acp.SetConfigValueID{Value: values[i].Value})
	}
	return fmt.Errorf("option %q is of a type that is not known here", option.ID)
}

var errNeither = errors.New("neither on nor off")

func onOrOff(word string) (bool, error) {
	switch strings.ToLower(word) {
	case "on", "yes":
		return true, nil
	case "off", "no":
		return false, nil
	}
	on, err := strconv.ParseBool(word)
	if err != nil {
		return false, errNeither
	}
	return on, nil
}

// find returns which of n things is meant by a name: the one with that id, or else the only one with that label, whatever the
// case of its letters.
func find(kind, name string, n int, at func(int) (id, label string)) (int, error) {
	found, labels := -1, 0
	ids := make([]string, n)
	for i := range n {
		id, label := at(i)
		if ids[i] = id; id == name {
			return i, nil
		}
		if strings.EqualFold(id, name) || strings.EqualFold(label, name) {
			found = i
			labels++
		}
	}
	if labels != 1 {
		return -1, &ChoiceError{kind, name, ids, labels > 1}
	}
	return found, nil
}
