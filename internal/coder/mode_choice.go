package coder

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/sandbox"
)

const (
	// freeMode is the mode in which there are all tools. It is the one to begin with where nobody has chosen another.
	freeMode acp.SessionModeID = "full"

	// strictMode is one that can be had anywhere, and in which nothing is changed.
	strictMode acp.SessionModeID = "read-only"
)

// modeAliases are other names for modes (S001.14).
var modeAliases = map[acp.SessionModeID]acp.SessionModeID{"default": freeMode, "code": freeMode}

// A wall is what the system holds child processes with.
type wall struct {
	support func() sandbox.Support
	logger  *slog.Logger
	told    sync.Once
}

// holds reports whether there is one. Why there is none is logged, once.
func (w *wall) holds() bool {
	s := w.support()
	if !s.OK {
		w.told.Do(func() { w.logger.Warn("the mode is not offered", "mode", "sandbox", "reason", s.Reason) })
	}
	return s.OK
}

// modes are the modes that can be had here: without a wall there is no sandbox (S002.13).
func (c *Coder) modes() []*mode {
	if c.wall.holds() {
		return modes
	}
	return slices.DeleteFunc(slices.Clone(modes), (*mode).needsWall)
}

func (m *mode) needsWall() bool { return m.bounds == boundToTheRoots }

// mode returns a mode by its id or one of its other names.
func (c *Coder) mode(id acp.SessionModeID) (*mode, error) {
	m := modeNamed(id)
	switch {
	case m == nil:
		return nil, acp.ErrInvalidParams("there is no mode %q; there are %s", id, listed(modeNames(c.modes())))
	case m.needsWall() && !c.wall.holds():
		return nil, acp.ErrInvalidParams("there is no mode %q here: %s", id, c.wall.support().Reason)
	}
	return m, nil
}

func modeNames(list []*mode) []string {
	var names []string
	for _, m := range list {
		names = append(names, string(m.id))
	}
	return names
}

// keptMode returns the mode that a session was in. If it can't be had any more, nothing is changed until the user says so.
func (c *Coder) keptMode(id acp.SessionModeID) *mode {
	m, err := c.mode(id)
	if err != nil {
		c.wall.logger.Warn("a session's mode can't be had any more", "mode", id, "instead", strictMode, "reason", err)
		m = modeNamed(strictMode)
	}
	return m
}

// modeState is what a client that knows modes is told of them (S002.7). It is nil for a session that could not be opened.
func (c *Coder) modeState(s *agent.Session) *acp.SessionModeState {
	opened, ok := s.Value().(*session)
	if !ok {
		return nil
	}
	state := &acp.SessionModeState{CurrentModeID: opened.chosen().mode.id}
	for _, m := range c.modes() {
		state.AvailableModes = append(state.AvailableModes, acp.SessionMode{ID: m.id, Name: m.name, Description: m.description})
	}
	return state
}

// modeOption is the same for a client that knows options.
func (c *Coder) modeOption(now settings) acp.SessionConfigOption {
	var list []acp.SessionConfigSelectOption
	for _, m := range c.modes() {
		list = append(list, acp.SessionConfigSelectOption{Value: acp.SessionConfigValueID(m.id), Name: m.name, Description: m.description})
	}
	return acp.SessionConfigOption{
		ID: optionMode, Name: "Mode", Category: acp.SessionConfigOptionCategoryMode,
		Description: "Which tools there are",
		Value:       choose(string(now.mode.id), list),
	}
}

// setMode puts a session into a mode, from the next request to the model on. It reports whether that is another one.
func (c *Coder) setMode(s *session, id acp.SessionModeID) (changed bool, err error) {
	m, err := c.mode(id)
	if err != nil {
		return false, err
	}
	s.change(func(o *settings) {
		changed = o.mode != m
		o.mode = m
	})
	return changed, nil
}

// SetMode changes the mode. A client sees modes in two ways, so that it is told of both: that the mode is what it wanted
// (S002.9, F60), and what the option is now.
func (c *Coder) SetMode(ctx context.Context, s *agent.Session, id acp.SessionModeID) error {
	state, err := stateOf(s)
	if err != nil {
		return err
	}
	if _, err := c.setMode(state, id); err != nil {
		return err
	}
	return errors.Join(state.keepSettings(), s.Mode(ctx, state.chosen().mode.id), s.ConfigOptions(ctx, c.options(state)...))
}

// modeCommand says which modes there are, or changes to one.
func (c *Coder) modeCommand(_ context.Context, t *agent.Turn, s *session, input string) (acp.StopReason, error) {
	id := acp.SessionModeID(strings.TrimSpace(input))
	if id == "" {
		return "", t.Text(c.modeHelp(s))
	}
	if _, err := c.setMode(s, id); err != nil {
		return "", t.Textf("%s\n", plain(err))
	}
	if err := errors.Join(s.keepSettings(), c.tellMode(t, s)); err != nil {
		return "", err
	}
	m := s.chosen().mode
	return "", t.Textf("The mode is now `%s` (%s): %s.\n", m.id, m.name, m.description)
}

// tellMode tells the client of a mode that it has not chosen itself, in both ways.
func (c *Coder) tellMode(t *agent.Turn, s *session) error {
	return errors.Join(t.Mode(s.chosen().mode.id), t.ConfigOptions(c.options(s)...))
}

func (c *Coder) modeHelp(s *session) string {
	var b strings.Builder
	fmt.Fprintf(&b, "The mode is `%s`. It says which tools there are:\n\n", s.chosen().mode.id)
	for _, m := range c.modes() {
		fmt.Fprintf(&b, "* `/mode %s` %s: %s\n", m.id, m.name, m.description)
	}
	if !c.wall.holds() {
		fmt.Fprintf(&b, "\nThere is no mode `sandbox` here: %s.\n", c.wall.support().Reason)
	}
	return b.String()
}

// refuse says why a tool can't be used in a mode, or nothing if it can.
func (m *mode) refuse(tool string) error {
	if m.has(tool) {
		return nil
	}
	return fmt.Errorf("the mode %q has no tool %q; nothing was done", m.id, tool)
}
