package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/patchbay-dev/patchbay/internal/registry"
)

// maxListed is how many of many values are shown to people.
const maxListed = 12

// print prints a diagnosis for people.
func (d *diagnosis) print(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) {
		fmt.Fprintf(t, "%s\t%s\n", name, cleanLine(fmt.Sprintf(format, args...)))
	}
	row("agent", "%s", d.Agent)
	if f := d.Found; f != nil {
		row("command", "%s", strings.Join(append([]string{f.Path}, f.Args...), " "))
		if f.Source != "" {
			row("found", "%s", f.where())
			row("version", "%s", orNone(f.Version))
		}
		if f.Hash != "" {
			row("hash", "%s", f.Hash)
		}
	}
	for i, p := range d.Looked {
		name := ""
		if i == 0 {
			name = "not in"
		}
		row(name, "%s (%s)", p.Dir, p.Why)
	}
	if d.Hello != nil {
		d.Hello.print(row)
	}
	if d.Session != nil {
		d.Session.print(row)
	}
	for _, note := range d.Notes {
		row("note", "%s", note)
	}
	if d.Works {
		row("result", "it works")
	} else {
		row("result", "it can't be used")
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("print the diagnosis: %w", err)
	}
	return nil
}

// where says who has brought the agent.
func (f *foundAgent) where() string {
	switch f.Source {
	case registry.SourceInstalled:
		return "installed by patchbay agents install"
	case registry.SourceAdded:
		return "added by patchbay agents add"
	}
	return "by " + f.Place
}

func (h *hello) print(row func(name, format string, args ...any)) {
	row("handshake", "version %d of the protocol, after %d ms", h.ProtocolVersion, h.Milliseconds)
	row("says it is", "%s %s", orNone(h.Name), h.Version)
	row("has", "%s", orNone(strings.Join(h.Has, ", ")))
	row("lacks", "%s", orNone(strings.Join(h.Lacks, ", ")))
	row("prompts", "%s", strings.Join(append([]string{"text", "links"}, h.Prompt...), ", "))
	row("MCP servers", "%s", strings.Join(append([]string{"stdio"}, h.MCP...), ", "))
	var ways []string
	for _, s := range h.SignIns {
		way := s.ID
		if way == "" {
			way = "one that can't be used here"
		}
		if s.Type != "agent" {
			way += " (" + s.Type + ")"
		}
		ways = append(ways, way)
	}
	row("signing in", "%s", orNone(strings.Join(ways, ", ")))
}

func (s *newSession) print(row func(name, format string, args ...any)) {
	if s.Error != "" {
		row("session", "could not be started")
		return
	}
	row("session", "started after %d ms, without signing in", s.Milliseconds)
	row("modes", "%s", choices(s.Mode, s.Modes))
	row("models", "%s", choices(s.Model, s.Models))
	for _, o := range s.Options {
		row("option "+cleanLine(o.ID), "%s", choices(o.Value, o.Of))
	}
}

// choices lists what there is to choose from, the chosen one first.
func choices(chosen string, all []string) string {
	list := []string{}
	if chosen != "" {
		list = append(list, chosen+" (now)")
	}
	for _, word := range all {
		if word != chosen {
			list = append(list, word)
		}
	}
	if more := len(list) - maxListed; more > 0 {
		list = append(list[:maxListed], fmt.Sprintf("and %d more", more))
	}
	return orNone(strings.Join(list, ", "))
}
