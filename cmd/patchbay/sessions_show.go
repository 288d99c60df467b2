package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"

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
	t, err := c.read(c.sessionID, c.Cwd)
	if err != nil {
		return err
	}
	if c.Format == "json" {
		return t.json(os.Stdout)
	}
	return t.text(os.Stdout, newStyle(os.Stdout))
}

// read has the agent tell all of a session.
func (f *sessionFlags) read(id sessionID, cwd string) (t *document, err error) {
	err = f.eachOf(id.ids(), func(ctx context.Context, c *client.Client, id acp.SessionID) error {
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
	t, err := c.read(c.sessionID, c.Cwd)
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

// replaceFile writes a file that is there as a whole or not at all. What a link leads to is replaced and not the link; what is no
// file, such as /dev/stdout or a pipe, is written to.
func replaceFile(path string, text []byte) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return writeTo(path, text)
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
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

func writeTo(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
