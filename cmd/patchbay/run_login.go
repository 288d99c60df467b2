package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"github.com/patchbay-dev/patchbay/client"
)

// login runs the command of a sign-in on the terminal, if the user agrees who has seen it: what it is the agent says, and no
// sandbox of the agent's need hold it.
func (r *run) login(ctx context.Context, cmd *exec.Cmd) error {
	r.asker.mu.Lock()
	defer r.asker.mu.Unlock()
	fmt.Fprintf(r.asker.out, "To sign in, the agent wants this to run on the terminal:\n  %s\n", cleanLine(fmt.Sprintf("%q", cmd.Args)))
	switch yes, err := r.asker.yesOnce(ctx, "Run it?"); {
	case err != nil:
		return err
	case !yes:
		return errors.New("the user did not want it to run")
	}
	return client.RunOnTerminal(ctx, cmd)
}

// yesOnce is yes before another program reads the terminal: nothing here goes on reading it. All but yes is no.
func (a *asker) yesOnce(ctx context.Context, question string) (bool, error) {
	if a.lines != nil {
		return a.yes(ctx, question)
	}
	dropInput(a.in)
	fmt.Fprintf(a.out, "%s y or n: ", question)
	typed := make(chan string, 1)
	go func() { // left behind only when ctx has ended, and the process is about to
		defer close(typed)
		var line []byte
		for b := make([]byte, 1); ; {
			n, err := a.in.Read(b)
			if err != nil {
				return
			}
			if n == 1 && b[0] == '\n' {
				break
			}
			line = append(line, b[:n]...)
		}
		typed <- string(line)
	}()
	select {
	case line, ok := <-typed:
		if !ok {
			return false, errNoAnswer
		}
		line = strings.ToLower(strings.TrimSpace(line))
		return line == "y" || line == "yes", nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}
