package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/policy"
)

type policyTestCmd struct {
	Files []string `arg:"" help:"The policy files."`
	policyPlace
	Format string `default:"text" enum:"text,json" help:"What to print: text or json."`
}

// Help is what `patchbay policy test --help` adds.
func (*policyTestCmd) Help() string {
	return `A file is tested as it stands: patchbay.toml, flags and kept answers don't count, and links are not followed. A test looks like this:

  [[test]]
  call = 'Bash(git push --force)'
  verdict = "deny"            # or "ask", or "allow"
  rule = 'Bash(git push *)'   # if it matters by which rule
  cwd = "/home/me/project"    # if it matters where

The exit status is 1 if a test fails, and 2 if a file can't be read.`
}

// A checkedFile is what became of the tests of a file.
type checkedFile struct {
	File   string        `json:"file"`
	Tests  int           `json:"tests"`
	Failed []checkedTest `json:"failed"`
}

// A checkedTest is a test that failed.
type checkedTest struct {
	Line int             `json:"line"`
	Want policy.Test     `json:"want"`
	Got  policy.Decision `json:"got"`
	text string
}

// Run runs the tests.
func (c *policyTestCmd) Run() error {
	place, err := c.place()
	if err != nil {
		return &exitError{exitUsage, err}
	}
	checked := []checkedFile{}
	failed := 0
	for _, name := range c.Files {
		one, err := checkFile(place, name)
		if err != nil {
			return &exitError{exitUsage, err}
		}
		checked = append(checked, one)
		failed += len(one.Failed)
	}
	if c.Format == "json" {
		err = printJSON(os.Stdout, checked)
	} else {
		printChecked(checked)
	}
	if err == nil && failed > 0 {
		err = fmt.Errorf("policy tests that failed: %d", failed)
	}
	return err
}

func checkFile(place policy.Place, name string) (checkedFile, error) {
	file, err := config.ReadPolicy(name)
	if err != nil {
		return checkedFile{}, err
	}
	p := &policy.Policy{Mode: file.Permissions, Allow: file.Allow, Ask: file.Ask, Deny: file.Deny}
	checked := checkedFile{File: name, Tests: len(file.Tests), Failed: []checkedTest{}}
	for _, t := range file.Tests {
		at := place
		if t.CWD != "" {
			at.CWD = t.CWD
		}
		call, err := policy.ParseCall(at, t.Call)
		if err != nil {
			return checkedFile{}, &config.Error{At: t.At, Message: err.Error()}
		}
		if m, wrong := errors.AsType[*policy.Mismatch](t.Check(decide(p, call))); wrong {
			checked.Failed = append(checked.Failed, checkedTest{t.At.Line, m.Test, m.Got, m.Error()})
		}
	}
	return checked, nil
}

// printChecked prints what failed, each with its place, and how many did not.
func printChecked(checked []checkedFile) {
	for _, f := range checked {
		for _, t := range f.Failed {
			fmt.Printf("%s:%d: %s\n", cleanLine(f.File), t.Line, clean(t.text))
		}
		switch {
		case f.Tests == 0:
			fmt.Printf("%s: no tests\n", cleanLine(f.File))
		default:
			fmt.Printf("%s: %d of %d tests passed\n", cleanLine(f.File), f.Tests-len(f.Failed), f.Tests)
		}
	}
}
