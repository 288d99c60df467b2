package acp

import "github.com/go-json-experiment/json/jsontext"

// Raw is JSON text that this package does not look into: the input of a tool, the data of an error. Nil means absent.
type Raw = jsontext.Value

// Meta is the `_meta` member that every object of the protocol may carry. It belongs to whoever put it there: what is
// not known is ignored, and kept when the object is written again. A `_meta` that is no object is dropped when it is
// read, and reported as a Problem.
type Meta map[string]Raw

// Unknown has the members of an object that its type has no field for, so that they survive reading and writing. It
// also has the explicit "" or false of an optional field whose zero value would otherwise be taken for absent.
//
// On writing, a field that is set wins over an entry of the same name.
type Unknown map[string]Raw
