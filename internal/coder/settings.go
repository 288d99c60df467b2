package coder

import (
	"context"
	"fmt"
	"strconv"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/catalog"
	"github.com/patchbay-dev/patchbay/policy"
)

// settings are what the user can choose for a session.
type settings struct {
	engine      engine
	thinking    model.Thinking
	maxTokens   int         // of an answer; 0 is the model's own limit
	mode        *mode       // which tools there are
	permissions policy.Mode // what passes without a question
}

// settingsOf are those that are configured. It fails if the mode can't be had here.
func (c *Coder) settingsOf(cfg *config.Config, e engine) (settings, error) {
	m, err := c.mode(acp.SessionModeID(cfg.Mode.Value))
	if err != nil {
		return settings{}, err
	}
	s := settings{engine: e, maxTokens: cfg.MaxTokens.Value, mode: m, permissions: cfg.Permissions.Value}
	if level := cfg.Thinking.Value; level != "default" {
		s.thinking = model.Thinking(level)
	}
	return s, nil
}

// The options of a session.
const (
	optionModel       acp.SessionConfigID = "model"
	optionThinking    acp.SessionConfigID = "thinking"
	optionMaxTokens   acp.SessionConfigID = "maxTokens"
	optionMode        acp.SessionConfigID = "mode"
	optionPermissions acp.SessionConfigID = "permissions"
	optionAutoApprove acp.SessionConfigID = "autoApprove"
)

// answerLimits are the limits of an answer to choose from, in tokens.
var answerLimits = []int{0, 4_000, 8_000, 16_000, 32_000, 64_000}

// options are a session's options as they are now (S001.3).
func (c *Coder) options(s *session) []acp.SessionConfigOption {
	now := s.chosen()
	list := []acp.SessionConfigOption{{
		ID: optionModel, Name: "Model", Category: acp.SessionConfigOptionCategoryModel,
		Value: choose(now.engine.Info().Name, c.modelNames(s)),
	}}
	if now.engine.facts.Thinking {
		list = append(list, acp.SessionConfigOption{
			ID: optionThinking, Name: "Thinking", Category: acp.SessionConfigOptionCategoryThoughtLevel,
			Description: "How much the model reasons before it answers",
			Value:       choose(thinkingName(now.thinking), thinkingLevels()),
		})
	}
	if !now.engine.scripted() {
		list = append(list, acp.SessionConfigOption{
			ID: optionMaxTokens, Name: "Longest answer", Category: acp.SessionConfigOptionCategoryModelConfig,
			Description: "In tokens, reasoning included",
			Value:       choose(strconv.Itoa(now.maxTokens), limits()),
		})
	}
	return append(list, c.modeOption(now), permissionsOption(now), approveOption(now))
}

// choose makes a select. The current value is among the options even if it is none of those that are offered.
func choose(current string, offered []acp.SessionConfigSelectOption) *acp.SessionConfigSelect {
	value := acp.SessionConfigValueID(current)
	for _, o := range offered {
		if o.Value == value {
			return &acp.SessionConfigSelect{CurrentValue: value, Options: acp.SessionConfigSelectOptions{Ungrouped: offered}}
		}
	}
	offered = append([]acp.SessionConfigSelectOption{{Value: value, Name: current}}, offered...)
	return &acp.SessionConfigSelect{CurrentValue: value, Options: acp.SessionConfigSelectOptions{Ungrouped: offered}}
}

// modelNames are the models that can be used in a session.
func (c *Coder) modelNames(s *session) []acp.SessionConfigSelectOption {
	var list []acp.SessionConfigSelectOption
	if c.models.fixed != nil {
		return nil
	}
	for _, choice := range catalog.Choices(s.config) {
		name := choice.String()
		title := catalog.Facts(s.config, choice).Title
		if title == "" {
			title = name
		}
		list = append(list, acp.SessionConfigSelectOption{Value: acp.SessionConfigValueID(name), Name: title, Description: name})
	}
	return list
}

func thinkingLevels() []acp.SessionConfigSelectOption {
	var list []acp.SessionConfigSelectOption
	for _, level := range config.Thinking {
		list = append(list, acp.SessionConfigSelectOption{Value: acp.SessionConfigValueID(level), Name: level})
	}
	return list
}

func thinkingName(t model.Thinking) string {
	if t == model.ThinkingDefault {
		return "default"
	}
	return string(t)
}

func limits() []acp.SessionConfigSelectOption {
	var list []acp.SessionConfigSelectOption
	for _, n := range answerLimits {
		name := fmt.Sprintf("%d tokens", n)
		if n == 0 {
			name = "the model's own limit"
		}
		list = append(list, acp.SessionConfigSelectOption{Value: acp.SessionConfigValueID(strconv.Itoa(n)), Name: name})
	}
	return list
}

// SetConfigOption changes an option. A model may be one that is not in the list.
func (c *Coder) SetConfigOption(ctx context.Context, s *agent.Session, req *acp.SetSessionConfigOptionRequest) ([]acp.SessionConfigOption, error) {
	state, err := stateOf(s)
	if err != nil {
		return nil, err
	}
	before := state.chosen().mode
	if err := c.set(state, req); err != nil {
		return nil, err
	}
	if err := state.keepSettings(); err != nil {
		return nil, err
	}
	if m := state.chosen().mode; m != before { // the answer doesn't say so to a client that looks at modes
		if err := s.Mode(ctx, m.id); err != nil {
			return nil, err
		}
	}
	return c.options(state), nil
}

// stateOf returns what the agent knows about a session that is open here.
func stateOf(s *agent.Session) (*session, error) {
	state, ok := s.Value().(*session)
	if !ok {
		return nil, acp.ErrSessionNotFound(s.ID())
	}
	if state.hasMoved() {
		return nil, errMoved()
	}
	return state, nil
}

func (c *Coder) set(s *session, req *acp.SetSessionConfigOptionRequest) error {
	if req.ConfigID == optionAutoApprove {
		on, err := onOrOff(req.Value)
		if err != nil {
			return err
		}
		s.approve(on)
		return nil
	}
	if value, ok := req.Value.(*acp.SetConfigValueID); ok {
		return c.setValue(s, req.ConfigID, string(value.Value))
	}
	for _, option := range c.options(s) {
		if option.ID == req.ConfigID {
			return acp.ErrInvalidParams("the option %q is a choice of values: it can't be on or off", req.ConfigID)
		}
	}
	return acp.ErrInvalidParams("there is no option %q", req.ConfigID)
}

// onOrOff reads a value for an option that is on or off. Clients that know no such options choose one of two words, and some
// that do know them send a word all the same.
func onOrOff(value acp.SetConfigValue) (bool, error) {
	switch value := value.(type) {
	case *acp.SetConfigBoolean:
		return value.Value, nil
	case *acp.SetConfigValueID:
		switch value.Value {
		case "on", "true":
			return true, nil
		case "off", "false":
			return false, nil
		}
		return false, acp.ErrInvalidParams("%q is neither on nor off: send true or false with the type boolean", value.Value)
	}
	return false, acp.ErrInvalidParams("the value is neither on nor off: send true or false with the type boolean")
}

func (c *Coder) setValue(s *session, id acp.SessionConfigID, value string) error {
	switch id {
	case optionModel:
		return c.setModel(s, value)
	case optionMode:
		_, err := c.setMode(s, acp.SessionModeID(value))
		return err
	case optionPermissions:
		return s.setPermissions(value)
	case optionThinking:
		for _, level := range config.Thinking {
			if value == level {
				s.change(func(o *settings) { o.thinking = settingThinking(level) })
				return nil
			}
		}
		return acp.ErrInvalidParams("there is no level of thinking %q; there are %s", value, listed(config.Thinking))
	case optionMaxTokens:
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return acp.ErrInvalidParams("%q is no number of tokens", value)
		}
		s.change(func(o *settings) { o.maxTokens = n })
		return nil
	}
	return acp.ErrInvalidParams("there is no option %q to choose a value for", id)
}

func settingThinking(level string) model.Thinking {
	if level == "default" {
		return model.ThinkingDefault
	}
	return model.Thinking(level)
}

// setModel has a session speak with another model from the next request on.
func (c *Coder) setModel(s *session, name string) error {
	if name == s.chosen().engine.Info().Name {
		return nil
	}
	if c.models.fixed != nil {
		return acp.ErrInvalidParams("there is no other model than %q", c.models.fixed.Info().Name)
	}
	e, err := c.models.named(s.config, name)
	if err != nil {
		return acp.ErrInvalidParams("the model %q can't be used: %s", name, err)
	}
	s.change(func(o *settings) { o.engine = e })
	return nil
}
