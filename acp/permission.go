package acp

// A PermissionOptionID names one of the options of a permission request.
type PermissionOptionID string

// A RequestPermissionRequest asks the user whether a tool may be run.
//
// Spec: tool-calls#requesting-permission.
type RequestPermissionRequest struct {
	SessionID SessionID `json:"sessionId"`

	// ToolCall is the call in question, as much of it as the user has to know.
	ToolCall ToolCallUpdate `json:"toolCall"`

	// Options are the answers that the user can choose from, in order.
	Options []PermissionOption `json:"options"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A PermissionOption is an answer that the user can give.
type PermissionOption struct {
	OptionID PermissionOptionID `json:"optionId"`

	// Name is the label to show.
	Name string `json:"name"`

	// Kind says what the answer means.
	Kind PermissionOptionKind `json:"kind"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A PermissionOptionKind says what an answer means.
type PermissionOptionKind string

// The kinds of answers.
const (
	PermissionOptionKindAllowOnce    PermissionOptionKind = "allow_once"    // this time
	PermissionOptionKindAllowAlways  PermissionOptionKind = "allow_always"  // from now on, without asking
	PermissionOptionKindRejectOnce   PermissionOptionKind = "reject_once"   // not this time
	PermissionOptionKindRejectAlways PermissionOptionKind = "reject_always" // never, without asking
)

var permissionOptionKinds = enum(PermissionOptionKindAllowOnce, PermissionOptionKindAllowAlways,
	PermissionOptionKindRejectOnce, PermissionOptionKindRejectAlways)

// Known reports whether the protocol defines the kind.
func (k PermissionOptionKind) Known() bool { return permissionOptionKinds.has(k) }

// Allows reports whether the answer lets the tool run.
func (k PermissionOptionKind) Allows() bool {
	return k == PermissionOptionKindAllowOnce || k == PermissionOptionKindAllowAlways
}

// OptionOf returns the option that an id names; nil if none does, or if several do of which some allow and some reject: then the
// id says neither, and whoever answers with it leaves it to the peer what was said.
func OptionOf(options []PermissionOption, id PermissionOptionID) *PermissionOption {
	var found *PermissionOption
	for i := range options {
		switch o := &options[i]; {
		case o.OptionID != id:
		case found == nil:
			found = o
		case found.Kind.Allows() != o.Kind.Allows():
			return nil
		}
	}
	return found
}

// A RequestPermissionResponse is the user's answer.
type RequestPermissionResponse struct {
	Outcome RequestPermissionOutcome `json:"outcome"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A RequestPermissionOutcome is what came of a permission request: *SelectedPermissionOutcome,
// *CancelledPermissionOutcome, or *UnknownPermissionOutcome for one that this package does not know, which gives no
// permission.
type RequestPermissionOutcome interface{ requestPermissionOutcome() }

func (*CancelledPermissionOutcome) requestPermissionOutcome() {}
func (*SelectedPermissionOutcome) requestPermissionOutcome()  {}
func (*UnknownPermissionOutcome) requestPermissionOutcome()   {}

var _ = union[RequestPermissionOutcome]("outcome").
	variant("cancelled", &CancelledPermissionOutcome{}).
	variant("selected", &SelectedPermissionOutcome{}).
	unknown(&UnknownPermissionOutcome{})

// A CancelledPermissionOutcome says that the turn was cancelled before the user answered.
type CancelledPermissionOutcome struct {
	Unknown Unknown `json:"-"`
}

// A SelectedPermissionOutcome says which option the user chose.
type SelectedPermissionOutcome struct {
	OptionID PermissionOptionID `json:"optionId"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An UnknownPermissionOutcome is an outcome of a type that this package does not know.
type UnknownPermissionOutcome struct {
	Outcome string
	Raw     Raw
}
