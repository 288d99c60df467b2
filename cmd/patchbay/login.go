package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/patchbay-dev/patchbay/internal/config"
)

// loginCmd is `patchbay login`: it stores a key.
type loginCmd struct {
	Provider string `arg:"" optional:"" help:"Whose key it is, such as anthropic. Default: you are asked."`
}

// Help is what `patchbay login --help` adds.
func (*loginCmd) Help() string {
	return `The key is asked for on the terminal, where it does not show, or read from standard input:

  patchbay login anthropic
  pass show anthropic | patchbay login anthropic

It is stored in a file that only you can read. A variable of the environment, such as ANTHROPIC_API_KEY, takes precedence.`
}

// Run asks for a key and stores it.
func (c *loginCmd) Run() error {
	cfg, err := config.Load(config.Options{})
	if err != nil {
		return err
	}
	in := newKeyReader()
	provider, err := c.provider(cfg, in)
	if err != nil {
		return err
	}
	key, err := in.key(provider.Title)
	if err != nil {
		return err
	}
	if err := cfg.Keys().Set(provider.Name, key); err != nil {
		return err
	}
	fmt.Printf("The key of %s is stored in %s.\n", provider.Title, clean(cfg.Keys().Path()))
	if set := setVariable(provider); set != "" {
		fmt.Fprintf(os.Stderr, "%s is set, too, and takes precedence.\n", set)
	}
	return nil
}

// provider finds out whose key it is. A name that is no provider's may be a key in the wrong place, so it is not repeated.
func (c *loginCmd) provider(cfg *config.Config, in *keyReader) (*config.Provider, error) {
	name := c.Provider
	if name == "" {
		if !in.terminal {
			return nil, &exitError{exitUsage, errors.New("whose key is it? name the provider: patchbay login anthropic")}
		}
		var err error
		if name, err = in.line("Provider (" + strings.Join(wantKeys(cfg), ", ") + "): "); err != nil {
			return nil, err
		}
	}
	p, err := cfg.Provider(name)
	if unknown := (*config.UnknownProviderError)(nil); errors.As(err, &unknown) {
		return nil, &exitError{exitUsage, fmt.Errorf("there is no such provider; known are %s; others are described in patchbay.toml", strings.Join(unknown.Known, ", "))}
	}
	return p, err
}

// wantKeys lists the providers that need a key.
func wantKeys(cfg *config.Config) []string {
	var names []string
	for _, p := range cfg.Providers() {
		if p.NeedsKey {
			names = append(names, p.Name)
		}
	}
	return names
}

// setVariable returns the variable of the environment that holds a provider's key, "" if none does.
func setVariable(p *config.Provider) string {
	for _, name := range p.KeyEnv.Value {
		if strings.TrimSpace(os.Getenv(name)) != "" {
			return name
		}
	}
	return ""
}

// logoutCmd is `patchbay logout`: it forgets a key.
type logoutCmd struct {
	Provider string `arg:"" help:"Whose key to forget, such as anthropic."`
}

// Run forgets a key. That there is none is no failure.
func (c *logoutCmd) Run() error {
	cfg, err := config.Load(config.Options{})
	if err != nil {
		return err
	}
	was, err := cfg.Keys().Forget(c.Provider)
	if err != nil {
		return err
	}
	if was {
		fmt.Printf("The key of %s is forgotten.\n", c.Provider)
	} else {
		fmt.Println("There was no such key.")
	}
	if p, err := cfg.Provider(c.Provider); err == nil {
		if set := setVariable(p); set != "" {
			fmt.Fprintf(os.Stderr, "%s is still set.\n", set)
		}
	}
	return nil
}

// A keyReader reads what the user types, or what another program writes.
type keyReader struct {
	terminal bool // whether standard input is one
	in       *bufio.Reader
}

func newKeyReader() *keyReader {
	return &keyReader{term.IsTerminal(int(os.Stdin.Fd())), bufio.NewReader(io.LimitReader(os.Stdin, 1<<20))}
}

// line asks for a line on the terminal.
func (r *keyReader) line(question string) (string, error) {
	fmt.Fprint(os.Stderr, question)
	line, err := r.in.ReadString('\n')
	if line == "" && err != nil {
		return "", errors.New("nothing was typed")
	}
	return strings.TrimSpace(line), nil
}

// key reads a key: all of standard input, or a line on the terminal, where it doesn't show.
func (r *keyReader) key(title string) (config.Secret, error) {
	if r.terminal {
		return hiddenLine("Key of " + title + " (it does not show): ")
	}
	all, err := io.ReadAll(r.in)
	if err != nil {
		return config.Secret{}, fmt.Errorf("read the key: %w", err)
	}
	return config.NewSecret(strings.TrimSpace(string(all))), nil
}

// hiddenLine reads a line from the terminal without showing it. A signal leaves the terminal as it was.
func hiddenLine(question string) (config.Secret, error) {
	fd := int(os.Stdin.Fd())
	before, err := term.GetState(fd)
	if err != nil {
		return config.Secret{}, fmt.Errorf("read from the terminal: %w", err)
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	type answer struct {
		text []byte
		err  error
	}
	typed := make(chan answer, 1) // the reader is left behind when a signal comes; the process ends then
	fmt.Fprint(os.Stderr, question)
	go func() {
		text, err := term.ReadPassword(fd)
		typed <- answer{text, err}
	}()
	select {
	case a := <-typed:
		fmt.Fprintln(os.Stderr)
		if a.err != nil {
			return config.Secret{}, errors.New("no key was typed")
		}
		return config.NewSecret(strings.TrimSpace(string(a.text))), nil
	case s := <-signals:
		_ = term.Restore(fd, before)
		fmt.Fprintln(os.Stderr)
		code := exitInterrupted
		if s == syscall.SIGTERM {
			code = exitTerminated
		}
		return config.Secret{}, &exitError{code, errors.New("interrupted; nothing was stored")}
	}
}
