package modeltest

import (
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A stream is an answer on its way, with the fault that is to befall it.
type stream struct {
	w     http.ResponseWriter
	r     *http.Request
	fault Fault
	end   <-chan struct{}
	sent  int // pieces of text and of calls' inputs
}

// event sends a server-sent event, at once. An empty name is left out.
func (st *stream) event(name string, data any) {
	text, err := json.Marshal(data, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(fmt.Sprintf("modeltest: %v", err))
	}
	st.raw(name, string(text))
}

// raw sends a server-sent event with this text.
func (st *stream) raw(name, data string) {
	if name != "" {
		fmt.Fprintf(st.w, "event: %s\n", name)
	}
	fmt.Fprintf(st.w, "data: %s\n\n", data)
	_ = http.NewResponseController(st.w).Flush()
}

// piece is called before each piece of text or of a call's input. False means that the stream has to break off at this
// point: the fault has happened. fail sends an error event of the format's.
func (st *stream) piece(fail func(message string)) bool {
	f, n := st.fault, st.sent
	st.sent++
	if f.Piece != nil {
		f.Piece(n)
	}
	if f.Endless == EndlessText && st.r.Context().Err() != nil {
		panic(http.ErrAbortHandler)
	}
	if n < f.At || !(f.Cut || f.Garbage || f.Silent || f.Error || f.Endless == EndlessLine) {
		return true
	}
	switch {
	case f.Endless == EndlessLine:
		forever(st.w, "data: ")
	case f.Silent:
		select {
		case <-st.r.Context().Done():
		case <-st.end:
		}
	case f.Garbage:
		st.raw("", "{this is no event")
	case f.Error:
		fail(f.Message)
		return false
	}
	panic(http.ErrAbortHandler) // ends the connection without an end of the stream
}

// forever sends a line without an end, until the client goes.
func forever(w io.Writer, begin string) {
	_, err := io.WriteString(w, begin)
	for line := []byte(strings.Repeat("and so on ", 1<<12)); err == nil; {
		_, err = w.Write(line)
	}
	panic(http.ErrAbortHandler)
}

// said are the pieces in which the answer's text is streamed.
func (st *stream) said(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for again := true; again; again = st.fault.Endless == EndlessText {
			for _, word := range words(text) {
				if !yield(word) {
					return
				}
			}
		}
	}
}

// words splits text into the pieces in which it is streamed.
func words(text string) []string { return strings.SplitAfter(text, " ") }

// halves splits a call's input, so that it can be cut in the middle.
func halves(input string) []string {
	if len(input) < 2 {
		return []string{input}
	}
	return []string{input[:len(input)/2], input[len(input)/2:]}
}
