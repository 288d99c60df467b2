package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/internal/registry"
)

// agentsCmd is `patchbay agents`: which agents there are. docs/agents-by-name.md is its guide.
type agentsCmd struct {
	List    agentsListCmd    `cmd:"" default:"withargs" help:"List the known agents, and which of them are here. That is what patchbay agents alone does."`
	Add     agentsAddCmd     `cmd:"" help:"Give a command of your own a name."`
	Remove  agentsRemoveCmd  `cmd:"" help:"Forget an agent that was added, or remove one that was installed."`
	Install agentsInstallCmd `cmd:"" help:"Install an agent, pinned to a version and a hash."`
	Doctor  agentsDoctorCmd  `cmd:"" help:"Start an agent, and show what it can do and what would not work."`
}

// Help is what `patchbay agents --help` adds.
func (*agentsCmd) Help() string { return "docs/agents-by-name.md says more." }

type agentsListCmd struct {
	Format string `default:"text" enum:"text,json" help:"What to print: text or json."`
	Here   bool   `help:"Only those that are on this computer."`
	Long   bool   `short:"l" help:"Also how each is started, which variables it may have and of which it needs one, and how it is installed."`
}

// A listedAgent is what is printed of an agent.
type listedAgent struct {
	ID      string          `json:"id"`
	Aliases []string        `json:"aliases"`
	Title   string          `json:"title"`
	Site    string          `json:"site,omitempty"`
	Here    bool            `json:"here"`
	InUse   bool            `json:"inUse"`             // if no other is named
	Source  registry.Source `json:"source,omitempty"`  // who has brought it
	Version string          `json:"version,omitempty"` // if it can be told
	Path    string          `json:"path,omitempty"`
	Place   string          `json:"place,omitempty"` // why it was looked for there: "PATH", "nvm"
	Command []string        `json:"command"`         // its words
	Env     []string        `json:"env"`             // the variables that it may have beside those of every program
	Needs   []string        `json:"needs"`           // of which it needs one to work without signing in
	Install string          `json:"install,omitempty"`
	Problem string          `json:"problem,omitempty"`
}

// Run prints the list.
func (c *agentsListCmd) Run() error {
	r, err := registry.Open(registry.Options{})
	if err != nil {
		return err
	}
	chosen := registry.BuiltIn
	if cfg, err := config.Load(config.Options{}); err == nil && cfg.Agent.Value != "" {
		chosen = cfg.Agent.Value
	}
	ctx, stop := untilSignal()
	defer stop()
	all := describeAgents(ctx, r)
	if err := unlessSignalled(ctx, ctx.Err()); err != nil {
		return err
	}
	listed := []listedAgent{}
	for _, a := range all {
		if a.InUse = chosen == a.ID; a.Here || !c.Here {
			listed = append(listed, a)
		}
	}
	if c.Format == "json" {
		return printJSON(os.Stdout, listed)
	}
	if c.Long {
		return printLong(os.Stdout, listed)
	}
	return printAgents(os.Stdout, listed)
}

// atOnce is how many programs are asked for their version at the same time.
const atOnce = 4

// describeAgents looks for all agents.
func describeAgents(ctx context.Context, r *registry.Registry) []listedAgent {
	names := r.Names()
	all := make([]listedAgent, len(names))
	var running sync.WaitGroup
	room := make(chan struct{}, atOnce)
	for i, name := range names {
		running.Go(func() {
			room <- struct{}{}
			defer func() { <-room }()
			all[i] = describeAgent(ctx, r, name)
		})
	}
	running.Wait()
	return all
}

func describeAgent(ctx context.Context, r *registry.Registry, name string) listedAgent {
	if name == registry.BuiltIn {
		path, _ := os.Executable() // without it, the rest is true all the same
		return listedAgent{ID: name, Title: "the built-in agent", Here: true, Version: version(), Path: path, Command: []string{"patchbay", "agent"}}
	}
	a, err := r.Lookup(name)
	if err != nil {
		return listedAgent{ID: name, Title: name, Problem: err.Error()}
	}
	l := listedAgent{
		ID: a.ID, Aliases: a.Aliases, Title: a.Title, Site: a.Site, Command: append([]string{a.Program}, a.Args...), Env: a.Environment, Needs: a.Needs,
	}
	found, err := r.Find(ctx, name)
	switch {
	case registry.IsMissing(err):
		l.Install = a.HowToInstall()
		return l
	case err != nil:
		l.Problem = err.Error()
		return l
	}
	l.Here, l.Source, l.Path, l.Place, l.Version = true, found.Source, found.Path, found.Place.Why, found.Version(ctx)
	l.Command = append([]string{a.Program}, found.Args...)
	return l
}

// printAgents prints a table, a line for each.
func printAgents(w io.Writer, listed []listedAgent) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, " \tagent\ttitle\tversion\twhere")
	for _, a := range listed {
		star := " "
		if a.InUse {
			star = "*"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", star, cleanLine(a.ID), cleanLine(a.Title), orNone(cleanLine(a.Version)), cleanLine(a.where()))
	}
	return flushed(t)
}

// printLong prints all that there is to say, a few lines for each.
func printLong(w io.Writer, listed []listedAgent) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, a := range listed {
		fmt.Fprintf(t, "%s: %s\n", cleanLine(a.ID), cleanLine(a.Title))
		for _, row := range []struct{ name, text string }{
			{"version", a.Version},
			{"where", a.where()},
			{"started as", shellWords(a.Command)},
			{"also called", strings.Join(a.Aliases, ", ")},
			{"needs", strings.Join(a.Needs, " or ")},
			{"may have", strings.Join(a.Env, ", ")},
			{"to install it", a.Install},
			{"see", a.Site},
		} {
			if row.text != "" {
				fmt.Fprintf(t, "  %s\t%s\n", row.name, cleanLine(row.text))
			}
		}
		if err := flushed(t); err != nil {
			return err
		}
	}
	return nil
}

func flushed(t *tabwriter.Writer) error {
	if err := t.Flush(); err != nil {
		return fmt.Errorf("print the agents: %w", err)
	}
	return nil
}

// where says where the agent is, for people.
func (a *listedAgent) where() string {
	switch {
	case a.Problem != "":
		return a.Problem
	case !a.Here:
		return "not here"
	case a.Source == registry.SourceAdded || a.Source == registry.SourceInstalled:
		return a.Path + " (" + string(a.Source) + ")"
	case a.Place != "" && a.Place != "PATH":
		return a.Path + " (" + a.Place + ")"
	}
	return a.Path
}

// pairs reads variables as they are typed: NAME=VALUE.
func pairs(list []string) (map[string]string, error) {
	all := map[string]string{}
	for _, pair := range list {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("%q is not NAME=VALUE", pair)
		}
		all[name] = value
	}
	return all, nil
}
