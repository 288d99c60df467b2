package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/patchbay-dev/patchbay/policy"
)

// policyCmd is `patchbay policy`: what agents may do, as run decides it. docs/policy.md is its guide.
type policyCmd struct {
	Explain policyExplainCmd `cmd:"" help:"Say what becomes of a call, which rule decides, and why."`
	Test    policyTestCmd    `cmd:"" help:"Run the tests in policy files."`
	Grants  policyGrantsCmd  `cmd:"" help:"List the answers that were given with \"always\"."`
	Revoke  policyRevokeCmd  `cmd:"" help:"Take such answers back."`
	Verify  policyVerifyCmd  `cmd:"" help:"Check the log of decisions."`
}

// policyPlace is where calls are judged.
type policyPlace struct {
	Cwd string `placeholder:"DIR" help:"The folder that the session would work in. Default: this one."`
}

func (f policyPlace) place() (policy.Place, error) {
	dir, err := filepath.Abs(f.Cwd) // "" is this one
	if err != nil {
		return policy.Place{}, fmt.Errorf("--cwd: %w", err)
	}
	return policy.Place{CWD: dir}, nil
}

type policyExplainCmd struct {
	Call string `arg:"" help:"What the agent would do, such as 'Bash(git push --force)', 'Edit(src/main.go)' or mcp__github__create_issue; or a permission request as JSON."`
	ruleFlags
	policyPlace
	Format string `default:"text" enum:"text,json" help:"What to print: text or json."`
}

// Help is what `patchbay policy explain --help` adds.
func (*policyExplainCmd) Help() string {
	return "The same flags and files count as for patchbay run. Nothing is asked, and no answer is used up."
}

// Run prints the explanation.
func (c *policyExplainCmd) Run() error {
	place, err := c.place()
	if err != nil {
		return &exitError{exitUsage, err}
	}
	book, _, err := c.rulebook(place.CWD, settings{})
	if err != nil {
		return &exitError{exitUsage, err}
	}
	call, err := policy.ParseCall(place, c.Call)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	e := book.explain(call)
	if c.Format == "json" {
		return printJSON(os.Stdout, e)
	}
	_, err = fmt.Print(clean(e.String()))
	return err
}
