package coder

import (
	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
)

// childKey is the member of _meta that is about subagents: in what the client is told, and in a list that it asks for
// (S004.13). docs/subagents.md describes it.
const childKey = "patchbay.dev/subagent"

// A kinship is what childKey holds.
type kinship struct {
	SessionID acp.SessionID `json:"sessionId,omitzero"`
	Parent    acp.SessionID `json:"parentSessionId,omitzero"`
}

// aboutChild is the _meta that says whose a session is; nil for one that is nobody's.
func aboutChild(id, parent acp.SessionID) acp.Meta {
	if parent == "" {
		return nil
	}
	text, err := json.Marshal(kinship{id, parent})
	if err != nil {
		return nil // strings always have JSON
	}
	return acp.Meta{childKey: acp.Raw(text)}
}

// parentAsked is the session whose subagents a list asks for; empty for the user's own sessions, which is what lists show
// otherwise (F76).
func parentAsked(req *acp.ListSessionsRequest) acp.SessionID {
	var k kinship
	if raw := req.Meta[childKey]; raw != nil && json.Unmarshal(raw, &k) != nil {
		return ""
	}
	return k.Parent
}
