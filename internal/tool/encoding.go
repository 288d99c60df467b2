package tool

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// mark is the byte order mark that some programs begin UTF-8 with.
const mark = "\ufeff"

// A lineEnds says how the lines of a text end.
type lineEnds int

const (
	endsLF    lineEnds = iota // all with a line feed, or there is only one line
	endsCRLF                  // all with carriage return and line feed
	endsMixed                 // some so, some so
)

// endsOf finds out how lines end.
func endsOf(text string) lineEnds {
	switch lf, crlf := strings.Count(text, "\n"), strings.Count(text, "\r\n"); crlf {
	case 0:
		return endsLF
	case lf:
		return endsCRLF
	}
	return endsMixed
}

// A wide is a text's byte order, if it is UTF-16 and says so.
type wide int

const (
	notWide wide = iota
	littleEndian
	bigEndian
)

func wideOf(text string) wide {
	switch {
	case strings.HasPrefix(text, "\xff\xfe"):
		return littleEndian
	case strings.HasPrefix(text, "\xfe\xff"):
		return bigEndian
	}
	return notWide
}

// A decoded is a text as the model reads it: UTF-8, without a byte order mark.
type decoded struct {
	text    string
	remarks []string // what is particular about the file
}

// decode makes text of what a file holds. The error says what it is instead.
func decode(content string) (*decoded, error) {
	d := &decoded{text: content}
	switch {
	case wideOf(content) != notWide:
		d.text = fromUTF16(content[2:], wideOf(content))
		d.remark("it is UTF-16, which edit and write don't change")
	case isBinary([]byte(content[:min(len(content), 8000)])):
		return nil, notText(content)
	}
	if rest, ok := strings.CutPrefix(d.text, mark); ok {
		d.text = rest
		d.remark("it begins with a byte order mark")
	}
	if n := countInvalid(d.text); n > 0 {
		d.text = replaceInvalid(d.text)
		d.remark(fmt.Sprintf("it is not all UTF-8: %s shown as \uFFFD", count(n, "byte")))
	}
	switch endsOf(d.text) {
	case endsCRLF:
		d.remark("its lines end with CRLF")
	case endsMixed:
		d.remark("some of its lines end with CRLF")
	}
	if d.text != "" && !strings.HasSuffix(d.text, "\n") {
		d.remark("its last line has no end")
	}
	return d, nil
}

func (d *decoded) remark(text string) { d.remarks = append(d.remarks, text) }

// fromUTF16 decodes UTF-16. Half a character at the end becomes U+FFFD.
func fromUTF16(content string, order wide) string {
	units := make([]uint16, 0, len(content)/2+1)
	for i := 0; i+1 < len(content); i += 2 {
		first, second := uint16(content[i]), uint16(content[i+1])
		if order == bigEndian {
			first, second = second, first
		}
		units = append(units, first|second<<8)
	}
	if len(content)%2 == 1 {
		units = append(units, utf8.RuneError)
	}
	return string(utf16.Decode(units))
}

// countInvalid returns how many bytes are part of no character.
func countInvalid(text string) int {
	n := 0
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			n++
		}
		i += size
	}
	return n
}

// replaceInvalid puts a U+FFFD in the place of each byte that is part of no character.
func replaceInvalid(text string) string { return string([]rune(text)) }

// notText says what a file is that has no text.
func notText(content string) error {
	kind := http.DetectContentType([]byte(content[:min(len(content), 512)]))
	if kind == "application/octet-stream" || strings.HasPrefix(kind, "text/") {
		return errors.New("it is binary, and only text can be used")
	}
	return fmt.Errorf("it is binary (%s), and only text can be used", kind)
}

// unchangeable says why a file can't be changed as text, or returns nil.
func unchangeable(content string) error {
	switch {
	case wideOf(content) != notWide:
		return errors.New("it is UTF-16, which would be lost; a command can change it")
	case isBinary([]byte(content[:min(len(content), 8000)])):
		return notText(content)
	}
	return nil
}
