package main

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// A view prints what happens in one of the formats. Its methods are called one at a time.
type view interface {
	// begin is called when the session has been opened.
	begin(o *outcome)

	// history is called for each update of what happened before the session was opened, which comes before begin.
	history(s *client.Session, u acp.SessionUpdate)

	// update is called for each update. The session's State has it already.
	update(s *client.Session, u acp.SessionUpdate)

	// question is called before the user is asked about a tool call, and reports whether it shows what that would do.
	question(s *client.Session, call *client.ToolCall) (seen bool)

	// decided is called when a permission request has been answered.
	decided(d *decision)

	// note is called for what is worth to know and no part of the conversation.
	note(text string)

	// end is called last.
	end(o *outcome) error

	// failed returns the first error of writing.
	failed() error
}

// newView returns the view of a format.
func newView(format string, out *os.File, terminals *client.Terminals) view {
	w := &output{w: out}
	switch format {
	case "json":
		return &jsonView{output: w}
	case "ndjson":
		return &eventView{output: w}
	case "quiet":
		return &quietView{w, term.IsTerminal(int(out.Fd()))}
	}
	return &textView{output: w, style: newStyle(out), seen: term.IsTerminal(int(out.Fd())), terminals: terminals, calls: map[acp.ToolCallID]*shownCall{}, newlines: 2}
}

// An output remembers the first error of writing and writes nothing after it.
type output struct {
	w   io.Writer
	err error
}

func (o *output) write(text []byte) {
	if o.err == nil {
		_, o.err = o.w.Write(text)
	}
}

func (o *output) failed() error { return o.err }
