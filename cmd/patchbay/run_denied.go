package main

import "github.com/patchbay-dev/patchbay/acp"

// A denial is something that the agent was not allowed to do.
type denial struct {
	ToolCallID acp.ToolCallID `json:"toolCallId"`
	Title      string         `json:"title"`
	Kind       acp.ToolKind   `json:"kind,omitzero"`
	Reason     denialReason   `json:"reason"`
	Rule       string         `json:"rule,omitzero"` // that decided, if one did
}

// A denialReason says who decided so.
type denialReason string

const (
	deniedByUser     denialReason = "user"
	deniedByMode     denialReason = "mode"
	deniedByRule     denialReason = "rule"
	deniedByGrant    denialReason = "grant" // an answer that was kept, or answers that can't be read
	deniedUnattended denialReason = "no_terminal"
	deniedTooLate    denialReason = "no_answer" // in time
	deniedCancelled  denialReason = "cancelled" // with the turn, while the question was open
	deniedNoOption   denialReason = "no_option" // the agent offered no way to allow it, or none but for ever
	deniedUnrecorded denialReason = "audit"     // the log could not be written
)

// unattended reports whether nobody has wanted this.
func (d denialReason) unattended() bool {
	return d == deniedUnattended || d == deniedTooLate || d == deniedNoOption || d == deniedUnrecorded
}
