package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

type sessionsResumeCmd struct {
	sessionFlags `embed:""`
	sessionID    `embed:""`
	Prompt       []string `arg:"" optional:"" help:"What to ask the agent for. Without it, the command that does so is printed."`
	Cwd          string   `placeholder:"DIR" help:"The folder to work in. Default: the one that the session is listed with, or else this one."`
}

// Run goes on with a session, as patchbay run --resume.
func (c *sessionsResumeCmd) Run() error {
	prompt := strings.Join(c.Prompt, " ")
	folder, err := c.folder()
	if err != nil && prompt != "" {
		return err
	}
	if prompt != "" {
		return execute(c.args(folder, prompt))
	}
	_, err = fmt.Println("patchbay " + shellWords(c.args(folder, "…")))
	return err
}

// args are those of the command that goes on.
func (c *sessionsResumeCmd) args(folder, prompt string) []string {
	args := []string{"run", "--resume=" + string(c.Session)}
	for _, f := range []struct{ name, value string }{{"cwd", folder}, {"agent", c.Agent}, {"auth", c.Auth}} {
		if f.value != "" {
			args = append(args, "--"+f.name+"="+f.value)
		}
	}
	for _, name := range c.EnvAllow {
		args = append(args, "--env-allow="+name)
	}
	if c.Timeout != 0 {
		args = append(args, "--timeout="+c.Timeout.String())
	}
	args = append(args, prompt)
	if len(c.Words) > 0 {
		args = append(append(args, "--"), c.Words...)
	}
	return args
}

// folder returns the folder to work in, "" for this one.
func (c *sessionsResumeCmd) folder() (dir string, err error) {
	if c.Cwd != "" {
		return c.Cwd, nil
	}
	err = c.eachOf(c.ids(), func(ctx context.Context, agent *client.Client, id acp.SessionID) error {
		info, err := findSession(ctx, agent, id)
		if err == nil {
			dir = info.CWD
		}
		return err
	})
	if err != nil || dir == "" || sameFolder(dir, realPath(".")) {
		return "", err
	}
	if _, err := os.Stat(dir); err != nil {
		warn("the folder of the session is not there, so this one takes its place: " + err.Error())
		return "", nil
	}
	return dir, nil
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
