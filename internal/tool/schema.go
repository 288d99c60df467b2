package tool

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/patchbay-dev/patchbay/acp"
)

// An input is how a tool is called: the JSON Schema of a Go struct, for the model and to check what the model sends.
//
// A field is a member, required unless it is tagged omitzero or omitempty. The tag jsonschema describes it. What a Go type
// can't say has a tag of its own: enum:"a,b", minimum:"1", maximum:"9", minLength:"1", minItems:"1".
type input struct {
	schema  acp.Raw
	checker *jsonschema.Resolved
}

// inputOf derives the schema of a struct.
func inputOf(t reflect.Type) (*input, error) {
	schema, err := jsonschema.ForType(t, nil)
	if err != nil {
		return nil, err
	}
	if err := constrain(t, schema); err != nil {
		return nil, err
	}
	checker, err := schema.Resolve(nil)
	if err != nil {
		return nil, err
	}
	text, err := schema.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return &input{text, checker}, nil
}

// constrain adds to a schema what the tags of a struct say. Null is not among the types: a model that sends it means that it
// has left the member out.
func constrain(t reflect.Type, s *jsonschema.Schema) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for _, kind := range s.Types {
		if kind != "null" {
			s.Type = kind
		}
	}
	s.Types = nil
	switch t.Kind() {
	case reflect.Slice:
		return constrain(t.Elem(), s.Items)
	case reflect.Struct:
		for _, field := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			member, ok := s.Properties[name]
			if !ok {
				return fmt.Errorf("the field %s has no name for a member", field.Name)
			}
			if err := errors.Join(constrain(field.Type, member), limit(member, field.Tag)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// limit reads the tags of a field that bound its values.
func limit(s *jsonschema.Schema, tag reflect.StructTag) error {
	if list, ok := tag.Lookup("enum"); ok {
		for value := range strings.SplitSeq(list, ",") {
			s.Enum = append(s.Enum, value)
		}
	}
	for name, target := range map[string]**float64{"minimum": &s.Minimum, "maximum": &s.Maximum} {
		if text, ok := tag.Lookup(name); ok {
			n, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return err
			}
			*target = &n
		}
	}
	for name, target := range map[string]**int{"minLength": &s.MinLength, "minItems": &s.MinItems} {
		if text, ok := tag.Lookup(name); ok {
			n, err := strconv.Atoi(text)
			if err != nil {
				return err
			}
			*target = &n
		}
	}
	return nil
}

// decode reads what a model sends into a struct. It must fit the schema: no member may be missing or unknown, since a model
// that gets a name wrong means something by it. The error names the member.
func (in *input) decode(text acp.Raw, target any) error {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return fmt.Errorf("it is no JSON: %w", err)
	}
	value = withoutNull(value)
	if err := in.checker.Validate(value); err != nil {
		return errors.New(plainProblem(err))
	}
	checked, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return json.Unmarshal(checked, target)
}

// withoutNull drops the members that are null.
func withoutNull(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			if member == nil {
				delete(v, name)
				continue
			}
			v[name] = withoutNull(member)
		}
	case []any:
		for i := range v {
			v[i] = withoutNull(v[i])
		}
	}
	return value
}

// How the schema library says what is wrong: by a path through the schema, which a model has no use for, instead of one
// through the value, and with whole numbers as fractions.
var (
	validating = regexp.MustCompile(`validating (?:root|[^ ]*/([^/ ]+)): `)
	fractions  = regexp.MustCompile(`(minimum|maximum): (-?[0-9]+)/1 is (less|greater) than (-?[0-9]+)\.0+`)
)

// plainProblem says what is wrong with an input in fewer words than the schema library does.
func plainProblem(err error) string {
	text := validating.ReplaceAllStringFunc(err.Error(), func(where string) string {
		switch name := validating.FindStringSubmatch(where)[1]; name {
		case "", "properties", "items":
			return ""
		default:
			return name + ": "
		}
	})
	return fractions.ReplaceAllString(text, "$1: $2 is $3 than $4")
}
