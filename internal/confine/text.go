package confine

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Lines says which lines of a text are meant.
type Lines struct {
	From  int // the first, counted from 1; 0 means 1
	Count int // at most so many; 0 means all that follow
}

// ReadText reads lines of a text, with their line ends, byte for byte (F152): carriage returns, a byte order mark and a
// last line without an end stay as they are. A line ends with a line feed and nothing else. Lines beyond the end are no
// error and have no text.
//
// What comes before is skipped and what comes after is not read, so a file may be of any size. The text that is returned
// may not be longer than max bytes (a *TooLongError), and must be UTF-8 (a *NotTextError), since a JSON string can't hold
// any other bytes; zero bytes are UTF-8. When ctx ends, it returns the context's error.
func ReadText(ctx context.Context, r io.Reader, lines Lines, max int) (string, error) {
	if lines.From < 0 || lines.Count < 0 {
		return "", fmt.Errorf("lines %d, %d of them: neither may be negative", lines.From, lines.Count)
	}
	t := text{in: bufio.NewReaderSize(untilDone{ctx, r}, 64<<10), max: max}
	if err := t.skip(lines.From - 1); err != nil {
		return "", end(err)
	}
	if err := t.take(lines.Count); err != nil {
		return "", err
	}
	if err := checkUTF8(t.out, t.skipped); err != nil {
		return "", err
	}
	return string(t.out), nil
}

// A text is being read.
type text struct {
	in      *bufio.Reader
	max     int
	skipped int64 // bytes
	out     []byte
}

// skip passes over so many lines. It returns io.EOF if there are fewer.
func (t *text) skip(count int) error {
	for count > 0 {
		piece, err := t.in.ReadSlice('\n')
		t.skipped += int64(len(piece))
		switch {
		case err == bufio.ErrBufferFull: // the line goes on
		case err != nil:
			return err
		default:
			count--
		}
	}
	return nil
}

// take reads so many lines, or all that follow if count is 0.
func (t *text) take(count int) error {
	all := count == 0
	for all || count > 0 {
		piece, err := t.in.ReadSlice('\n')
		if len(t.out)+len(piece) > t.max {
			return &TooLongError{Max: t.max}
		}
		t.out = append(t.out, piece...)
		switch {
		case err == bufio.ErrBufferFull:
		case err != nil:
			return end(err)
		default:
			count--
		}
	}
	return nil
}

// end makes the end of a file no error.
func end(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// checkUTF8 looks for the first byte that is not part of a character.
func checkUTF8(text []byte, skipped int64) error {
	if utf8.Valid(text) {
		return nil
	}
	i := 0
	for i < len(text) {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size <= 1 {
			break
		}
		i += size
	}
	return &NotTextError{Byte: text[i], Offset: skipped + int64(i), Wide: skipped == 0 && isWide(text)}
}

// isWide reports whether a text begins with the byte order mark of UTF-16.
func isWide(text []byte) bool {
	return bytes.HasPrefix(text, []byte{0xFF, 0xFE}) || bytes.HasPrefix(text, []byte{0xFE, 0xFF})
}

// A TooLongError says that more text was asked for than may be returned.
type TooLongError struct{ Max int }

func (e *TooLongError) Error() string {
	return fmt.Sprintf("the text is longer than %d bytes: ask for fewer lines, with line and limit", e.Max)
}

// A NotTextError says that a file is not UTF-8.
type NotTextError struct {
	Byte   byte  // the first that does not fit
	Offset int64 // where it is in the file
	Wide   bool  // the file looks like UTF-16
}

func (e *NotTextError) Error() string {
	hint := "it may be binary"
	if e.Wide {
		hint = "it looks like UTF-16"
	}
	return fmt.Sprintf("the file is not UTF-8 text: byte 0x%02X at offset %d; %s", e.Byte, e.Offset, hint)
}

// untilDone is a reader that fails when a context has ended.
type untilDone struct {
	ctx context.Context
	r   io.Reader
}

func (u untilDone) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}
