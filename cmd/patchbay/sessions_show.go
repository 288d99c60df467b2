package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

type sessionsShowCmd struct {
	sessionFlags `embed:""`
	sessionID    `embed:""`
	Cwd          string `placeholder:"DIR" help:"The folder to open it in. Default: the one that it is listed with, or else this one."`
	Format       string `default:"text" enum:"text,json" help:"What to print: text or json."`
}

// Run prints a session.
func (c *sessionsShowCmd) Run() error {
	t, err := c.read(c.Session, c.Cwd)
	if err != nil {
		return err
	}
	if c.Format == "json" {
		return t.json(os.Stdout)
	}
	return t.text(os.Stdout, newStyle(os.Stdout))
}

// read has the agent tell all of a session.
func (f *sessionFlags) read(id acp.SessionID, cwd string) (t *document, err error) {
	err = f.eachOf([]acp.SessionID{id}, func(ctx context.Context, c *client.Client, id acp.SessionID) error {
		s, info, err := openSession(ctx, c, id, cwd)
		if err != nil {
			return err
		}
		t = newDocument(c, s, info)
		return nil
	})
	return t, err
}

type sessionsExportCmd struct {
	sessionFlags `embed:""`
	sessionID    `embed:""`
	Cwd          string `placeholder:"DIR" help:"The folder to open it in. Default: the one that it is listed with, or else this one."`
	Format       string `default:"markdown" enum:"markdown,json,html" help:"What to write: markdown, json or html."`
	Output       string `short:"o" placeholder:"FILE" help:"The file, which only you can read, and which takes the place of another. Default: standard output."`
}

// Run exports a session.
func (c *sessionsExportCmd) Run() error {
	t, err := c.read(c.Session, c.Cwd)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	switch c.Format {
	case "markdown":
		err = t.markdown(&b)
	case "json":
		err = t.json(&b)
	case "html":
		err = t.html(&b)
	}
	if err != nil {
		return err
	}
	if c.Output == "" {
		_, err = os.Stdout.Write(b.Bytes())
		return err
	}
	return replaceFile(c.Output, b.Bytes())
}

// replaceFile writes a file that is there as a whole or not at all.
func replaceFile(path string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".patchbay-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // which fails once it has its name
	_, err = f.Write(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

type sessionsResumeCmd struct {
	sessionFlags `embed:""`
	sessionID    `embed:""`
	Prompt       []string `arg:"" optional:"" help:"What to ask the agent for. Without it, the command that does so is printed."`
}

// Run goes on with a session, as patchbay run --resume.
func (c *sessionsResumeCmd) Run() error {
	args := []string{"run", "--resume=" + string(c.Session)}
	if c.Agent != "" {
		args = append(args, "--agent="+c.Agent)
	}
	if c.Auth != "" {
		args = append(args, "--auth="+c.Auth)
	}
	prompt := strings.Join(c.Prompt, " ")
	if prompt == "" {
		prompt = "…"
	}
	args = append(args, prompt)
	if len(c.Words) > 0 {
		args = append(append(args, "--"), c.Words...)
	}
	if len(c.Prompt) > 0 {
		return execute(args)
	}
	_, err := fmt.Println("patchbay " + shellWords(args))
	return err
}

// shellWords writes arguments as a shell reads them.
func shellWords(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		if words[i] = arg; arg == "" || strings.ContainsFunc(arg, func(r rune) bool { return !isPlain(r) }) {
			words[i] = "'" + strings.ReplaceAll(clean(arg), "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// isPlain reports whether a character means nothing to a shell.
func isPlain(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_=./:@,%+", r)
}
