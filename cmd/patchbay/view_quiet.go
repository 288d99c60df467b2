package main

import (
	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// A quietView prints the agent's answer when all is over, and nothing else. What is wrong is on standard error.
type quietView struct {
	*output
	seen bool // whether the output is a terminal
}

func (v *quietView) begin(*outcome)                                  {}
func (v *quietView) history(*client.Session, acp.SessionUpdate)      {}
func (v *quietView) update(*client.Session, acp.SessionUpdate)       {}
func (v *quietView) question(*client.Session, *client.ToolCall) bool { return false }
func (v *quietView) decided(*decision)                               {}
func (v *quietView) note(text string)                                { warn(text) }

// end prints the last message of a turn that came to an end by itself. A file or a program gets it as it is.
func (v *quietView) end(o *outcome) error {
	if o.result == nil || o.result.StopReason == acp.StopReasonCancelled {
		return v.err
	}
	answer := o.answer()
	if answer == "" {
		if o.end == nil {
			warn("the agent has done its turn without an answer")
		}
		return v.err
	}
	if v.seen {
		answer = clean(answer)
	}
	v.write([]byte(answer + "\n"))
	return v.err
}
