package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"
)

var startRows = []row{
	{value: "p50", title: "p50, ms", digits: 1},
	{value: "max", title: "longest, ms", digits: 1},
}

// runStart starts agents one after the other and waits each time until the answer to initialize has come.
func runStart(j job) (values, error) {
	const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}` + "\n"
	argv := j.Agent
	if j.Stack == ours { // the agent that users start, not the one of this program
		command, remove, err := theCommand()
		if err != nil {
			return nil, err
		}
		defer remove()
		argv = []string{command, "agent"}
	}
	var took []float64
	for range j.Count {
		begin := time.Now()
		p, err := start(argv)
		if err != nil {
			return nil, err
		}
		if _, err = io.WriteString(p.in, initialize); err == nil {
			_, err = bufio.NewReader(p.out).ReadBytes('\n')
		}
		took = append(took, float64(time.Since(begin).Microseconds())/1e3)
		p.stop()
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(took)
	return values{"p50": took[len(took)/2], "max": took[len(took)-1]}, nil
}

// runCommand runs "patchbay run" with the agent of this program, which says one word, from the command's start to its
// end.
func runCommand(j job) (values, error) {
	command, remove, err := theCommand()
	if err != nil {
		return nil, err
	}
	defer remove()
	var took []float64
	for range j.Count {
		cmd := exec.Command(command, append([]string{"run", "count 1", "--"}, j.Agent...)...)
		begin := time.Now()
		out, err := cmd.CombinedOutput()
		took = append(took, float64(time.Since(begin).Microseconds())/1e3)
		if err != nil {
			return nil, fmt.Errorf("patchbay run: %w: %s", err, out)
		}
	}
	slices.Sort(took)
	return values{"p50": took[len(took)/2], "max": took[len(took)-1]}, nil
}

// commandVariable says where the driver has built the command: a build may take longer than a measurement may.
const commandVariable = "BENCH_PATCHBAY"

// theCommand returns where the command patchbay is, and what to call when it is not needed any more.
func theCommand() (path string, remove func(), err error) {
	if path := os.Getenv(commandVariable); path != "" {
		return path, func() {}, nil
	}
	path, err = buildCommand()
	return path, func() { os.Remove(path) }, err
}

// buildCommand builds the command patchbay and returns where it is.
func buildCommand() (string, error) {
	f, err := os.CreateTemp("", "patchbay-*")
	if err != nil {
		return "", err
	}
	path := f.Name()
	if err := f.Close(); err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-o", path, "./cmd/patchbay")
	cmd.Dir = ".." // the main module: this program runs in the folder of its own
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
}
