package main

import (
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// headCommand is `head FILE`: it sets HEAD to the hash of the last line of an audit log.
func headCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: head FILE")
	}
	ts.Check(ts.Exec("patchbay", "policy", "verify", args[0]))
	_, hash, _ := strings.Cut(ts.ReadFile("stdout"), "\nhead ")
	ts.Setenv("HEAD", strings.TrimSpace(hash))
}
