package tool

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// Propose returns the tool that puts a plan before the user, and has it carried out if they agree.
func Propose() *Tool {
	return define(Tool{
		Name: "propose",
		Description: "Puts your whole plan before the user and asks whether to go on. If they agree, the mode changes: you get the tools that write and execute, and carry it out. " +
			"If not, they will say what to change.",
		Kind: acp.ToolKindSwitchMode,
	}, prepareProposal)
}

type proposalInput struct {
	Plan string `json:"plan" minLength:"1" jsonschema:"The plan in Markdown: what is to be done, in which files, and how it will be checked."`
}

func prepareProposal(env Env, in proposalInput) (*Job, error) {
	plan := strings.TrimSpace(in.Plan)
	if plan == "" {
		return nil, errors.New("the plan is empty")
	}
	return &Job{
		Title: "Carry out the plan?",
		Call:  harmless,
		preview: func(context.Context) ([]acp.ToolCallContent, error) {
			return shown(Visible(plan)), nil
		},
		run: func(ctx context.Context) (*Result, error) {
			agreed, err := env.Propose(ctx)
			switch {
			case errors.Is(err, ErrCannotAsk):
				return nil, fmt.Errorf("%w: say the plan in your answer, and that the user can change the mode", err)
			case err != nil:
				return nil, fmt.Errorf("asking the user: %w", err)
			case agreed == "":
				return &Result{Text: "The user does not agree yet. Ask what to change, or wait for what they say.\n", Content: shown(Visible(plan)), Failed: true}, nil
			}
			return &Result{Text: agreed + "\n", Content: shown(agreed)}, nil
		},
	}, nil
}
