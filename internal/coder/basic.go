package coder

import (
	"context"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// A basic is the agent with the capabilities that the first agents of the protocol had, for clients that were written against
// one of these and take offence at more. It does all else as ever.
type basic struct{ c *Coder }

var _ interface {
	agent.Agent
	agent.Loader
	agent.ModeSetter
} = basic{}

// Basic returns the agent for the profile "basic", and the options to serve it with. It claims, whatever the models are:
//
//	loadSession          true
//	promptCapabilities   audio, image and embeddedContext
//	mcpCapabilities      neither http nor sse: stdio alone, which every agent has
//	sessionCapabilities  {}
//	authMethods          none
//
// A session whose model can't take some content still refuses it (S002.6).
func (c *Coder) Basic() (agent.Agent, agent.Options) {
	return basic{c}, agent.Options{
		Info:        acp.Implementation{Name: "patchbay", Title: "Patchbay", Version: c.version},
		Prompt:      acp.PromptCapabilities{Audio: true, Image: true, EmbeddedContext: true},
		KeepHistory: true,
	}
}

func (b basic) NewSession(ctx context.Context, s *agent.Session) (*acp.NewSessionResponse, error) {
	return b.c.NewSession(ctx, s)
}

func (b basic) Prompt(ctx context.Context, t *agent.Turn) (acp.StopReason, error) {
	return b.c.Prompt(ctx, t)
}

func (b basic) LoadSession(ctx context.Context, s *agent.Session) (*acp.LoadSessionResponse, error) {
	return b.c.LoadSession(ctx, s)
}

func (b basic) SetMode(ctx context.Context, s *agent.Session, mode acp.SessionModeID) error {
	return b.c.SetMode(ctx, s, mode)
}
