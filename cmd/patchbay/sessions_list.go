package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

type sessionsListCmd struct {
	sessionFlags `embed:""`
	Cwd          string `placeholder:"DIR" help:"Only those that work in this folder."`
	Archived     string `default:"exclude" enum:"exclude,include,only" help:"Whether archived sessions are among them: exclude, include or only."`
	Limit        int    `default:"50" placeholder:"N" help:"How many at most; 0 for all."`
	All          bool   `help:"All of them, however many there are; the same as --limit 0."`
	Format       string `default:"text" enum:"text,json" help:"What to print: text or json."`
}

// A listedSession is what is printed of a session.
type listedSession struct {
	ID       acp.SessionID `json:"id"`
	Title    string        `json:"title"`
	CWD      string        `json:"cwd"`
	Created  time.Time     `json:"created,omitzero"`
	Updated  time.Time     `json:"updated,omitzero"` // zero if the agent does not say
	Archived bool          `json:"archived"`
	Process  int           `json:"process,omitzero"` // that has it open
}

// Run prints the list.
func (c *sessionsListCmd) Run() error {
	switch {
	case c.All:
		c.Limit = 0
	case c.Limit < 0:
		return &exitError{exitUsage, fmt.Errorf("--limit: %d is less than nothing", c.Limit)}
	}
	if c.Cwd != "" {
		var err error
		if c.Cwd, err = filepath.Abs(c.Cwd); err != nil {
			return err
		}
	}
	stored, err := c.stored()
	switch {
	case err != nil:
		return err
	case stored:
		return withSessions(func(ctx context.Context, db *store.Store) error {
			listed, err := c.list(ctx, db, store.Filter{Archived: acp.SessionArchiveFilter(c.Archived), Used: true})
			return c.print(listed, err)
		})
	}
	return c.withAgent(func(ctx context.Context, agent *client.Client) error {
		return c.signedIn(ctx, agent, func() error {
			listed, err := c.ask(ctx, agent)
			return c.print(listed, err)
		})
	})
}

func (c *sessionsListCmd) print(listed []listedSession, err error) error {
	if err != nil {
		return err
	}
	if c.Format == "json" {
		return printJSON(os.Stdout, listed)
	}
	return printSessions(os.Stdout, listed, time.Now())
}

// list reads page after page of the store, until there are enough. It knows a folder by where its path leads, and not by the path.
func (c *sessionsListCmd) list(ctx context.Context, db *store.Store, f store.Filter) ([]listedSession, error) {
	listed := []listedSession{}
	if c.Cwd == "" {
		f.Limit = c.Limit
	}
	for {
		page, err := db.List(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, r := range page.Sessions {
			if c.Cwd != "" && !sameFolder(r.CWD, c.Cwd) {
				continue
			}
			s := listedSession{ID: r.ID, Title: r.Title, CWD: r.CWD, Created: r.Created.UTC(), Updated: r.Updated.UTC(), Archived: r.Archived}
			if r.Owner != nil {
				s.Process = r.Owner.PID
			}
			if listed = append(listed, s); len(listed) == c.Limit {
				return listed, nil
			}
		}
		if f.Cursor = page.Next; f.Cursor == "" {
			return listed, nil
		}
	}
}

// ask asks an agent, until there are enough.
func (c *sessionsListCmd) ask(ctx context.Context, agent *client.Client) ([]listedSession, error) {
	req := acp.ListSessionsRequest{}
	if c.Archived != "exclude" {
		req.Archived = acp.SessionArchiveFilter(c.Archived)
	}
	all := listSessions(ctx, agent, req)
	if c.Cwd != "" {
		all = sessionsIn(ctx, agent, req, c.Cwd)
	}
	listed := []listedSession{}
	for info, err := range all {
		if err != nil {
			return nil, err
		}
		s := listedSession{ID: info.SessionID, Title: info.Title, CWD: info.CWD, Archived: info.Archived != nil && *info.Archived}
		if at, err := time.Parse(time.RFC3339, info.UpdatedAt); err == nil {
			s.Updated = at.UTC()
		}
		if listed = append(listed, s); len(listed) == c.Limit {
			break
		}
	}
	return listed, nil
}

// mostPages bounds how many pages of a list are read, for agents that never come to an end.
const mostPages = 10_000

var errEndlessList = errors.New("the agent's list of sessions has no end")

// listSessions returns the sessions that an agent has, page after page, each once.
func listSessions(ctx context.Context, c *client.Client, req acp.ListSessionsRequest) iter.Seq2[*acp.SessionInfo, error] {
	return func(yield func(*acp.SessionInfo, error) bool) {
		seen, cursors := map[acp.SessionID]bool{}, map[string]bool{}
		for range mostPages {
			page, err := c.ListSessions(ctx, req)
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range page.Sessions {
				info := &page.Sessions[i]
				if seen[info.SessionID] {
					continue
				}
				if seen[info.SessionID] = true; !yield(info, nil) {
					return
				}
			}
			if req.Cursor = page.NextCursor; req.Cursor == "" {
				return
			}
			if cursors[req.Cursor] {
				break
			}
			cursors[req.Cursor] = true
		}
		yield(nil, errEndlessList)
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
		used := "-"
		if !s.Updated.IsZero() {
			used = age(now.Sub(s.Updated))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", cleanLine(string(s.ID)), used, cleanLine(s.CWD), title)
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
