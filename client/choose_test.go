package client_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// What three kinds of agents say of models and modes in answer to session/new.
const (
	byOptions = `"configOptions":[{"id":"llm","name":"Language model","category":"model","type":"select","currentValue":"a","options":[{"value":"a","name":"Small"},{"value":"b","name":"Big"}]},` +
		`{"id":"mode","name":"Mode","type":"select","currentValue":"ask","options":[{"group":"g","name":"G","options":[{"value":"ask","name":"Ask"},{"value":"code","name":"Code"}]}]},` +
		`{"id":"fast","name":"Fast","type":"boolean","currentValue":false}]`
	byModes  = `"modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"Ask"},{"id":"code","name":"Code"}]}`
	byModels = `"models":{"currentModelId":"a","availableModels":[{"modelId":"a","name":"Small"},{"modelId":"b","name":"Big"}]}`
)

// F144: a model, a mode and an option are set in the way that the agent offers, options before modes before the older call,
// and what the agent does not offer is an error that lists what it does.
func TestF144_ChoicesAreMadeInTheWayThatTheAgentOffers(t *testing.T) {
	model := func(s *client.Session, name string) error { return s.ChooseModel(context.Background(), name) }
	mode := func(s *client.Session, name string) error { return s.ChooseMode(context.Background(), name) }
	option := func(key string) func(*client.Session, string) error {
		return func(s *client.Session, name string) error { return s.ChooseOption(context.Background(), key, name) }
	}
	for name, c := range map[string]struct {
		offers       string
		choose       func(*client.Session, string) error
		value        string
		method, sent string
	}{
		"model by option":       {byOptions + "," + byModels, model, "b", "session/set_config_option", `"configId":"llm","value":"b"`},
		"model by label":        {byOptions, model, "big", "session/set_config_option", `"configId":"llm","value":"b"`},
		"model by older call":   {byModels, model, "b", "session/set_model", `"modelId":"b"`},
		"mode by option":        {byOptions + "," + byModes, mode, "code", "session/set_config_option", `"configId":"mode","value":"code"`},
		"mode":                  {byModes, mode, "Code", "session/set_mode", `"modeId":"code"`},
		"option by id":          {byOptions, option("llm"), "a", "session/set_config_option", `"configId":"llm","value":"a"`},
		"option by label":       {byOptions, option("language MODEL"), "a", "session/set_config_option", `"configId":"llm","value":"a"`},
		"on":                    {byOptions, option("fast"), "on", "session/set_config_option", `"value":true`},
		"true":                  {byOptions, option("fast"), "true", "session/set_config_option", `"value":true`},
		"off":                   {byOptions, option("fast"), "no", "session/set_config_option", `"value":false`},
		"option that is a mode": {byModes, option("mode"), "code", "session/set_mode", `"modeId":"code"`},
		"option, older model":   {byModels, option("model"), "b", "session/set_model", `"modelId":"b"`},
	} {
		t.Run(name, func(t *testing.T) {
			s, a := offered(t, c.offers)
			both(t, func() error { return c.choose(s, c.value) }, func() {
				m := a.expect(c.method)
				if !strings.Contains(string(m.Params), c.sent) {
					t.Errorf("the request is %s, want %s", m.Params, c.sent)
				}
				a.send(outcome(m, `{"configOptions":[]}`))
			})
		})
	}
	for name, c := range map[string]struct {
		offers  string
		choose  func(*client.Session, string) error
		value   string
		choices []string
	}{
		"model":              {byOptions, model, "huge", []string{"a", "b"}},
		"older model":        {byModels, model, "huge", []string{"a", "b"}},
		"mode":               {byModes, mode, "yolo", []string{"ask", "code"}},
		"option":             {byOptions, option("slow"), "on", []string{"llm", "mode", "fast"}},
		"value":              {byOptions, option("llm"), "huge", []string{"a", "b"}},
		"neither on nor off": {byOptions, option("fast"), "perhaps", []string{"on", "off"}},
		"nothing to choose":  {byModes, model, "b", nil},
	} {
		t.Run("none: "+name, func(t *testing.T) {
			s, _ := offered(t, c.offers)
			choice, ok := errors.AsType[*client.ChoiceError](c.choose(s, c.value))
			if !ok || !slices.Equal(choice.Choices, c.choices) {
				t.Fatalf("the error is %v, want one with %q", choice, c.choices)
			}
			for _, text := range c.choices {
				if !strings.Contains(choice.Error(), text) {
					t.Errorf("%q does not name %q", choice, text)
				}
			}
		})
	}
}

// offered opens a session of an agent that offers something to choose.
func offered(t *testing.T, offers string) (*client.Session, *agent) {
	t.Helper()
	c, a := connect(t, &user{}, client.Options{Shows: client.Shows{BooleanOptions: true}}, noCapabilities)
	var s *client.Session
	both(t, func() (err error) {
		s, err = c.NewSession(context.Background(), acp.NewSessionRequest{CWD: "/project"})
		return err
	}, func() { a.send(outcome(a.expect("session/new"), `{"sessionId":"s",`+offers+`}`)) })
	return s, a
}
