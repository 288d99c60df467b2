package tool

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
)

// BackgroundJob returns the tool that looks after commands in the background.
func BackgroundJob() *Tool {
	return define(Tool{
		Name: "job",
		Description: "Looks after commands that shell has started in the background: output returns what one has written since " +
			"you looked last, stop ends it, list lists them all.",
		Kind: acp.ToolKindExecute,
	}, prepareJob)
}

type jobInput struct {
	Action string `json:"action" enum:"output,stop,list"`
	ID     string `json:"id,omitzero" jsonschema:"Which one, such as job_1; list needs none."`
	Wait   int    `json:"wait_seconds,omitzero" minimum:"0" maximum:"600" jsonschema:"output: how long to wait for the command to end; the default is 0."`
}

func prepareJob(env Env, in jobInput) (*Job, error) {
	jobs := env.Background()
	if in.Action == "list" {
		return &Job{Title: "List background jobs", Call: harmless, run: func(context.Context) (*Result, error) { return jobs.listing(), nil }}, nil
	}
	c, err := jobs.get(in.ID)
	if err != nil {
		return nil, err
	}
	if in.Action == "stop" {
		return &Job{Title: "Stop `" + c.title + "`", Call: harmless, run: c.stop}, nil
	}
	wait := time.Duration(in.Wait) * time.Second
	return &Job{Title: "Look at `" + c.title + "`", Call: harmless, run: func(ctx context.Context) (*Result, error) {
		if err := c.await(ctx, wait); err != nil {
			return nil, err
		}
		return c.news(ctx, "")
	}}, nil
}

// await waits until the command has ended, but no longer than the time given.
func (c *backgroundCommand) await(ctx context.Context, limit time.Duration) error {
	if err := ctx.Err(); err != nil || limit == 0 {
		return err
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-c.process.Done():
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// stop ends the command, and says what it wrote last. It stays in the list, with its status.
func (c *backgroundCommand) stop(ctx context.Context) (*Result, error) {
	if c.ended() {
		return c.news(ctx, "had ended before")
	}
	c.process.Kill()
	if err := c.await(ctx, endTime); err != nil {
		return nil, err
	}
	if !c.ended() {
		return c.news(ctx, "was told to stop, and still runs")
	}
	return c.news(ctx, "was stopped")
}

// news says what the command has written since it was looked at last. What happened to it is found out if it isn't given.
func (c *backgroundCommand) news(ctx context.Context, what string) (*Result, error) {
	reading, stop := context.WithTimeout(ctx, answerTime)
	defer stop()
	out, err := c.process.Next(reading)
	if err != nil {
		return nil, fmt.Errorf("reading the output of %s: %w", c.id, err)
	}
	if what == "" {
		what = c.state(out)
	}
	summary, body := c.id+" "+what, plainText(out.Text)
	switch {
	case out.Truncated:
		summary += "; it has written too much since you looked last, and this is the end of it"
	case body == "":
		summary += " and has written nothing new"
	}
	return textResult(summary, body), nil
}

func (c *backgroundCommand) state(out *Output) string {
	if !out.Ended {
		return "is running"
	}
	_, how, _ := strings.Cut(out.status(), "The command ")
	return how
}

// listing lists the jobs.
func (b *Background) listing() *Result {
	var list strings.Builder
	jobs := b.all()
	for _, each := range jobs {
		state := "running"
		if each.ended() {
			state = "ended"
		}
		fmt.Fprintf(&list, "%s (%s): %s\n", each.id, state, each.title)
	}
	return textResult(count(len(jobs), "job")+" in the background", list.String())
}
