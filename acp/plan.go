package acp

// A Plan is what the agent means to do in the session. Each one replaces the one before as a whole.
//
// Spec: agent-plan.
type Plan struct {
	// Entries are all tasks of the plan, in order.
	Entries []PlanEntry `json:"entries" acp:"lenient,skip"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A PlanEntry is a task of a plan.
//
// Spec: agent-plan#plan-entries.
type PlanEntry struct {
	// Content says what is to be done, for people.
	Content string `json:"content"`

	// Priority says how much the task matters to the whole.
	Priority PlanEntryPriority `json:"priority"`

	// Status says how far the task has come.
	Status PlanEntryStatus `json:"status"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A PlanEntryPriority says how much a task matters.
type PlanEntryPriority string

// The priorities of a task.
const (
	PlanEntryPriorityHigh   PlanEntryPriority = "high"
	PlanEntryPriorityMedium PlanEntryPriority = "medium"
	PlanEntryPriorityLow    PlanEntryPriority = "low"
)

var planEntryPriorities = enum(PlanEntryPriorityHigh, PlanEntryPriorityMedium, PlanEntryPriorityLow)

// Known reports whether the protocol defines the priority.
func (p PlanEntryPriority) Known() bool { return planEntryPriorities.has(p) }

// A PlanEntryStatus says how far a task has come.
type PlanEntryStatus string

// The statuses of a task.
const (
	PlanEntryStatusPending    PlanEntryStatus = "pending"
	PlanEntryStatusInProgress PlanEntryStatus = "in_progress"
	PlanEntryStatusCompleted  PlanEntryStatus = "completed"
)

var planEntryStatuses = enum(PlanEntryStatusPending, PlanEntryStatusInProgress, PlanEntryStatusCompleted)

// Known reports whether the protocol defines the status.
func (s PlanEntryStatus) Known() bool { return planEntryStatuses.has(s) }
