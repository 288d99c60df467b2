// Package terminal runs commands and keeps the end of their output, for the terminals of clients and for tools.
//
//	t, err := terminal.Start(terminal.Command{Line: "go vet ./... && go test ./...", Dir: "/home/ann/project"})
//	...
//	defer t.Close()
//	exit, err := t.Wait(ctx)
//	out := t.Output()
//
// There is no terminal in the sense of the system: a command has no standard input, no controlling terminal to ask for a
// password on, and writes both of its outputs to one pipe. It starts without helpers and ends with all that it started.
package terminal
