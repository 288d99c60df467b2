package coder

import (
	"context"
	"time"

	"github.com/patchbay-dev/patchbay/internal/coder/store"
	"github.com/patchbay-dev/patchbay/internal/model"
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

// Trim is trim.
func Trim(conversation []model.Message, limit uint64) []model.Message {
	return trim(conversation, limit)
}

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
