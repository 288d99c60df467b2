package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"github.com/patchbay-dev/patchbay/policy"
)

type policyGrantsCmd struct {
	Format string `default:"text" enum:"text,json" help:"What to print: text or json."`
}

// Help is what `patchbay policy grants --help` adds.
func (*policyGrantsCmd) Help() string {
	return "Those that were given for a folder or for everywhere are kept. What was said for a session ended with it."
}

// Run prints the list.
func (c *policyGrantsCmd) Run() error {
	kept, err := keptGrants()
	if err != nil {
		return err
	}
	list, err := (&policy.Grants{Store: kept}).Kept()
	if err != nil {
		return err
	}
	if c.Format == "json" {
		return printJSON(os.Stdout, list)
	}
	return printGrants(os.Stdout, list, time.Now())
}

func printGrants(w io.Writer, list []policy.Grant, now time.Time) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "id\tgiven\tanswer\trule\twhere\tasked about")
	for _, g := range list {
		verb, where := "allow", "everywhere"
		if !g.Allow {
			verb = "reject"
		}
		if g.Scope == policy.ScopeWorkspace {
			where = g.Workspace
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", cleanLine(g.ID), age(now.Sub(g.At)), verb, cleanLine(g.Rule.String()), cleanLine(where), cut(cleanLine(g.Shown), 80))
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("print the grants: %w", err)
	}
	return nil
}

type policyRevokeCmd struct {
	IDs []string `arg:"" optional:"" name:"id" help:"Their ids, as patchbay policy grants has them."`
	All bool     `help:"All of them."`
}

// Run takes answers back, as many of them as there are. Processes that run use none of them for their next decision.
func (c *policyRevokeCmd) Run() error {
	if c.All == (len(c.IDs) > 0) {
		return &exitError{exitUsage, errors.New("say which: ids, or --all")}
	}
	kept, err := keptGrants()
	if err != nil {
		return err
	}
	if c.All {
		return kept.Change(func([]policy.Grant) ([]policy.Grant, error) { return nil, nil })
	}
	grants := &policy.Grants{Store: kept}
	var errs []error
	for _, id := range c.IDs {
		was, err := grants.Revoke(id)
		if err == nil && !was {
			err = fmt.Errorf("there is no grant %q", id)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
