package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/policy"
)

// By says who gave an answer.
type By string

// Who gives answers.
const (
	ByPolicy By = "policy" // rules, grants or the mode
	ByUser   By = "user"   // who was asked
	ByNobody By = "nobody" // it had to be asked, and there was nobody, or no answer in time
)

// An Entry is a decision as the log has it.
type Entry struct {
	N    int       `json:"n"` // from 1
	Time time.Time `json:"time"`

	Agent      string         `json:"agent,omitzero"` // name and version, as it says
	Session    acp.SessionID  `json:"session,omitzero"`
	ToolCallID acp.ToolCallID `json:"toolCallId,omitzero"`
	Title      string         `json:"title,omitzero"` // what the agent calls it

	Operation policy.Operation `json:"operation"`
	Call      string           `json:"call"` // what is to be done, as rules see it
	CWD       string           `json:"cwd,omitzero"`

	Verdict policy.Verdict `json:"verdict"` // what the policy makes of it
	Source  policy.Source  `json:"source"`
	Rules   []string       `json:"rules,omitzero"`
	Grants  []string       `json:"grants,omitzero"`
	Reason  string         `json:"reason,omitzero"`

	Allowed bool                     `json:"allowed"` // what came of it
	By      By                       `json:"by"`
	Option  acp.PermissionOptionKind `json:"option,omitzero"` // the kind of the option that was chosen, if one was

	// Granted is set if the user said "always", and has the scope and the rule.
	Granted string `json:"granted,omitzero"`

	Prev string `json:"prev"` // SHA-256 of the line before, without its line feed, in hexadecimal; "" in the first
}

// EntryOf returns an entry for a decision that the policy has made alone. Who has asked somebody changes Allowed and By.
func EntryOf(c policy.Call, d policy.Decision) Entry {
	e := Entry{
		Session: c.Session, Operation: c.Operation(), Call: c.String(), CWD: c.CWD, Verdict: d.Verdict, Source: d.Source, Grants: d.Grants,
		Reason: d.Reason, Allowed: d.Verdict == policy.Allow, By: ByPolicy,
	}
	if c.Unclear != "" {
		e.Call += " (" + c.Unclear + ")"
	}
	for _, r := range d.Rules {
		e.Rules = append(e.Rules, r.String())
	}
	return e
}

// What a line may have of each text, in bytes, and how many of each list.
const (
	maxCall  = 16 << 10
	maxText  = 4 << 10
	maxList  = 64
	maxLine  = 1 << 20
	maxShort = 1 << 10
)

// bounded cuts what would make the line too long.
func (e Entry) bounded() Entry {
	e.Agent, e.Title, e.Reason, e.CWD = clip(e.Agent, maxShort), clip(e.Title, maxText), clip(e.Reason, maxText), clip(e.CWD, maxText)
	e.Session, e.ToolCallID = acp.SessionID(clip(string(e.Session), maxShort)), acp.ToolCallID(clip(string(e.ToolCallID), maxShort))
	e.Option, e.Granted = acp.PermissionOptionKind(clip(string(e.Option), maxShort)), clip(e.Granted, maxText)
	e.Call = clip(e.Call, maxCall)
	e.Rules, e.Grants = clipAll(e.Rules), clipAll(e.Grants)
	return e
}

// clip cuts a text, and says how much there was of it and what: the whole can still be compared.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return strings.ToValidUTF8(text, "\ufffd")
	}
	sum := sha256.Sum256([]byte(text))
	return strings.ToValidUTF8(text[:limit], "\ufffd") + fmt.Sprintf("… (%d bytes, SHA-256 %s)", len(text), hex.EncodeToString(sum[:]))
}

func clipAll(list []string) []string {
	var all []string
	for i, text := range list {
		if i == maxList {
			return append(all, fmt.Sprintf("… (%d more)", len(list)-i))
		}
		all = append(all, clip(text, maxShort))
	}
	return all
}
