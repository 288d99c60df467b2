package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

// sessionsCmd is `patchbay sessions`: what the coding agent keeps.
type sessionsCmd struct {
	List      sessionsListCmd      `cmd:"" default:"withargs" help:"List sessions, the one that was used last first. That is what patchbay sessions alone does."`
	Rename    sessionsRenameCmd    `cmd:"" help:"Give a session another title."`
	Archive   sessionsArchiveCmd   `cmd:"" help:"Take sessions out of the lists."`
	Unarchive sessionsUnarchiveCmd `cmd:"" help:"Bring archived sessions back to the lists."`
	Delete    sessionsDeleteCmd    `cmd:"" help:"Delete sessions for good, with their subagents."`
}

// Help is what `patchbay sessions --help` adds.
func (*sessionsCmd) Help() string {
	return "docs/sessions.md says where sessions are, and what is in them."
}

// withSessions opens the store for a while.
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
	return errors.Join(f(ctx, db), db.Close())
}

// eachSession does something to sessions, as many of them as it can be done to.
func eachSession(ids []acp.SessionID, f func(ctx context.Context, db *store.Store, id acp.SessionID) error) error {
	return withSessions(func(ctx context.Context, db *store.Store) error {
		var errs []error
		for _, id := range ids {
			errs = append(errs, f(ctx, db, id))
		}
		return errors.Join(errs...)
	})
}

type sessionsListCmd struct {
	Cwd      string `placeholder:"DIR" help:"Only those that work in this folder."`
	Archived string `default:"exclude" enum:"exclude,include,only" help:"Whether archived sessions are among them: exclude, include or only."`
	Limit    int    `default:"50" placeholder:"N" help:"How many at most; 0 for all."`
	Format   string `default:"text" enum:"text,json" help:"What to print: text or json."`
}

// A listedSession is what is printed of a session.
type listedSession struct {
	ID       acp.SessionID `json:"id"`
	Title    string        `json:"title"`
	CWD      string        `json:"cwd"`
	Created  time.Time     `json:"created"`
	Updated  time.Time     `json:"updated"`
	Archived bool          `json:"archived"`
	Process  int           `json:"process,omitzero"` // that has it open
}

// Run prints the list.
func (c *sessionsListCmd) Run() error {
	cwd := c.Cwd
	if cwd != "" {
		var err error
		if cwd, err = filepath.Abs(cwd); err != nil {
			return err
		}
	}
	return withSessions(func(ctx context.Context, db *store.Store) error {
		listed, err := c.list(ctx, db, store.Filter{CWD: cwd, Archived: acp.SessionArchiveFilter(c.Archived), Used: true})
		if err != nil {
			return err
		}
		if c.Format == "json" {
			return printJSON(os.Stdout, listed)
		}
		return printSessions(os.Stdout, listed, time.Now())
	})
}

// list reads page after page, until there are enough.
func (c *sessionsListCmd) list(ctx context.Context, db *store.Store, f store.Filter) ([]listedSession, error) {
	listed := []listedSession{}
	for {
		if c.Limit > 0 {
			f.Limit = c.Limit - len(listed)
		}
		page, err := db.List(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, r := range page.Sessions {
			s := listedSession{ID: r.ID, Title: r.Title, CWD: r.CWD, Created: r.Created.UTC(), Updated: r.Updated.UTC(), Archived: r.Archived}
			if r.Owner != nil {
				s.Process = r.Owner.PID
			}
			listed = append(listed, s)
		}
		if f.Cursor = page.Next; f.Cursor == "" || len(listed) == c.Limit {
			return listed, nil
		}
	}
}

func printSessions(w io.Writer, listed []listedSession, now time.Time) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "session\tused\tfolder\ttitle")
	for _, s := range listed {
		title := orNone(cleanLine(s.Title))
		if s.Archived {
			title += " (archived)"
		}
		if s.Process != 0 {
			title += fmt.Sprintf(" (open in process %d)", s.Process)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", cleanLine(string(s.ID)), age(now.Sub(s.Updated)), cleanLine(s.CWD), title)
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("print the sessions: %w", err)
	}
	return nil
}

// age says how long ago something was, in the largest unit that fits.
func age(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", d/time.Minute)
	case d < 2*day:
		return fmt.Sprintf("%d h ago", d/time.Hour)
	}
	return fmt.Sprintf("%d days ago", d/day)
}

type sessionsRenameCmd struct {
	Session acp.SessionID `arg:"" help:"Its id, as the list has it."`
	Title   string        `arg:"" help:"The title. An empty one leaves it to the agent again."`
}

// Run gives a session the user's title.
func (c *sessionsRenameCmd) Run() error {
	return withSessions(func(ctx context.Context, db *store.Store) error {
		_, err := db.SetTitle(ctx, c.Session, coder.UserTitle(c.Title), true)
		return err
	})
}

type sessionsArchiveCmd struct {
	Sessions []acp.SessionID `arg:"" help:"Their ids, as the list has them."`
}

// Run archives sessions.
func (c *sessionsArchiveCmd) Run() error {
	return eachSession(c.Sessions, func(ctx context.Context, db *store.Store, id acp.SessionID) error { return db.Archive(ctx, id, true) })
}

type sessionsUnarchiveCmd struct {
	Sessions []acp.SessionID `arg:"" help:"Their ids, as the list has them."`
}

// Run takes sessions out of the archive.
func (c *sessionsUnarchiveCmd) Run() error {
	return eachSession(c.Sessions, func(ctx context.Context, db *store.Store, id acp.SessionID) error { return db.Archive(ctx, id, false) })
}

type sessionsDeleteCmd struct {
	Sessions []acp.SessionID `arg:"" help:"Their ids, as the list has them."`
}

// Run deletes sessions.
func (c *sessionsDeleteCmd) Run() error {
	return eachSession(c.Sessions, func(ctx context.Context, db *store.Store, id acp.SessionID) error { return db.Delete(ctx, id) })
}
