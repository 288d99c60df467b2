package jsonrpc

import (
	"bytes"
	"iter"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// A TextCutter is an Appender that may hold texts of many megabytes. Such texts are encoded a piece at a time while the
// message is written, so that the peer reads while this side still encodes, and nobody holds them twice.
type TextCutter interface {
	Appender

	// CutTexts returns a copy in which each text of at least min bytes is mark instead, and these texts in the order in which
	// AppendJSON writes them. It returns no texts if there are none.
	CutTexts(min int, mark string) (short Appender, texts []string)
}

const (
	// cutSize is the size of a text in bytes from which on it is cut out.
	cutSize = 1 << 20

	textMark    = "(a long text)"
	markLiteral = `"` + textMark + `"`
)

// A cut is a text that belongs in a buffer in the place of a markLiteral.
type cut struct {
	at   int
	text string
}

// appendCut encodes a value without its long texts. It reports false, and does nothing, if there are none or they would be
// hard to put back: the mark stands in a text that was not cut, or the message is not one line.
func (b *buffer) appendCut(v TextCutter) (done bool, err error) {
	short, texts := v.CutTexts(cutSize, textMark)
	if len(texts) == 0 {
		return false, nil
	}
	data, err := short.AppendJSON(b.data)
	if err != nil {
		return true, err
	}
	at := len(b.data)
	if bytes.Count(data[at:], []byte(markLiteral)) != len(texts) || bytes.IndexByte(data[at:], '\n') >= 0 {
		return false, nil
	}
	for _, text := range texts {
		at += bytes.Index(data[at:], []byte(markLiteral))
		b.cuts = append(b.cuts, cut{at, text})
		b.bound += rawjson.StringBound(text) - len(markLiteral)
		at += len(markLiteral)
	}
	b.data = data
	return true, nil
}

// uncut forgets the texts of a buffer again, and that anything was encoded after its first n bytes.
func (b *buffer) uncut(n int) { b.data, b.cuts, b.bound = b.data[:n], nil, 0 }

// size is the size of the message in bytes, or a little more than that if it has long texts.
func (b *buffer) size() int { return len(b.data) + b.bound }

// pieces yields the text of the message. Each piece may be overwritten by the next.
func (b *buffer) pieces() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		at := 0
		for _, c := range b.cuts {
			if !yield(b.data[at:c.at]) {
				return
			}
			for piece := range rawjson.StringPieces(c.text) {
				if !yield(piece) {
					return
				}
			}
			at = c.at + len(markLiteral)
		}
		yield(b.data[at:])
	}
}

// appendBody encodes the params or the result of a message.
func (c *Conn) appendBody(b *buffer, body any) (err error) {
	v, ok := body.(TextCutter)
	if ok && c.piecewise != nil && c.opts.Observe == nil && !isNilPointer(v) {
		begin := len(b.data)
		done, err := b.appendCut(v)
		if err != nil || done && b.size() < c.opts.MaxMessageBytes {
			return err
		}
		b.uncut(begin) // what may be over the limit has to be measured exactly (W2)
	}
	b.data, err = appendValue(b.data, body)
	return err
}
