package coder

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

var _ interface {
	agent.TitleSetter
	agent.StatusReporter
	agent.Archiver
} = (*Coder)(nil)

// maxTitle bounds the titles that users give, in characters.
const maxTitle = 200

// UserTitle is a title of the user's as it is kept: one line, and not too long.
func UserTitle(title string) string {
	words := []rune(strings.ToValidUTF8(strings.Join(strings.Fields(title), " "), "\uFFFD"))
	if len(words) > maxTitle {
		words = append(words[:maxTitle-1], '…')
	}
	return string(words)
}

// SetTitle gives a session the user's own title, which the agent never replaces. The client that has the session open is told,
// since it may not be the one that asks.
func (c *Coder) SetTitle(ctx context.Context, id acp.SessionID, title string) (string, error) {
	title = UserTitle(title)
	db, _ := c.cabinet.get(ctx) // the user has been told why there is none
	if db != nil {
		if _, err := db.SetTitle(ctx, id, title, true); err != nil {
			return "", keptError(id, err)
		}
	}
	kept, err := c.recent.rename(id, title)
	switch {
	case err != nil && db == nil:
		return "", err
	case err == nil && isOpen(kept.from):
		tellTitle(ctx, kept.from, title)
	}
	return title, nil
}

// tellTitle tells a client what a session is called. That is no part of the conversation, so it is not recorded: whoever loads
// the session is told what it is called then. It fails only when the client has gone.
func tellTitle(ctx context.Context, s *agent.Session, title string) {
	_ = s.Repeat(ctx, &acp.SessionInfoUpdate{Title: acp.Some(title)})
}

// ownTitle is what the user has called a session, which may have happened in another process; empty if that is nothing.
func (c *Coder) ownTitle(ctx context.Context, id acp.SessionID, k *keeper) (string, error) {
	if k != nil {
		loaded, err := k.store.Load(ctx, id)
		if err != nil {
			return "", keptError(id, err)
		}
		if !loaded.Own {
			return "", nil
		}
		return loaded.Title, nil
	}
	if kept, err := c.recent.get(id); err == nil && kept.own {
		return kept.title, nil
	}
	return "", nil
}

// SessionStatus says whether a session is open, here or in another process, and changes nothing.
func (c *Coder) SessionStatus(ctx context.Context, id acp.SessionID) (acp.SessionStatus, error) {
	kept, err := c.recent.get(id)
	if err == nil && (isOpen(kept.from) || kept.from.Turn() != nil) { // a subagent that is at work is in no client
		return acp.SessionStatusOpen, nil
	}
	if db, _ := c.cabinet.get(ctx); db != nil {
		loaded, err := db.Load(ctx, id)
		switch {
		case err != nil:
			return "", keptError(id, err)
		case loaded.Owner != nil:
			return acp.SessionStatusOpen, nil
		}
		return acp.SessionStatusSaved, nil
	}
	return acp.SessionStatusSaved, err
}

// ArchiveSession takes a session out of the lists, and ends what it is doing, on whichever connection that is. One that
// another process has is refused: nothing here can end what it does there.
func (c *Coder) ArchiveSession(ctx context.Context, id acp.SessionID) error {
	if err := c.evict(ctx, id); err != nil {
		return err
	}
	db, _ := c.cabinet.get(ctx)
	if db == nil {
		return c.recent.archive(id, true)
	}
	c.recent.remove(id)
	if err := db.Archive(ctx, id, true); err != nil {
		return keptError(id, err)
	}
	return nil
}

// UnarchiveSession brings a session back to the lists, and does not open it.
func (c *Coder) UnarchiveSession(ctx context.Context, id acp.SessionID) error {
	db, _ := c.cabinet.get(ctx)
	if db == nil {
		return c.recent.archive(id, false)
	}
	if err := db.Archive(ctx, id, false); err != nil {
		return keptError(id, err)
	}
	return nil
}

// evict closes a session that is open on another connection of this process, and ends what is left of one whose client has
// gone. What is open on the connection that asks, package agent looks after.
func (c *Coder) evict(ctx context.Context, id acp.SessionID) error {
	kept, err := c.recent.get(id)
	switch {
	case err != nil:
		return nil
	case isOpen(kept.from) && kept.from.Conn() != agent.ConnOf(ctx):
		return kept.from.End(ctx, "another client has put the session away")
	}
	kept.state.end()
	return nil
}

// listStored lists stored sessions, those in which the user has said something or which the user has named.
func listStored(ctx context.Context, db *store.Store, req *acp.ListSessionsRequest) (*acp.ListSessionsResponse, error) {
	page, err := db.List(ctx, store.Filter{CWD: req.CWD, Parent: parentAsked(req), Archived: req.Archived, Used: true, Cursor: req.Cursor})
	switch {
	case errors.Is(err, store.ErrCursor):
		return nil, acp.ErrInvalidParams("the cursor %q is unknown: %s", req.Cursor, err)
	case err != nil:
		return nil, keptError(parentAsked(req), err)
	}
	answer := &acp.ListSessionsResponse{NextCursor: page.Next, Sessions: []acp.SessionInfo{}}
	for _, r := range page.Sessions {
		answer.Sessions = append(answer.Sessions, acp.SessionInfo{
			SessionID: r.ID, CWD: r.CWD, AdditionalDirectories: r.Roots, Title: r.Title, UpdatedAt: r.Updated.UTC().Format(time.RFC3339),
			Archived: &r.Archived, Meta: aboutChild(r.ID, r.Parent),
		})
	}
	return answer, nil
}
