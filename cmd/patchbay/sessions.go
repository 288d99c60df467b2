package main

import (
	"context"
	"errors"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

// sessionsCmd is `patchbay sessions`: what the coding agent keeps, or any other one.
type sessionsCmd struct {
	List      sessionsListCmd      `cmd:"" default:"withargs" help:"List sessions, the one that was used last first. That is what patchbay sessions alone does."`
	Show      sessionsShowCmd      `cmd:"" help:"Print all that was said and done in a session."`
	Export    sessionsExportCmd    `cmd:"" help:"Write a session to a file, as Markdown, JSON or HTML."`
	Resume    sessionsResumeCmd    `cmd:"" help:"Go on with a session: give it a prompt, or say how."`
	Fork      sessionsForkCmd      `cmd:"" help:"Begin a session with the history of another one, and print its id."`
	Rename    sessionsRenameCmd    `cmd:"" help:"Give a session another title."`
	Archive   sessionsArchiveCmd   `cmd:"" help:"Take sessions out of the lists."`
	Unarchive sessionsUnarchiveCmd `cmd:"" help:"Bring archived sessions back to the lists."`
	Close     sessionsCloseCmd     `cmd:"" help:"Tell an agent to let go of sessions. They can be opened again."`
	Delete    sessionsDeleteCmd    `cmd:"" help:"Delete sessions for good, with their subagents."`
}

// Help is what `patchbay sessions --help` adds.
func (*sessionsCmd) Help() string {
	return `The sessions are those of the built-in agent, of one by its name, or of any command after --:

  patchbay sessions
  patchbay sessions --agent claude --cwd .
  patchbay sessions show ID -- opencode acp

What an agent does not have is said, with exit status 13; a session that it does not have, with 12. docs/sessions.md says more.`
}

// withSessions opens the store of the built-in agent for a while.
func withSessions(f func(ctx context.Context, db *store.Store) error) error {
	ctx := context.Background()
	dir, err := store.DefaultDir()
	if err != nil {
		return err
	}
	db, err := store.Open(ctx, dir, store.Options{})
	if err != nil {
		return err
	}
	return storeError(errors.Join(f(ctx, db), db.Close()))
}

// eachStored does something to sessions of the store, as many of them as it can be done to.
func eachStored(ids []acp.SessionID, f func(ctx context.Context, db *store.Store, id acp.SessionID) error) error {
	return withSessions(func(ctx context.Context, db *store.Store) error {
		var errs []error
		for _, id := range ids {
			errs = append(errs, f(ctx, db, id))
		}
		return errors.Join(errs...)
	})
}
