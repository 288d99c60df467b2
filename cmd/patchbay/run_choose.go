package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/internal/registry"
)

// choose sets what the command line says of the model, the mode and options, by whatever the agent offers (F144). A new session
// of the built-in agent has been started with its model and mode.
func (r *run) choose(ctx context.Context, o *outcome) error {
	s := o.session
	if model := r.cmd.Model; model != "" && !r.started(o) {
		err := s.ChooseModel(ctx, model)
		if _, unknown := errors.AsType[*client.ChoiceError](err); unknown && r.builtin() { // which knows more than it lists
			err = s.SetConfigOption(ctx, "model", &acp.SetConfigValueID{Value: acp.SessionConfigValueID(model)})
		}
		if err != nil {
			return choiceError("--model", err)
		}
	}
	if mode := r.cmd.Mode; mode != "" && !r.started(o) {
		if err := s.ChooseMode(ctx, mode); err != nil {
			return choiceError("--mode", err)
		}
	}
	for _, set := range r.cmd.Set {
		key, value, _ := strings.Cut(set, "=")
		if err := s.ChooseOption(ctx, key, value); err != nil {
			return choiceError("--set "+set, err)
		}
	}
	return nil
}

func (r *run) builtin() bool { return r.agent.Name == registry.BuiltIn }

// started reports whether the agent has the model and the mode from its own command line.
func (r *run) started(o *outcome) bool { return r.builtin() && o.beginning == beginNew }

func choiceError(what string, err error) error {
	err = fmt.Errorf("%s: %w", what, err)
	_, unknown := errors.AsType[*client.ChoiceError](err)
	sent, answered := errors.AsType[*acp.Error](err)
	if unknown || errors.Is(err, acp.ErrUnsupported) || answered && (sent.Code == acp.CodeInvalidParams || sent.Code == acp.CodeMethodNotFound) {
		return &exitError{exitUnsupported, err}
	}
	return err
}
