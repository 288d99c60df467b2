package acp

// A CompactionID names a compaction within a session.
type CompactionID string

// A CompactionUpdate says that the agent shortens the session's context, or how far it has come. The first one of an id
// marks the place in the conversation, later ones change it: what is absent stays as it is, null clears. It needs
// ClientSessionCapabilities.Compaction.
type CompactionUpdate struct {
	CompactionID CompactionID     `json:"compactionId"`
	Status       CompactionStatus `json:"status"`

	// Summary is the whole summary, for people. An empty list clears it like null.
	Summary Optional[[]ContentBlock] `json:"summary,omitzero" acp:"lenient,skip"`

	// Error says why the compaction failed, for people.
	Error Optional[string] `json:"error,omitzero" acp:"lenient"`

	// Meta is part of the patch.
	Meta    Optional[Meta] `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown        `json:"-"`
}

// A CompactionSummaryChunk adds a block to the summary of a compaction, which it begins if the id is new. It needs
// ClientSessionCapabilities.Compaction.
type CompactionSummaryChunk struct {
	CompactionID CompactionID `json:"compactionId"`
	Content      ContentBlock `json:"content"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A CompactionStatus says how far a compaction has come.
type CompactionStatus string

// The statuses of a compaction.
const (
	CompactionStatusInProgress CompactionStatus = "in_progress"
	CompactionStatusCompleted  CompactionStatus = "completed"
	CompactionStatusFailed     CompactionStatus = "failed"
	CompactionStatusCancelled  CompactionStatus = "cancelled"
)

var compactionStatuses = enum(CompactionStatusInProgress, CompactionStatusCompleted, CompactionStatusFailed, CompactionStatusCancelled)

// Known reports whether the protocol defines the status.
func (s CompactionStatus) Known() bool { return compactionStatuses.has(s) }
