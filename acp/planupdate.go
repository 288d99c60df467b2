package acp

// A PlanID names one of several plans of a session.
//
// Unstable: not part of the specification yet.
type PlanID string

// A PlanUpdate adds a plan to the session or replaces the one of the same id. It needs ClientCapabilities.Plan.
//
// Unstable: not part of the specification yet.
type PlanUpdate struct {
	Plan PlanUpdateContent `json:"plan"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A PlanRemoved takes a plan out of the session. It needs ClientCapabilities.Plan.
//
// Unstable: not part of the specification yet.
type PlanRemoved struct {
	PlanID PlanID `json:"planId"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A PlanUpdateContent is a plan in one of several forms: *PlanItems, *PlanFile, *PlanMarkdown, or *UnknownPlan for one
// that this package does not know.
//
// Unstable: not part of the specification yet.
type PlanUpdateContent interface{ planUpdateContent() }

func (*PlanItems) planUpdateContent()    {}
func (*PlanFile) planUpdateContent()     {}
func (*PlanMarkdown) planUpdateContent() {}
func (*UnknownPlan) planUpdateContent()  {}

var _ = union[PlanUpdateContent]("type").
	variant("items", &PlanItems{}).
	variant("file", &PlanFile{}).
	variant("markdown", &PlanMarkdown{}).
	unknown(&UnknownPlan{})

// A PlanItems is a plan as a list of tasks.
//
// Unstable: not part of the specification yet.
type PlanItems struct {
	PlanID PlanID `json:"planId"`

	// Entries are all tasks of the plan, in order.
	Entries []PlanEntry `json:"entries" acp:"lenient,skip"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A PlanFile is a plan that stands in a file.
//
// Unstable: not part of the specification yet.
type PlanFile struct {
	PlanID PlanID `json:"planId"`

	// URI says where the file is.
	URI string `json:"uri"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A PlanMarkdown is a plan as text.
//
// Unstable: not part of the specification yet.
type PlanMarkdown struct {
	PlanID PlanID `json:"planId"`

	// Content is the plan in Markdown.
	Content string `json:"content"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An UnknownPlan is a plan in a form that this package does not know. It is written as it was read.
//
// Unstable: not part of the specification yet.
type UnknownPlan struct {
	Type string
	Raw  Raw
}
