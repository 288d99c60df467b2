package acp

// An Optional is a member that may be absent, null, or have a value, where the protocol tells the three apart: in a
// patch, absent leaves the old value alone and null clears it. The zero Optional is absent.
type Optional[T any] struct {
	value T
	state presence
}

type presence uint8

const (
	absent presence = iota
	null
	present
)

// Some returns an Optional with a value.
func Some[T any](value T) Optional[T] { return Optional[T]{value: value, state: present} }

// Null returns an Optional that is null.
func Null[T any]() Optional[T] { return Optional[T]{state: null} }

// IsZero reports whether the member is absent.
func (o Optional[T]) IsZero() bool { return o.state == absent }

// IsNull reports whether the member is there and is null.
func (o Optional[T]) IsNull() bool { return o.state == null }

// Get returns the value, and whether there is one.
func (o Optional[T]) Get() (value T, ok bool) { return o.value, o.state == present }

// Or returns the value, or otherwise if there is none.
func (o Optional[T]) Or(otherwise T) T {
	if o.state == present {
		return o.value
	}
	return otherwise
}

// MarshalJSON writes the value, or null if there is none. Tag a field with omitzero to leave it out when absent.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if o.state != present {
		return []byte("null"), nil
	}
	return marshal(&o.value)
}

// UnmarshalJSON reads a value or null.
func (o *Optional[T]) UnmarshalJSON(text []byte) error { return unmarshal(text, o) }

// reach gives the reflective codec access to the value, as a pointer, and to the state.
func (o *Optional[T]) reach() (value any, state *presence) { return &o.value, &o.state }
