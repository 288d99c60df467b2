package ledger

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// A Summary is what a log has.
type Summary struct {
	Head
	First   time.Time `json:"first,omitzero"`
	Last    time.Time `json:"last,omitzero"`
	Allowed int       `json:"allowed"`
	Denied  int       `json:"denied"`
}

// A BrokenError says which line of a log is the first that is not as it was written.
type BrokenError struct {
	Line   int // from 1
	Reason string
}

// Error says the line and the reason.
func (e *BrokenError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

// Verify reads a log from its beginning. The error is a *BrokenError, or that of the reader. The summary is of the lines
// before. If a head is given that the log had once, the log must have a line with that hash: otherwise lines were cut off, or
// the chain was written anew.
//
// The last line is vouched for by no other one: only a head tells whether it was changed.
func Verify(r io.Reader, head string) (Summary, error) {
	v := verifier{head: strings.ToLower(head)}
	lines := bufio.NewReader(r)
	var line []byte
	for {
		var err error
		line, err = readLine(lines, line[:0])
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0:
			return v.s, v.end()
		case errors.Is(err, io.EOF):
			return v.s, v.broken(1, "is not whole: the line feed at its end is missing")
		case errors.Is(err, bufio.ErrBufferFull):
			return v.s, v.broken(1, "is longer than %d bytes", maxLine)
		case err != nil:
			return v.s, fmt.Errorf("read the log: %w", err)
		}
		if err := v.line(bytes.TrimSuffix(line, []byte{'\n'})); err != nil {
			return v.s, err
		}
	}
}

// readLine reads a line, with its line feed. One that is too long ends with bufio.ErrBufferFull.
func readLine(r *bufio.Reader, line []byte) ([]byte, error) {
	for {
		piece, err := r.ReadSlice('\n')
		line = append(line, piece...)
		if len(line) > maxLine {
			return line, bufio.ErrBufferFull
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

type verifier struct {
	s    Summary
	head string
	seen bool // whether the head was among the lines
}

// broken is about the last line that was read if ahead is 0, and about the next one if it is 1.
func (v *verifier) broken(ahead int, format string, args ...any) error {
	return &BrokenError{v.s.Lines + ahead, fmt.Sprintf(format, args...)}
}

func (v *verifier) line(line []byte) error {
	var e Entry
	if err := json.Unmarshal(line, &e); err != nil {
		return v.broken(1, "is no entry: %v", err)
	}
	switch {
	case e.N != v.s.Lines+1:
		return v.broken(1, "has the number %d: lines before it were taken out, put in or moved", e.N)
	case e.Prev != v.s.Hash && v.s.Lines == 0:
		return v.broken(1, "was written after another one, which is missing")
	case e.Prev != v.s.Hash:
		return v.broken(0, "was changed, or what line %d says of it was: that one was written after another", e.N)
	}
	v.s.Head = Head{e.N, hashOf(line)}
	v.seen = v.seen || v.s.Hash == v.head
	if v.s.Last = e.Time; e.N == 1 {
		v.s.First = e.Time
	}
	if e.Allowed {
		v.s.Allowed++
	} else {
		v.s.Denied++
	}
	return nil
}

func (v *verifier) end() error {
	if v.head != "" && !v.seen {
		return v.broken(1, "is missing, or one before it was changed: none has the hash %s", v.head)
	}
	return nil
}
