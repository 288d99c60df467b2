package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/internal/registry"
)

type agentsAddCmd struct {
	Name  string   `arg:"" help:"The name, such as mine. One of a known agent replaces that."`
	Env   []string `placeholder:"NAME=VALUE" sep:"none" help:"A variable for the agent; several if given several times."`
	Pass  []string `placeholder:"NAME" sep:"none" help:"Which variables of yours the agent gets beside those of every program; NAME* for all that begin so. Default: all."`
	Words []string `kong:"-"` // what stands after --
}

// Help is what `patchbay agents add --help` adds.
func (*agentsAddCmd) Help() string {
	return `The command stands after --:

  patchbay agents add mine --env LOG=debug -- node ~/src/agent/main.js --acp
  patchbay run --agent mine "find TODO"`
}

func (c *agentsAddCmd) take(words []string) error {
	c.Words = words
	return nil
}

// Run adds an agent.
func (c *agentsAddCmd) Run() error {
	if len(c.Words) == 0 {
		return &exitError{exitUsage, errors.New("the command of the agent stands after --, such as: patchbay agents add mine -- some-agent --acp")}
	}
	env, err := pairs(c.Env)
	if err != nil {
		return &exitError{exitUsage, fmt.Errorf("--env: %w", err)}
	}
	if err := config.AgentName(c.Name); err != nil {
		return &exitError{exitUsage, err}
	}
	r, err := registry.Open(registry.Options{})
	if err != nil {
		return err
	}
	words := c.Words
	if strings.ContainsRune(words[0], filepath.Separator) || strings.Contains(words[0], "/") { // it will be started elsewhere
		if words[0], err = filepath.Abs(words[0]); err != nil {
			return err
		}
	}
	if err := r.Add(c.Name, registry.Added{Command: words, Env: env, Environment: c.Pass}); err != nil {
		return err
	}
	fmt.Printf("The agent %s is in %s.\n", c.Name, clean(r.AddedFile()))
	if _, err := r.Find(context.Background(), c.Name); err != nil {
		fmt.Fprintln(os.Stderr, clean(err.Error()))
	}
	return nil
}

type agentsRemoveCmd struct {
	Name string `arg:"" help:"Its name."`
}

// Run removes what was added under a name, and what was installed if nothing was.
func (c *agentsRemoveCmd) Run() error {
	r, err := registry.Open(registry.Options{})
	if err != nil {
		return err
	}
	if r.IsAdded(c.Name) {
		if err := r.Remove(c.Name); err != nil {
			return err
		}
		fmt.Printf("The agent %s is not known any more.\n", c.Name)
		return nil
	}
	was, err := r.Uninstall(c.Name)
	if err != nil {
		return err
	}
	if !was {
		return fmt.Errorf("no agent %q was added or installed here", c.Name)
	}
	fmt.Printf("The agent %s is removed.\n", c.Name)
	return nil
}

type agentsInstallCmd struct {
	Name         string `arg:"" help:"Its name, here or in the registry's file."`
	RegistryFile string `name:"registry" type:"path" placeholder:"FILE" help:"A file in the format of the public ACP registry that says where the agent comes from. Default: npm, if the agent is known to come from there."`
	AtVersion    string `name:"at" placeholder:"VERSION" help:"Which version of the npm package, where there is no registry. Default: the newest one for this version of Node."`
	From         string `default:"" enum:",npm,binary" placeholder:"npm|binary" help:"Which one, if it comes both ways. Default: the binary if its hash is known."`
	Hash         string `placeholder:"HASH" help:"What it has to be: sha256:... of an archive, or sha512-... of an npm package."`
	Unverified   bool   `help:"Accept an archive whose hash nobody names."`
	Scripts      bool   `help:"Let the scripts of npm packages run while they are installed. Some agents need that."`
}

// Help is what `patchbay agents install --help` adds.
func (*agentsInstallCmd) Help() string {
	return `Whatever is installed is kept in a folder of your own, with its version and its hash. It is started from there, without asking the network for anything, until another version is installed or it is removed.

  patchbay agents install gemini --at 0.61.0
  patchbay agents install opencode --registry registry.json --hash sha256:0123...`
}

// Run installs an agent.
func (c *agentsInstallCmd) Run() error {
	if c.RegistryFile != "" && c.AtVersion != "" {
		return &exitError{exitUsage, errors.New("--at is for what comes without a registry, which says the version itself")}
	}
	ctx, stop := untilSignal()
	defer stop()
	r, err := registry.Open(registry.Options{})
	if err != nil {
		return err
	}
	m, err := r.Install(ctx, registry.Installation{
		Name: c.Name, Registry: c.RegistryFile, Version: c.AtVersion, From: c.From, Hash: c.Hash, Unverified: c.Unverified, Scripts: c.Scripts,
		Report: func(text string) { fmt.Fprintln(os.Stderr, clean(text)) },
	})
	if unknown := (*registry.UnknownError)(nil); errors.As(err, &unknown) {
		return &exitError{exitUsage, err}
	}
	if err != nil {
		return unlessSignalled(ctx, err)
	}
	fmt.Printf("%s %s is installed.\nfrom  %s\nhash  %s\n", m.ID, cleanLine(m.Version), clean(m.From), clean(m.Hash))
	return nil
}
