package acp

// A Notice tells the user something that is not part of the session's history. It may get lost: what the user has to
// see belongs in a message. It needs ClientSessionCapabilities.Notices.
type Notice struct {
	// Severity says how to show the notice.
	Severity NoticeSeverity `json:"severity"`

	// Title is plain text that can stand alone. It is not empty.
	Title string `json:"title"`

	// Description is plain text that says more.
	Description string `json:"description,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A NoticeSeverity says how to show a notice.
type NoticeSeverity string

// The severities of a notice.
const (
	NoticeSeverityInfo    NoticeSeverity = "info"
	NoticeSeverityWarning NoticeSeverity = "warning"
	NoticeSeverityError   NoticeSeverity = "error"
)

var noticeSeverities = enum(NoticeSeverityInfo, NoticeSeverityWarning, NoticeSeverityError)

// Known reports whether the protocol defines the severity.
func (s NoticeSeverity) Known() bool { return noticeSeverities.has(s) }
