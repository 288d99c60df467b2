package acp

import "reflect"

// enums has the values of every enum of the protocol, for the test that compares them with the schema.
var enums = map[reflect.Type][]string{}

// An enumOf is the set of values that the protocol defines for a type. Any other string is legal too, and kept.
type enumOf[T ~string] map[T]struct{}

// enum registers the values of a type.
func enum[T ~string](values ...T) enumOf[T] {
	set := make(enumOf[T], len(values))
	for _, v := range values {
		set[v] = struct{}{}
		enums[reflect.TypeFor[T]()] = append(enums[reflect.TypeFor[T]()], string(v))
	}
	return set
}

// has reports whether the protocol defines a value.
func (e enumOf[T]) has(value T) bool {
	_, ok := e[value]
	return ok
}
