package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/term"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/policy"
)

// An asker asks the user on the terminal. Questions go to standard error, so that they are no part of the output; answers
// are lines of standard input.
type asker struct {
	terminal bool // whether there is one to ask on
	in       *os.File
	out      io.Writer
	style    style

	mu sync.Mutex // held while a question is open, and while something else is printed

	lines chan string // what is typed; nil before the first question, closed at the end of input
}

func newAsker() *asker {
	return &asker{
		terminal: term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd())),
		in:       os.Stdin,
		out:      os.Stderr,
		style:    newStyle(os.Stderr),
	}
}

// show prints what a question is about.
func (a *asker) show(call *client.ToolCall) {
	for _, d := range call.Diffs() {
		fmt.Fprint(a.out, a.style.unified(d))
	}
	if len(call.Diffs()) == 0 && len(call.RawInput) > 0 {
		fmt.Fprintln(a.out, inputOf(call))
	}
}

// inputOf returns the arguments of a tool on a line. A title may say anything.
func inputOf(call *client.ToolCall) string { return cut(cleanLine(string(call.RawInput)), 500) }

// ask lets the user choose an option, or say "always" here where that has a meaning. When ctx ends, or the user ends the
// input, the answer is "cancelled". The caller holds the lock.
func (a *asker) ask(ctx context.Context, title string, options []acp.PermissionOption, always *lasting) (acp.RequestPermissionOutcome, *policy.Grant) {
	if len(options) == 0 || ctx.Err() != nil {
		return acp.PermissionCancelled(), nil
	}
	a.forget()
	fmt.Fprintf(a.out, "The agent asks for permission: %s\n", title)
	for i, o := range options {
		fmt.Fprintf(a.out, "  %d) %s\n", i+1, cleanLine(o.Name))
	}
	for _, line := range always.offers(options) {
		fmt.Fprintf(a.out, "  %s\n", line)
	}
	for {
		fmt.Fprintf(a.out, "Choose 1-%d, or y or n: ", len(options))
		line, err := a.line(ctx)
		if err != nil {
			fmt.Fprintln(a.out)
			return acp.PermissionCancelled(), nil
		}
		if outcome, granted := always.read(line, options); outcome != nil {
			return outcome, granted
		}
		if outcome := read(line, options); outcome != nil {
			return outcome, nil
		}
	}
}

// read returns what an answer means, nil if nothing.
func read(line string, options []acp.PermissionOption) acp.RequestPermissionOutcome {
	line = strings.ToLower(strings.TrimSpace(line))
	switch line {
	case "y", "yes":
		return chosen(client.Select(options, acp.PermissionOptionKindAllowOnce))
	case "n", "no":
		return choose(policy.Deny, options)
	}
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(options) {
		return acp.PermissionSelected(options[n-1].OptionID)
	}
	return nil
}

// chosen returns nil for no choice: who says yes to what can't be allowed once has to choose by number.
func chosen(o acp.RequestPermissionOutcome) acp.RequestPermissionOutcome {
	if _, ok := o.(*acp.SelectedPermissionOutcome); ok {
		return o
	}
	return nil
}

// forget drops what was typed before a question was there to be read.
func (a *asker) forget() {
	dropInput(a.in)
	if a.lines == nil {
		a.lines = make(chan string)
		go a.read()
	}
	for {
		select {
		case _, open := <-a.lines:
			if open {
				continue
			}
		default:
		}
		return
	}
}

// read hands over lines. It blocks in the terminal until the process ends, and begins with the first question only, since
// a process in the background may not read.
func (a *asker) read() {
	defer close(a.lines)
	in := bufio.NewScanner(a.in)
	for in.Scan() {
		a.lines <- in.Text()
	}
}

var errNoAnswer = errors.New("the input has ended")

func (a *asker) line(ctx context.Context) (string, error) {
	select {
	case line, open := <-a.lines:
		if !open {
			return "", errNoAnswer
		}
		return line, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
