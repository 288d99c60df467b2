package transport

import (
	"bytes"
	"strconv"
	"strings"
)

const (
	// maxHeader bounds a header block, in bytes.
	maxHeader = 4 << 10

	// maxContentLength is the longest body that a header is believed to announce. A larger one would take hours to
	// arrive; to wait for it would be to never read a message again.
	maxContentLength = 1 << 40
)

// A header is a header block that is being read: lines of a name, a colon and a value, up to an empty line. It has to
// begin with Content-Length or another Content header, so that a log line such as "INFO: ready" is not mistaken for one
// and held back; further headers may have any name.
type header struct {
	text   []byte // the lines so far, each with a newline
	length int64  // -1 until a Content-Length has been read
}

// What a line means to a header block.
type headerState int

const (
	headerMore headerState = iota // it belongs to the block
	headerDone                    // it ends the block
	headerBad                     // it doesn't fit: the block is none
)

// begin reports whether line begins a header block, and takes it if so.
func (h *header) begin(line []byte) bool {
	const prefix = "content-"
	if len(line) < len(prefix) || !strings.EqualFold(string(line[:len(prefix)]), prefix) {
		return false
	}
	h.length = -1
	return h.add(line) == headerMore
}

// add judges the next line of a block, given without its line end, and takes it if it belongs to the block.
func (h *header) add(line []byte) headerState {
	if len(line) == 0 {
		return headerDone
	}
	name, value, ok := bytes.Cut(line, []byte(":"))
	if !ok || !isToken(name) || len(h.text)+len(line)+1 > maxHeader {
		return headerBad
	}
	if strings.EqualFold(string(name), "Content-Length") {
		n, ok := parseLength(bytes.Trim(value, " \t"))
		if !ok || h.length >= 0 && h.length != n {
			return headerBad
		}
		h.length = n
	}
	h.text = append(append(h.text, line...), '\n')
	return headerMore
}

func (h *header) reset() {
	h.text, h.length = h.text[:0], -1
	if cap(h.text) > 256 {
		h.text = nil
	}
}

// parseLength reads a Content-Length: digits only, and not preposterous.
func parseLength(b []byte) (int64, bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(string(b), 10, 64)
	return n, err == nil && n <= maxContentLength
}

// isToken reports whether b can be the name of a header.
func isToken(b []byte) bool {
	for _, c := range b {
		alphanumeric := '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !alphanumeric && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return len(b) > 0
}
