package wire

import (
	"bytes"
	"fmt"
	"io"

	"github.com/patchbay-dev/patchbay/internal/model"
)

const (
	// DefaultMaxBytes bounds what is read of an answer, in bytes, unless the options say otherwise. The longest answer of a
	// model, 128,000 tokens with an event of 400 bytes for each, takes not half of it.
	DefaultMaxBytes = 128 << 20

	// MaxEvent bounds a single event of an answer, in bytes.
	MaxEvent = 16 << 20
)

// A bounded body ends with an error when it gets longer than an answer may be.
type bounded struct {
	io.ReadCloser
	o *Options

	all   int64 // bytes so far
	event int64 // of them, those of the event on its way: of all lines since the last empty one
	line  int64 // of them, those of the line on its way
	err   error // why nothing more is read
}

// Read reads. After the error of an answer that is too long it reads no more.
func (b *bounded) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.ReadCloser.Read(p)
	b.count(p[:n])
	switch {
	case b.all > b.o.MaxBytes:
		b.err = b.tooLong("its answer", b.o.MaxBytes)
	case b.event > MaxEvent:
		b.err = b.tooLong("an event of its answer", MaxEvent)
	default:
		return n, err
	}
	return 0, b.err
}

func (b *bounded) count(p []byte) {
	b.all += int64(len(p))
	for {
		line, rest, ended := bytes.Cut(p, []byte{'\n'})
		b.line += int64(len(line))
		b.event += int64(len(line))
		if !ended {
			return
		}
		if b.line <= 1 { // one with nothing but a carriage return is empty
			b.event = 0
		}
		b.line = 0
		p = rest
	}
}

func (b *bounded) tooLong(what string, limit int64) *model.Error {
	size := fmt.Sprintf("%d MiB", limit>>20)
	if limit%(1<<20) != 0 {
		size = fmt.Sprintf("%d bytes", limit)
	}
	return &model.Error{Provider: b.o.Provider, Final: true, Message: fmt.Sprintf("%s is longer than %s, and has no end in sight", what, size)}
}
