package trace

import (
	"time"

	"github.com/patchbay-dev/patchbay/acp"
)

// The name of the format and its version, as the first line of a trace has them.
const (
	Format  = "patchbay-trace"
	Version = 1
)

// A Direction says who said something to whom.
type Direction string

// The directions of frames.
const (
	ToAgent  Direction = "client->agent"
	ToClient Direction = "agent->client"
)

// A Record is a line of a trace.
type Record struct {
	// Line is its number in the file, from 1.
	Line int

	// Time is when it happened; the zero time if the file does not say. Where the file only counts milliseconds from the
	// start, the start is the Unix epoch.
	Time time.Time

	// Dir is ToAgent or ToClient for a frame. Other lines have others: recordings of Patchbay's own laboratory say "note"
	// and "agent-stderr".
	Dir Direction

	// Msg is the frame's JSON, nil if it is none. It is the record's own.
	Msg acp.Raw

	// Text is a frame that is no JSON, byte for byte.
	Text []byte

	// TooLarge is a frame that was too large to be kept.
	TooLarge *TooLarge

	// Lost counts frames that are missing at this place.
	Lost int64

	// Header is the first line of the file.
	Header *Header
}

// IsFrame reports whether the record is a frame that crossed the wire.
func (r *Record) IsFrame() bool { return r.Dir == ToAgent || r.Dir == ToClient }

// A TooLarge is what is known of a frame that was not kept.
type TooLarge struct {
	Size   int64   `json:"size"`            // bytes
	ID     acp.Raw `json:"id,omitzero"`     // nil if there was none
	Method string  `json:"method,omitzero"` // empty if there was none
}

// A Header says what a file is.
type Header struct {
	Version  int    // of the format
	Program  string // what wrote it
	Redacted bool   // whether credentials were removed
}
