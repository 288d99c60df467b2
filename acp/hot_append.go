package acp

import (
	"errors"
	"reflect"
	"strconv"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// What the hand-written codecs write with. Each function appends a member whose prefix, `,"name":`, is given, so that
// nothing is looked up or escaped that is known when this is compiled.

// errOdd stands for any error of writing: the reflective codec meets the same one and says it better.
var errOdd = errors.New("for the reflective codec")

func appendText[T ~string](dst []byte, prefix string, s T) []byte {
	return rawjson.AppendString(append(dst, prefix...), string(s))
}

// appendOptionalText is appendText for a member that is absent when empty.
func appendOptionalText[T ~string](dst []byte, prefix string, s T) []byte {
	if s == "" {
		return dst
	}
	return appendText(dst, prefix, s)
}

// appendPatchText is appendText for a member that may be absent or null.
func appendPatchText[T ~string](dst []byte, prefix string, o Optional[T]) []byte {
	switch o.state {
	case absent:
		return dst
	case null:
		return append(append(dst, prefix...), "null"...)
	}
	return appendText(dst, prefix, o.value)
}

func appendOptionalUint[T ~uint32 | ~uint64](dst []byte, prefix string, n *T) []byte {
	if n == nil {
		return dst
	}
	return strconv.AppendUint(append(dst, prefix...), uint64(*n), 10)
}

func appendRaw(dst []byte, prefix string, raw Raw) ([]byte, error) {
	if raw == nil {
		return dst, nil
	}
	dst = append(dst, prefix...)
	if len(raw) == 0 {
		return append(dst, "null"...), nil
	}
	return rawjson.AppendValue(dst, raw)
}

// appendPatchRaw is appendRaw for a member that may be null.
func appendPatchRaw(dst []byte, prefix string, o Optional[Raw]) ([]byte, error) {
	if o.state == absent {
		return dst, nil
	}
	if o.state == null || len(o.value) == 0 {
		return append(append(dst, prefix...), "null"...), nil
	}
	return appendRaw(dst, prefix, o.value)
}

// appendList appends an array, element by element.
func appendList[T any](dst []byte, prefix string, list []T, element func([]byte, *T) ([]byte, error)) ([]byte, error) {
	dst = append(append(dst, prefix...), '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = element(dst, &list[i]); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

// appendOptionalList is appendList for a member that is absent when nil.
func appendOptionalList[T any](dst []byte, prefix string, list []T, element func([]byte, *T) ([]byte, error)) ([]byte, error) {
	if list == nil {
		return dst, nil
	}
	return appendList(dst, prefix, list, element)
}

// appendPatchList is appendList for a member that may be absent or null.
func appendPatchList[T any](dst []byte, prefix string, o Optional[[]T], element func([]byte, *T) ([]byte, error)) ([]byte, error) {
	switch o.state {
	case absent:
		return dst, nil
	case null:
		return append(append(dst, prefix...), "null"...), nil
	}
	return appendList(dst, prefix, o.value, element)
}

// appendEnd appends what nearly every object has last, `_meta` and what is unknown, and the closing brace. The object
// starts at dst[start].
func appendEnd(dst []byte, start int, meta Meta, unknown Unknown) ([]byte, error) {
	if meta == nil && len(unknown) == 0 {
		return append(dst, '}'), nil
	}
	var err error
	if meta != nil {
		dst = append(appendName(dst, "_meta"), '{')
		if dst, err = appendSorted(dst, meta, nil); err != nil {
			return dst, err
		}
		dst = append(dst, '}')
	}
	if dst, err = appendUnknown(dst, start, unknown); err != nil {
		return dst, err
	}
	return append(dst, '}'), nil
}

// appendByPlan appends a value of a union whose type has no codec written by hand.
func appendByPlan[I any](dst []byte, value I) ([]byte, error) {
	v := reflect.ValueOf(&value).Elem()
	return codecOf(v.Type()).append(dst, v)
}

// parseByPlan reads a value of a union whose type has no codec written by hand.
func parseByPlan[I any](l *lexer) (value I) {
	text := l.skip()
	if l.odd {
		return value
	}
	d := decoder{report: &report{}, alias: l.alias}
	v := reflect.New(reflect.TypeFor[I]()).Elem()
	if err := codecOf(v.Type()).parse(d, text, v); err != nil || len(d.report.problems) > 0 {
		l.giveUp() // so that the problems are reported, and counted from the start of the message
		return value
	}
	return v.Interface().(I)
}
