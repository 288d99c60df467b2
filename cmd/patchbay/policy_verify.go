package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"time"

	"github.com/patchbay-dev/patchbay/policy/ledger"
)

type policyVerifyCmd struct {
	File   string  `arg:"" optional:"" help:"The log. Default: the one in the state folder."`
	Head   *string `placeholder:"HASH" help:"The hash of a line that was the last one once, as this command printed it then: the log has to have it still."`
	Format string  `default:"text" enum:"text,json" help:"What to print: text or json."`
}

// Help is what `patchbay policy verify --help` adds.
func (*policyVerifyCmd) Help() string {
	return `Each line has the hash of the one before, so that a line that was changed, added or taken out is found, unless all that comes after it was written anew. Lines cut off at the end, and a last line that was changed, are found with --head alone: keep what this prints where whoever writes the log can't. The exit status is 1 for a log that is broken.`
}

// A verified log is what is printed of it.
type verified struct {
	File string `json:"file"`
	ledger.Summary
	Broken string `json:"broken,omitzero"` // where, and how
}

// Run checks the log.
func (c *policyVerifyCmd) Run() error {
	name := c.File
	if name == "" {
		var err error
		if name, err = policyState("audit.jsonl"); err != nil {
			return err
		}
	}
	head := ""
	if c.Head != nil {
		if head = *c.Head; !isHash(head) { // an empty one, from a variable that isn't set, would check nothing
			return &exitError{exitUsage, fmt.Errorf("--head: %q is no hash as this command prints it", head)}
		}
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return &exitError{exitUsage, fmt.Errorf("%s is a folder", name)}
	}
	f, err := os.Open(name)
	if err != nil {
		return &exitError{exitUsage, err}
	}
	defer f.Close()
	v := verified{File: name}
	v.Summary, err = ledger.Verify(f, head)
	if err != nil {
		v.Broken = err.Error()
	}
	if c.Format == "json" {
		if err := printJSON(os.Stdout, v); err != nil {
			return err
		}
	} else {
		v.print()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (v *verified) print() {
	if v.Broken != "" {
		fmt.Printf("%s: whole up to line %d\n", cleanLine(v.File), v.Lines)
		return
	}
	fmt.Printf("%s: %d lines, %d allowed, %d denied", cleanLine(v.File), v.Lines, v.Allowed, v.Denied)
	if v.Lines > 0 {
		fmt.Printf(", from %s to %s\nhead %s", v.First.Format(time.RFC3339), v.Last.Format(time.RFC3339), v.Hash)
	}
	fmt.Println()
}

func isHash(text string) bool {
	sum, err := hex.DecodeString(text)
	return err == nil && len(sum) == sha256.Size
}
