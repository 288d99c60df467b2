package acp

// A MultiSelectPropertySchema is a field for any number of choices.
type MultiSelectPropertySchema struct {
	// Title is the label to show.
	Title string `json:"title,omitzero" acp:"lenient"`

	// Description says more about the field, for people.
	Description string `json:"description,omitzero" acp:"lenient"`

	// MinItems is the least number of choices; nil means no bound.
	MinItems *uint64 `json:"minItems,omitzero"`

	// MaxItems is the greatest number of choices; nil means no bound.
	MaxItems *uint64 `json:"maxItems,omitzero"`

	// Items are the choices.
	Items MultiSelectItems `json:"items"`

	// Default are the choices to begin with.
	Default []string `json:"default,omitzero" acp:"lenient,skip"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// MultiSelectItems are the choices of a MultiSelectPropertySchema: *StringMultiSelectItems, *TitledMultiSelectItems, or
// *UnknownMultiSelectItems for a type that this package does not know.
type MultiSelectItems interface{ multiSelectItems() }

func (*StringMultiSelectItems) multiSelectItems()  {}
func (*TitledMultiSelectItems) multiSelectItems()  {}
func (*UnknownMultiSelectItems) multiSelectItems() {}

var _ = union[MultiSelectItems]("type").
	variant("string", &StringMultiSelectItems{}).
	untagged(&TitledMultiSelectItems{}).
	unknown(&UnknownMultiSelectItems{})

// StringMultiSelectItems are choices that need no labels.
type StringMultiSelectItems struct {
	Enum []string `json:"enum"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// TitledMultiSelectItems are choices with labels.
type TitledMultiSelectItems struct {
	AnyOf []EnumOption `json:"anyOf"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// UnknownMultiSelectItems are choices of a type that this package does not know. They are written as they were read.
type UnknownMultiSelectItems struct {
	Type string
	Raw  Raw
}
