package main

import (
	"fmt"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// A textView prints for people: the agent's words as they come, and a few lines for everything else. Nothing that an agent
// says reaches the terminal before a cleaner has seen it.
type textView struct {
	*output
	style     style
	terminals *client.Terminals
	seen      bool // whether the output is a terminal
	past      bool // whether there was history

	calls    map[acp.ToolCallID]*shownCall
	children shownSubagents
	plan     string
	speaking string // which message the words that come belong to; empty if something else was printed last
	words    cleaner
	newlines int // how many line feeds were printed last, up to two
}

// A shownCall is what was printed of a tool call.
type shownCall struct {
	title string
	ended bool
	diffs map[string]bool
}

func (v *textView) begin(o *outcome) {
	for _, n := range o.session.State().SubagentTree().All() {
		v.news(n.Subagent) // which are none any more, whether the history was shown or not
	}
	if o.beginning == beginLoad && v.past {
		v.paragraph()
		v.put(v.style.dim("(that was before)") + "\n\n")
	}
}

// history prints what happened before as what happens now, and what the user said as well.
func (v *textView) history(s *client.Session, u acp.SessionUpdate) {
	v.past = true
	if said, ok := u.(*acp.UserMessageChunk); ok {
		v.say("user "+string(said.MessageID), said.Content, byUser)
		return
	}
	v.update(s, u)
}

// Who says a piece of a message.
const (
	byAgent = ""
	thought = "thinking: "
	byUser  = "> "
)

func (v *textView) update(s *client.Session, u acp.SessionUpdate) {
	defer v.subagents(s, u)
	if s.Parent() != nil {
		return
	}
	switch u := u.(type) {
	case *acp.AgentMessageChunk:
		v.say("message "+string(u.MessageID), u.Content, byAgent)
	case *acp.AgentThoughtChunk:
		v.say("thought "+string(u.MessageID), u.Content, thought)
	case *acp.ToolCall:
		v.toolCall(s, u.ToolCallID)
	case *acp.ToolCallUpdate:
		v.toolCall(s, u.ToolCallID)
	case *acp.Plan, *acp.PlanUpdate:
		v.showPlan(s.State().Plan())
	case *acp.Notice:
		v.block(v.style.bold(cleanLine(u.Title)) + "\n" + indent(clean(u.Description)))
	case *acp.CompactionUpdate:
		v.block(v.style.dim("The agent's context is being shortened: "+cleanLine(string(u.Status))) + "\n")
	}
}

// say prints a piece of a message.
func (v *textView) say(message string, content acp.ContentBlock, who string) {
	if v.speaking != message {
		v.paragraph()
		v.words = cleaner{}
		v.speaking = message
		v.put(v.style.dim(who))
	}
	text := v.words.clean(textOf(content))
	if who == thought {
		text = v.style.dim(text)
	}
	v.put(text)
}

// textOf returns what there is to read in a block.
func textOf(content acp.ContentBlock) string {
	switch c := content.(type) {
	case *acp.TextContent:
		return c.Text
	case *acp.ImageContent:
		return "[image, " + c.MIMEType + "]"
	case *acp.AudioContent:
		return "[audio, " + c.MIMEType + "]"
	case *acp.ResourceLink:
		return "[" + c.Name + ": " + c.URI + "]"
	case *acp.EmbeddedResource:
		return "[resource]"
	}
	return "[something that is not known]"
}

// paragraph ends what was printed before, with an empty line after it.
func (v *textView) paragraph() {
	v.endLine()
	if v.newlines < 2 {
		v.put("\n")
	}
}

// endLine makes sure that what follows begins a line.
func (v *textView) endLine() {
	if v.newlines == 0 {
		v.put("\n")
	}
	v.speaking = ""
}

// block prints lines that are no words of a message.
func (v *textView) block(lines string) {
	v.endLine()
	v.put(lines)
}

func (v *textView) put(text string) {
	if text == "" {
		return
	}
	v.write([]byte(text))
	rest := strings.TrimRight(text, "\n")
	if rest != "" {
		v.newlines = 0
	}
	v.newlines = min(v.newlines+len(text)-len(rest), 2)
}

func (v *textView) showPlan(entries []acp.PlanEntry) {
	var b strings.Builder
	for _, e := range entries {
		mark := map[acp.PlanEntryStatus]string{acp.PlanEntryStatusCompleted: "x", acp.PlanEntryStatusInProgress: ">"}[e.Status]
		if mark == "" {
			mark = " "
		}
		fmt.Fprintf(&b, "  [%s] %s\n", mark, cleanLine(e.Content))
	}
	if plan := b.String(); plan != "" && plan != v.plan {
		v.plan = plan
		v.block("plan:\n" + plan)
	}
}

func (v *textView) question(_ *client.Session, call *client.ToolCall) (seen bool) {
	v.announce(call)
	v.diffs(call)
	if input := inputOf(call); input != "" && len(call.Diffs()) == 0 {
		v.block(v.style.dim("  "+input) + "\n")
	}
	return v.seen
}

func (v *textView) decided(d *decision) {
	if d.allowed {
		return
	}
	why := map[string]string{
		string(deniedByUser):     "you said so",
		string(deniedByMode):     "the permission mode says so",
		string(deniedByRule):     "the rule " + d.rule + " says so",
		string(deniedByGrant):    "an answer that is kept says so, or those can't be read (see patchbay policy grants)",
		string(deniedUnattended): "there is no terminal to ask on (see --permissions)",
		string(deniedTooLate):    "nobody has answered in time",
		string(deniedCancelled):  "the turn is cancelled",
		string(deniedNoOption):   "the agent offers no such answer, or offers it for ever only",
		string(deniedUnrecorded): "it can't be written down",
	}[d.by]
	v.endLine()
	warn(fmt.Sprintf("denied, since %s: %s", why, titleOf(d.call)))
}

func (v *textView) note(text string) {
	v.endLine()
	warn(text)
}

func (v *textView) end(*outcome) error {
	v.endLine()
	return v.err
}
