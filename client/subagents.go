package client

import (
	"iter"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Subagent is an agent that works for the session's agent. A State learns of it in two ways: by the protocol's own
// updates, and, from agents without those, by tool calls whose input has a subagent_type (S004.11). Where both speak of
// the same child session they are one Subagent, whichever comes first. A call that goes on with an earlier child session
// is a Subagent of its own. It never changes; another one takes its place in the State.
type Subagent struct {
	// SessionID names the child session. Empty means that it is not known yet, and may never be.
	SessionID acp.SessionID

	// Call is the tool call that started the subagent, empty if there is none.
	Call acp.ToolCallID

	// Parent is the call within which Call was made. Empty means none, or that the agent does not say.
	Parent acp.ToolCallID

	// Title is what the agent calls the child session. Where it has the form "DESCRIPTION (@TYPE subagent)", and nothing
	// else says them, it gives the description and the type.
	Title       string
	Description string

	// What a tool call says: the type of subagent, its task, the session that it continues, and the slash command that
	// asked for it.
	Type, Prompt, Continues, Command string

	// What the result of a tool call says: the model as provider/model, the last tools that the subagent used, and whether
	// that is not all of them, or the report was cut.
	Model     string
	Tools     []SubagentTool
	Truncated bool

	// Failure is why the tool call failed, empty if it did not or the agent does not say.
	Failure string

	// Status is the furthest that the tool call has come, empty if there is none. Stage puts it together with State.
	Status acp.ToolCallStatus

	// State is what the child session is doing, the last that was known: running, idle, waiting for the user, or
	// something that this package does not know. Nil means that nothing was said.
	State acp.StateUpdate

	// Unconfirmed means that the agent can't see any more whether State still holds.
	Unconfirmed bool

	// Capabilities say what the client may do to the child session, nil for nothing.
	Capabilities *acp.SubagentSessionCapabilities

	// CWD and AdditionalDirectories are where the child session works, empty for where its parent does.
	CWD                   string
	AdditionalDirectories []string

	// Meta and Unknown have the further members of the protocol's updates.
	Meta    acp.Meta
	Unknown acp.Unknown
}

func (*Subagent) entry() {}

// A SubagentTool is a tool that a subagent used.
type SubagentTool struct {
	ID, Tool, Status, Title string
}

// What a State keeps of subagents has bounds, however many an agent starts and whatever it says of them. What is beyond
// them is forgotten: the subagent that ended first, the first tools of a summary, the end of a text. The tool call has it
// still, until Trim.
const (
	maxSubagents     = 1000
	maxSubagentTools = 1000
	maxSubagentText  = 64 << 10 // bytes of a description, a task and the like
)

// A SubagentStage says in a word how far a subagent is.
type SubagentStage string

// The stages of a subagent.
const (
	SubagentPending   SubagentStage = "pending" // it was announced, and has not begun
	SubagentWorking   SubagentStage = "in_progress"
	SubagentWaiting   SubagentStage = "requires_action" // for the user
	SubagentCompleted SubagentStage = "completed"
	SubagentFailed    SubagentStage = "failed"
	SubagentCancelled SubagentStage = "cancelled"
)

// Over reports whether the subagent has ended.
func (s SubagentStage) Over() bool {
	return s == SubagentCompleted || s == SubagentFailed || s == SubagentCancelled
}

// Stage returns how far the subagent is, as its session says or, where that says nothing, as its tool call does.
func (b *Subagent) Stage() SubagentStage {
	switch state := b.State.(type) {
	case *acp.RunningStateUpdate:
		return SubagentWorking
	case *acp.RequiresActionStateUpdate:
		return SubagentWaiting
	case *acp.IdleStateUpdate:
		switch {
		case state.StopReason == acp.IdleStopReasonCancelled:
			return SubagentCancelled
		case state.StopReason == acp.IdleStopReasonError, b.Status == acp.ToolCallStatusFailed:
			return SubagentFailed
		}
		return SubagentCompleted
	}
	switch b.Status {
	case acp.ToolCallStatusCompleted:
		return SubagentCompleted
	case acp.ToolCallStatusFailed:
		return SubagentFailed
	case acp.ToolCallStatusPending:
		return SubagentPending
	case "":
		if b.State == nil {
			return SubagentPending
		}
	}
	return SubagentWorking
}

// Name returns something to call the subagent by, empty if the agent has said nothing of the kind.
func (b *Subagent) Name() string {
	switch {
	case b.Title != "":
		return b.Title
	case b.Type == "":
		return b.Description
	case b.Description == "":
		return "@" + b.Type + " subagent"
	}
	return b.Description + " (@" + b.Type + " subagent)"
}

// Subagents are the subagents of a session at one moment as a tree, in the order in which they appeared. State.SubagentTree
// builds it.
type Subagents []*SubagentNode

// A SubagentNode is a subagent and those that it started.
type SubagentNode struct {
	*Subagent
	Children Subagents
}

// All returns each subagent with its depth, 0 at the top, those of a subagent right after it.
func (a Subagents) All() iter.Seq2[int, *SubagentNode] {
	return func(yield func(int, *SubagentNode) bool) { a.walk(0, yield) }
}

func (a Subagents) walk(depth int, yield func(int, *SubagentNode) bool) bool {
	for _, n := range a {
		if !yield(depth, n) || !n.Children.walk(depth+1, yield) {
			return false
		}
	}
	return true
}

// Session returns the subagent that has a child session, nil if there is none. Of several, which go on with one session, it
// is the one that began it.
func (a Subagents) Session(id acp.SessionID) *SubagentNode {
	var found *SubagentNode
	for _, n := range a.All() {
		if id != "" && n.SessionID == id {
			found = began(found, n)
		}
	}
	return found
}
