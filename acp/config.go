package acp

// A SessionConfigID names an option of a session.
type SessionConfigID string

// A SessionConfigValueID names a value that an option can have.
type SessionConfigValueID string

// A SessionConfigGroupID names a group of values.
type SessionConfigGroupID string

// A SessionConfigOption is something about a session that the user can choose, such as its model.
//
// Spec: session-config-options.
type SessionConfigOption struct {
	ID SessionConfigID `json:"id"`

	// Name is the label to show.
	Name string `json:"name"`

	// Description says more about the option, for people.
	Description string `json:"description,omitzero" acp:"lenient"`

	// Category says what the option is about, so that a client can put it in the right place. Nothing else may depend
	// on it. Empty means that it is of no particular category.
	Category SessionConfigOptionCategory `json:"category,omitzero" acp:"lenient"`

	// Value is what the option can be and what it is.
	Value SessionConfigValue `json:"-" acp:"inline"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A SessionConfigOptionCategory says what an option is about. Names that begin with an underscore are free for
// everybody.
type SessionConfigOptionCategory string

// The categories of options.
const (
	SessionConfigOptionCategoryMode         SessionConfigOptionCategory = "mode"          // the session's mode
	SessionConfigOptionCategoryModel        SessionConfigOptionCategory = "model"         // the model
	SessionConfigOptionCategoryModelConfig  SessionConfigOptionCategory = "model_config"  // a parameter of the model
	SessionConfigOptionCategoryThoughtLevel SessionConfigOptionCategory = "thought_level" // how much the model reasons
)

var sessionConfigOptionCategories = enum(SessionConfigOptionCategoryMode, SessionConfigOptionCategoryModel,
	SessionConfigOptionCategoryModelConfig, SessionConfigOptionCategoryThoughtLevel)

// Known reports whether the protocol defines the category.
func (c SessionConfigOptionCategory) Known() bool { return sessionConfigOptionCategories.has(c) }

// A SessionConfigValue is what an option can be and what it is: *SessionConfigSelect, *SessionConfigBoolean, or
// *UnknownConfigValue for a type that this package does not know.
type SessionConfigValue interface{ sessionConfigValue() }

func (*SessionConfigSelect) sessionConfigValue()  {}
func (*SessionConfigBoolean) sessionConfigValue() {}
func (*UnknownConfigValue) sessionConfigValue()   {}

var _ = union[SessionConfigValue]("type").
	variant("select", &SessionConfigSelect{}).
	variant("boolean", &SessionConfigBoolean{}).
	unknown(&UnknownConfigValue{})

// A SessionConfigSelect is one value out of several.
type SessionConfigSelect struct {
	CurrentValue SessionConfigValueID `json:"currentValue"`

	// Options are the values to choose from, in the agent's order.
	Options SessionConfigSelectOptions `json:"options"`

	Unknown Unknown `json:"-"`
}

// A SessionConfigBoolean is on or off. It needs SessionConfigOptionsCapabilities.Boolean.
type SessionConfigBoolean struct {
	CurrentValue bool `json:"currentValue"`

	Unknown Unknown `json:"-"`
}

// An UnknownConfigValue is a value of a type that this package does not know. Its members are in the option's Unknown.
type UnknownConfigValue struct {
	Type string
}

// A SetSessionConfigOptionRequest gives an option another value.
//
// Spec: session-config-options#setting-a-config-option.
type SetSessionConfigOptionRequest struct {
	SessionID SessionID       `json:"sessionId"`
	ConfigID  SessionConfigID `json:"configId"`

	// Value is the new value, of the kind that the option has.
	Value SetConfigValue `json:"-" acp:"inline"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A SetConfigValue is a value for an option: *SetConfigValueID for a select, *SetConfigBoolean for a boolean.
type SetConfigValue interface{ setConfigValue() }

func (*SetConfigBoolean) setConfigValue() {}
func (*SetConfigValueID) setConfigValue() {}

// A type that is neither absent nor "boolean" goes with an id, as the specification has it.
var _ = union[SetConfigValue]("type").
	variant("boolean", &SetConfigBoolean{}).
	untagged(&SetConfigValueID{})

// A SetConfigBoolean switches a SessionConfigBoolean.
type SetConfigBoolean struct {
	Value bool `json:"value"`

	Unknown Unknown `json:"-"`
}

// A SetConfigValueID chooses a value of a SessionConfigSelect.
type SetConfigValueID struct {
	Value SessionConfigValueID `json:"value"`

	Unknown Unknown `json:"-"`
}

// A SetSessionConfigOptionResponse is all options as they are now, since one may change others.
type SetSessionConfigOptionResponse struct {
	ConfigOptions []SessionConfigOption `json:"configOptions" acp:"lenient,skip"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A ConfigOptionUpdate is all options as they are now, when the agent has changed some.
type ConfigOptionUpdate struct {
	ConfigOptions []SessionConfigOption `json:"configOptions" acp:"lenient,skip"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}
