package acp

import "slices"

// An ElicitationSchema describes a form: a JSON Schema of one object whose properties are the form's fields.
type ElicitationSchema struct {
	// Type is always ElicitationSchemaTypeObject, which empty stands for.
	Type ElicitationSchemaType `json:"type,omitzero" acp:"lenient"`

	// Title is the form's heading.
	Title string `json:"title,omitzero" acp:"lenient"`

	// Description says more about the form, for people.
	Description string `json:"description,omitzero" acp:"lenient"`

	// Properties are the fields, in the order in which to show them.
	Properties ElicitationProperties `json:"properties,omitzero"`

	// Required are the names of the fields that must be filled in.
	Required []string `json:"required,omitzero"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// ElicitationProperties are the fields of a form by name. In JSON they are an object whose members keep their order, which
// JSON gives no meaning to, but people do who fill in the form.
type ElicitationProperties []ElicitationProperty

// An ElicitationProperty is a field of a form.
type ElicitationProperty struct {
	Name   string
	Schema ElicitationPropertySchema
}

// Get returns the field of a name, or nil.
func (p ElicitationProperties) Get(name string) ElicitationPropertySchema {
	for _, property := range slices.Backward(p) {
		if property.Name == name {
			return property.Schema
		}
	}
	return nil
}

// An ElicitationSchemaType is the type of a form's schema.
type ElicitationSchemaType string

// ElicitationSchemaTypeObject is the only type that a form's schema has.
const ElicitationSchemaTypeObject ElicitationSchemaType = "object"

var elicitationSchemaTypes = enum(ElicitationSchemaTypeObject)

// Known reports whether the protocol defines the type.
func (t ElicitationSchemaType) Known() bool { return elicitationSchemaTypes.has(t) }

// An ElicitationPropertySchema describes a field of a form: *StringPropertySchema, *NumberPropertySchema,
// *IntegerPropertySchema, *BooleanPropertySchema, *MultiSelectPropertySchema, or *UnknownPropertySchema for one that
// this package does not know.
type ElicitationPropertySchema interface{ elicitationPropertySchema() }

func (*StringPropertySchema) elicitationPropertySchema()      {}
func (*NumberPropertySchema) elicitationPropertySchema()      {}
func (*IntegerPropertySchema) elicitationPropertySchema()     {}
func (*BooleanPropertySchema) elicitationPropertySchema()     {}
func (*MultiSelectPropertySchema) elicitationPropertySchema() {}
func (*UnknownPropertySchema) elicitationPropertySchema()     {}

var _ = union[ElicitationPropertySchema]("type").
	variant("string", &StringPropertySchema{}).
	variant("number", &NumberPropertySchema{}).
	variant("integer", &IntegerPropertySchema{}).
	variant("boolean", &BooleanPropertySchema{}).
	variant("array", &MultiSelectPropertySchema{}).
	unknown(&UnknownPropertySchema{})

// A StringPropertySchema is a field for text, or for one choice where Enum or OneOf is set.
type StringPropertySchema struct {
	// Title is the label to show.
	Title string `json:"title,omitzero" acp:"lenient"`

	// Description says more about the field, for people.
	Description string `json:"description,omitzero" acp:"lenient"`

	// MinLength is the least number of characters; nil means no bound.
	MinLength *uint32 `json:"minLength,omitzero"`

	// MaxLength is the greatest number of characters; nil means no bound.
	MaxLength *uint32 `json:"maxLength,omitzero"`

	// Pattern is a regular expression that the text must match.
	Pattern string `json:"pattern,omitzero"`

	// Format is what the text must be.
	Format StringFormat `json:"format,omitzero"`

	// Default is the text to begin with.
	Default string `json:"default,omitzero" acp:"lenient"`

	// Enum are the choices, where they need no labels.
	Enum []string `json:"enum,omitzero"`

	// OneOf are the choices, with labels.
	OneOf []EnumOption `json:"oneOf,omitzero"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A StringFormat is what a text must be.
type StringFormat string

// The formats of a text.
const (
	StringFormatEmail    StringFormat = "email"
	StringFormatURI      StringFormat = "uri"
	StringFormatDate     StringFormat = "date"      // YYYY-MM-DD
	StringFormatDateTime StringFormat = "date-time" // ISO 8601
)

var stringFormats = enum(StringFormatEmail, StringFormatURI, StringFormatDate, StringFormatDateTime)

// Known reports whether the protocol defines the format.
func (f StringFormat) Known() bool { return stringFormats.has(f) }

// An EnumOption is a choice with a label.
type EnumOption struct {
	// Const is the value.
	Const string `json:"const"`

	// Title is the label to show.
	Title string `json:"title"`

	// Description says more about the choice, for people.
	Description string `json:"description,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A NumberPropertySchema is a field for a number.
type NumberPropertySchema struct {
	// Title is the label to show.
	Title string `json:"title,omitzero" acp:"lenient"`

	// Description says more about the field, for people.
	Description string `json:"description,omitzero" acp:"lenient"`

	// Minimum is the least value allowed; nil means no bound.
	Minimum *float64 `json:"minimum,omitzero"`

	// Maximum is the greatest value allowed; nil means no bound.
	Maximum *float64 `json:"maximum,omitzero"`

	// Default is the value to begin with; nil means none.
	Default *float64 `json:"default,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An IntegerPropertySchema is a field for a whole number.
type IntegerPropertySchema struct {
	// Title is the label to show.
	Title string `json:"title,omitzero" acp:"lenient"`

	// Description says more about the field, for people.
	Description string `json:"description,omitzero" acp:"lenient"`

	// Minimum is the least value allowed; nil means no bound.
	Minimum *int64 `json:"minimum,omitzero"`

	// Maximum is the greatest value allowed; nil means no bound.
	Maximum *int64 `json:"maximum,omitzero"`

	// Default is the value to begin with; nil means none.
	Default *int64 `json:"default,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A BooleanPropertySchema is a field for yes or no.
type BooleanPropertySchema struct {
	// Title is the label to show.
	Title string `json:"title,omitzero" acp:"lenient"`

	// Description says more about the field, for people.
	Description string `json:"description,omitzero" acp:"lenient"`

	// Default is the value to begin with; nil means none.
	Default *bool `json:"default,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An UnknownPropertySchema is a field of a type that this package does not know. It is written as it was read.
type UnknownPropertySchema struct {
	Type string
	Raw  Raw
}
