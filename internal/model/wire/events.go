package wire

import (
	"bufio"
	"bytes"
	"io"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// maxShown bounds what is kept of a body that is no stream, in bytes.
const maxShown = 64 << 10

// An Event is one of a stream of server-sent events.
type Event struct {
	Name string // of its kind; mostly empty, and "error" if its data is called so
	Data []byte // JSON, or "[DONE]"; never empty
}

// A NoStream is the beginning of a body that is no stream of events: a page, or JSON in one piece.
type NoStream string

// Error returns the beginning.
func (s NoStream) Error() string { return string(s) }

// Events yields the events of a stream that have data. Comments and what else there may be are left out. The last one counts
// though no empty line comes after it, if its JSON is whole. The error is a NoStream, or the body's; nothing comes after it.
//
// The vendors' libraries have readers too. They take a comment for an error, or don't see one that llama.cpp sends: its data
// is called "error" instead of "data".
func Events(body io.Reader) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		lines := bufio.NewScanner(body)
		lines.Buffer(nil, MaxEvent+1) // the body ends with an error before that
		begun, first := false, true
		var e Event
		for lines.Scan() && lines.Err() == nil { // what stands before an error is a part of a line
			line := lines.Bytes()
			if first {
				line, first = bytes.TrimPrefix(line, byteOrderMark), false
			}
			switch {
			case len(bytes.TrimSpace(line)) == 0:
				if e.Data = bytes.TrimSpace(e.Data); len(e.Data) > 0 && !yield(e, nil) {
					return
				}
				e = Event{}
			case !e.field(line) && !begun:
				yield(Event{}, page(line, lines))
				return
			default:
				begun = true
			}
		}
		if err := lines.Err(); err != nil {
			yield(Event{}, err)
		} else if jsontext.Value(e.Data).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
			yield(e, nil)
		}
	}
}

// byteOrderMark may stand before the first line of a stream.
var byteOrderMark = []byte("\ufeff")

// field takes a line of an event. It reports whether a stream may begin with such a line.
func (e *Event) field(line []byte) bool {
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(name) {
	case "data", "error":
		if string(name) == "error" {
			e.Name = "error"
		}
		if len(e.Data) > 0 {
			e.Data = append(e.Data, '\n')
		}
		e.Data = append(e.Data, value...)
	case "event":
		e.Name = string(value)
	case "", "id", "retry": // a comment has no name
	default:
		return false
	}
	return true
}

func page(line []byte, lines *bufio.Scanner) NoStream {
	text := append([]byte{}, line[:min(len(line), maxShown)]...)
	for len(text) < maxShown && lines.Scan() {
		text = append(append(text, '\n'), lines.Bytes()...)
	}
	return NoStream(text[:min(len(text), maxShown)])
}
