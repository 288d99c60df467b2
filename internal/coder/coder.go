package coder

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/catalog"
	"github.com/patchbay-dev/patchbay/internal/sandbox"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// Options are choices for a Coder.
type Options struct {
	// Config reads the configuration for the folder of a session, or "" for that of the process. Default: nothing is
	// configured, and the model is the offline one.
	Config func(dir string) (*config.Config, error)

	// Version is the program's version. Default "dev".
	Version string

	// Sessions opens the store that sessions are kept in, when the first is needed. Whoever calls New closes it, after
	// Close. Nil: sessions end with the process. So they do if it fails, and the first client is told why.
	Sessions func(ctx context.Context) (*store.Store, error)

	// Logger gets what is nobody's error. Default slog.Default().
	Logger *slog.Logger

	// Hooks are what the demonstrations of misbehaviour need.
	Hooks Hooks
}

// Hooks let "/demo" do what no well-kept agent does. A nil hook means that its demonstration says it is not available,
// which is right wherever other agents or clients live in the same process.
type Hooks struct {
	// Stray writes a line that is no message to where the messages go.
	Stray func(line string) error

	// Crash ends the process. It doesn't return.
	Crash func()
}

// A Coder is the built-in coding agent. It is safe for concurrent use, by any number of connections.
type Coder struct {
	models  models
	tools   map[string]*tool.Tool
	offered []model.Tool
	version string
	hooks   Hooks
	recent  recent
	cabinet cabinet

	wall       wall
	joinTime   time.Duration // see joinTime
	background background
	watcher    watcher
}

var _ interface {
	agent.Agent
	agent.Loader
	agent.Resumer
	agent.Forker
	agent.Lister
	agent.Closer
	agent.Deleter
	agent.ConfigSetter
	agent.ModeSetter
	agent.ExtensionHandler
	agent.Authenticator
	agent.LogoutHandler
	agent.AuthStatusReporter
	agent.ProviderManager
} = (*Coder)(nil)

// New returns an agent.
func New(o Options) (*Coder, error) {
	c := &Coder{tools: map[string]*tool.Tool{}, version: o.Version, hooks: o.Hooks, joinTime: joinTime, cabinet: cabinet{open: o.Sessions}}
	c.wall.support, c.wall.logger = sandbox.Supported, cmp.Or(o.Logger, slog.Default())
	c.models.load = o.Config
	if o.Config == nil {
		c.models.load = offlineOnly
	}
	if c.version == "" {
		c.version = "dev"
	}
	for _, t := range tool.All() {
		c.add(t)
	}
	for _, name := range slices.Concat(looking, changing, running) {
		c.add(tool.Sandboxed(c.tools[name]))
	}
	return c, nil
}

// add adds a tool. Which session has it is for its mode to say.
func (c *Coder) add(t *tool.Tool) {
	c.tools[t.Name] = t
	c.offered = append(c.offered, model.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema})
}

// offlineOnly is a configuration with nothing in it but the choice of the offline model.
func offlineOnly(string) (*config.Config, error) {
	c := config.Empty()
	c.Model.Value = config.Offline
	return c, nil
}

// AgentOptions are the options to serve the agent with. What is not the agent's own business, such as the logger, is left
// to the caller.
func (c *Coder) AgentOptions() agent.Options {
	return agent.Options{
		Info:         acp.Implementation{Name: "patchbay", Title: "Patchbay", Version: c.version},
		Prompt:       c.promptKinds(),
		MCP:          acp.MCPCapabilities{HTTP: true, SSE: true},
		AuthMethods:  c.authMethods(),
		SystemPrompt: &acp.SessionSystemPromptCapabilities{Mode: &acp.SessionSystemPromptModeCapabilities{Override: &acp.SessionSystemPromptOverrideCapabilities{}}},
		KeepHistory:  true,

		AdditionalDirectories: true,
	}
}

// promptKinds are the kinds of content that any of the models takes. A session's model refuses what it doesn't take itself,
// and says so.
func (c *Coder) promptKinds() acp.PromptCapabilities {
	if c.models.fixed != nil {
		return c.models.fixed.Info().Prompt
	}
	var all acp.PromptCapabilities
	cfg, err := c.models.config("")
	if err != nil {
		return all // a session will say so
	}
	for _, choice := range catalog.Choices(cfg) {
		one := catalog.Facts(cfg, choice).Prompt()
		all.Image = all.Image || one.Image
		all.Audio = all.Audio || one.Audio
		all.EmbeddedContext = all.EmbeddedContext || one.EmbeddedContext
	}
	return all
}

// Prompt takes a turn.
func (c *Coder) Prompt(ctx context.Context, t *agent.Turn) (acp.StopReason, error) {
	s, ok := t.Session().Value().(*session)
	if !ok {
		return "", acp.ErrInternal("the session %s has no conversation", t.Session().ID())
	}
	if err := s.enter(); err != nil {
		return "", err
	}
	defer s.leave()
	if isEmpty(t.Prompt()) {
		return "", acp.ErrInvalidParams("the prompt is empty")
	}
	name, input, ok := t.Command()
	isCommand := ok && isCommandName(name)
	words := t.PromptText()
	if isCommand {
		words = "" // says nothing about the session
	}
	if title := c.recent.touch(t.Session().ID(), words); title != "" {
		if err := s.giveTitle(ctx, t, title); err != nil {
			return "", err
		}
	}
	s.awaitServers(ctx)
	defer s.asides.end()
	if err := s.asides.begin(t); err != nil {
		return "", err
	}
	if err := c.refreshCommands(ctx, t.Session(), s, false); err != nil {
		return "", err
	}
	if isCommand {
		return c.command(ctx, t, s, name, input)
	}
	return c.exchange(ctx, t, s, forModel(t.Prompt()))
}
