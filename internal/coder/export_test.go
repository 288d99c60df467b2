package coder

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/sandbox"
)

// With returns an agent with another model.
func With(m model.Model) *Coder {
	c, err := New(Options{})
	if err != nil {
		panic(err)
	}
	c.models.fixed = m
	return c
}

// JoinTime is how long prompts wait for MCP servers from now on.
func (c *Coder) JoinTime(d time.Duration) { c.joinTime = d }

// Wall is what the system holds child processes with from now on.
func (c *Coder) Wall(s sandbox.Support, logger *slog.Logger) {
	c.wall.support, c.wall.logger = func() sandbox.Support { return s }, logger
}

// Configure has another configuration read from now on.
func (c *Coder) Configure(load func(dir string) (*config.Config, error)) { c.models.load = load }

// Tools are the names of all tools of the agent's own.
func (c *Coder) Tools() (names []string) {
	for _, t := range c.offered {
		names = append(names, t.Name)
	}
	return names
}

// A ModeRow is what the table of modes says about one.
type ModeRow struct {
	ID                       acp.SessionModeID
	Name, Description, Words string
	Tools                    []string
	Servers                  bool
	Bounds                   string
}

// ModeTable is the table of modes.
func ModeTable() (rows []ModeRow) {
	bounds := map[bounds]string{unbounded: "as you may", boundToRead: "read the roots", boundToTheRoots: "change the roots"}
	for _, m := range modes {
		rows = append(rows, ModeRow{m.id, m.name, m.description, m.words, m.tools, m.servers, bounds[m.bounds]})
	}
	return rows
}

// Stricter reports whether a mode has no tool that another one has not, binds child processes as much, and leads to none that
// is freer.
func Stricter(id, than acp.SessionModeID) bool {
	m, other := modeNamed(id), modeNamed(than)
	for _, tool := range m.tools {
		if !slices.Contains(other.tools, tool) && !slices.Contains(other.tools, sandboxPrefix+tool) &&
			!slices.Contains(other.tools, strings.TrimPrefix(tool, sandboxPrefix)) && (tool != "propose" || than != freeMode) {
			return false
		}
	}
	strength := []bounds{unbounded, boundToTheRoots, boundToRead}
	return (!m.servers || other.servers) && slices.Index(strength, m.bounds) >= slices.Index(strength, other.bounds)
}

// Trim is trim.
func Trim(conversation []model.Message, limit uint64) []model.Message {
	return trim(conversation, limit)
}

// OwnCommands is how many commands there always are.
func OwnCommands() int { return len(ownCommands()) }

// Demos are the names of all demos.
func Demos() (names []string) {
	for _, d := range demos() {
		names = append(names, d.name)
	}
	return names
}

// WithStore returns an agent with another model that keeps its sessions.
func WithStore(m model.Model, db *store.Store) *Coder {
	c := With(m)
	c.cabinet.open = func(context.Context) (*store.Store, error) { return db, nil }
	return c
}

// Enter puts a session into a mode.
func (c *Coder) Enter(id acp.SessionID, mode acp.SessionModeID) { c.enter(id, *modeNamed(mode)) }

// Trespass puts a session into a mode that has all tools nevertheless, so that what holds is the kernel's doing.
func (c *Coder) Trespass(id acp.SessionID, mode acp.SessionModeID) {
	m := *modeNamed(mode)
	m.tools = slices.Concat(modes[0].tools, sandboxed(looking, changing, running))
	c.enter(id, m)
}

func (c *Coder) enter(id acp.SessionID, m mode) {
	kept, err := c.recent.get(id)
	if err != nil {
		panic(err)
	}
	kept.state.change(func(o *settings) { o.mode = &m })
}
