package tool

import (
	"context"
	"time"
	"unicode/utf8"
)

const (
	// showEvery is how long there is at least between two updates of what people see of a command's output, and maxLive
	// how much of its end they see while it runs, in bytes. So what a command floods us with floods nobody else (F22),
	// and what is sent grows with the time and not with the square of the output (F105).
	showEvery = 100 * time.Millisecond
	maxLive   = 8 << 10

	// endTime is how long a command that is out of time may take to end once it was told to.
	endTime = 5 * time.Second

	// answerTime is how long a client may take to answer for its terminal (F44, F54).
	answerTime = 10 * time.Second
)

// A watch waits for a command, and shows its output as it comes.
type watch struct {
	env     Env
	process Process

	overtime bool // the command took too long and was told to end
	shown    bool // some of its output was shown
}

// wait waits until the command has ended. One that takes longer than timeout is told to end, with what it started.
func (w *watch) wait(ctx context.Context, timeout time.Duration) error {
	limit := time.NewTimer(timeout)
	defer limit.Stop()
	var last time.Time
	var due <-chan time.Time
	grown := w.process.Grown()
	for {
		select {
		case <-w.process.Done():
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-limit.C:
			if w.overtime {
				return nil // it does not end, and is left to Close
			}
			w.overtime = true
			w.process.Kill()
			limit.Reset(endTime)
		case <-grown:
			grown, due = nil, time.After(time.Until(last.Add(showEvery)))
		case <-due:
			due, last = nil, time.Now()
			if err := w.show(ctx); err != nil {
				return err
			}
			grown = w.process.Grown()
		}
	}
}

func (w *watch) show(ctx context.Context) error {
	out, err := w.process.Output(ctx)
	if err != nil {
		return err
	}
	if text := tail(plainText(out.Text), maxLive); text != "" {
		w.shown = w.env.Show(fenced(text)) || w.shown
	}
	return nil
}

// tail returns the end of a text, at most n bytes, from the beginning of a line if there is one and else of a character.
func tail(text string, n int) string {
	if len(text) <= n {
		return text
	}
	text = text[len(text)-n:]
	for i := range len(text) - 1 {
		if text[i] == '\n' {
			return text[i+1:]
		}
	}
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return text
}
