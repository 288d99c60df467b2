package coder

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// Clients that don't know options choose a model by a method and a member of answers which the protocol had in a draft, and has
// no more. Both are served, since there are such clients (F144); all others pass over them.
const (
	methodSetModel = "session/set_model"
	memberModels   = "models"
)

// A namedModel is a model as such clients know it.
type namedModel struct {
	ModelID     string `json:"modelId"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

// modelState is what such clients are told of models, with the answer that opens a session. It is nil if that failed.
func (c *Coder) modelState(s *agent.Session) acp.Unknown {
	state, ok := s.Value().(*session)
	if !ok {
		return nil
	}
	all := choose(state.chosen().engine.Info().Name, c.modelNames(state))
	var models struct {
		Current   string       `json:"currentModelId"`
		Available []namedModel `json:"availableModels"`
	}
	models.Current = string(all.CurrentValue)
	for _, o := range all.Options.Ungrouped {
		models.Available = append(models.Available, namedModel{string(o.Value), o.Name, o.Description})
	}
	text, err := json.Marshal(models)
	if err != nil {
		return nil // of names, which are text
	}
	return acp.Unknown{memberModels: text}
}

// HandleExtension serves session/set_model.
func (c *Coder) HandleExtension(ctx context.Context, method string, params acp.Raw) (any, error) {
	if method != methodSetModel {
		return nil, acp.ErrMethodNotFound(method)
	}
	var p struct {
		SessionID acp.SessionID `json:"sessionId"`
		ModelID   string        `json:"modelId"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, acp.ErrInvalidParams("%s: %s", method, err)
	}
	s := agent.ConnOf(ctx).Session(p.SessionID)
	if s == nil {
		return nil, acp.ErrSessionNotFound(p.SessionID)
	}
	state, err := stateOf(s)
	if err == nil {
		err = c.setModel(state, p.ModelID)
	}
	if err != nil {
		return nil, err
	}
	return struct{}{}, errors.Join(state.keepSettings(), s.ConfigOptions(ctx, c.options(state)...))
}
