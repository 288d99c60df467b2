package trace

import (
	"bytes"
	"encoding/base64"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

func newTooLarge(l *jsonrpc.TooLarge) *TooLarge {
	if l == nil {
		return nil
	}
	t := &TooLarge{Size: l.Size, ID: bytes.Clone(l.ID)}
	if rawjson.IsString(l.Method) {
		t.Method = rawjson.String(l.Method)
	}
	return t
}

func appendHeader(dst []byte, started time.Time, o *Options) []byte {
	dst = append(dst, `{"format":"`+Format+`","version":`...)
	dst = strconv.AppendInt(dst, Version, 10)
	dst = append(dst, ',')
	dst = appendTime(dst, started)
	dst = append(dst, `,"program":`...)
	dst = rawjson.AppendString(dst, o.Program)
	dst = append(dst, `,"redacted":`...)
	dst = strconv.AppendBool(dst, !o.Raw)
	return append(dst, "}\n"...)
}

// appendTime appends the member "time".
func appendTime(dst []byte, t time.Time) []byte {
	dst = append(dst, `"time":"`...)
	dst = t.UTC().AppendFormat(dst, time.RFC3339Nano)
	return append(dst, '"')
}

func appendLost(dst []byte, t time.Time, lost int64) []byte {
	dst = append(dst, '{')
	dst = appendTime(dst, t)
	dst = append(dst, `,"lost":`...)
	dst = strconv.AppendInt(dst, lost, 10)
	return append(dst, "}\n"...)
}

// appendLines appends the frame's line, and before it one that says what was lost.
func (f *frame) appendLines(dst []byte, redacted bool) []byte {
	if f.lost > 0 {
		dst = appendLost(dst, f.time, f.lost)
	}
	dst = append(dst, '{')
	dst = appendTime(dst, f.time)
	dst = append(dst, `,"dir":"`...)
	dst = append(dst, f.dir...)
	dst = append(dst, `",`...)
	if f.tooLarge != nil {
		dst = f.tooLarge.append(dst)
	} else {
		dst = appendData(dst, f.data, redacted)
	}
	return append(dst, "}\n"...)
}

func (l *TooLarge) append(dst []byte) []byte {
	dst = append(dst, `"tooLarge":{"size":`...)
	dst = strconv.AppendInt(dst, l.Size, 10)
	if len(l.ID) > 0 {
		dst = append(dst, `,"id":`...)
		dst = append(dst, l.ID...)
	}
	if l.Method != "" {
		dst = append(dst, `,"method":`...)
		dst = rawjson.AppendString(dst, l.Method)
	}
	return append(dst, '}')
}

// appendData appends what a frame said as the member "msg", "text" or "base64".
func appendData(dst, data []byte, redacted bool) []byte {
	switch {
	case rawjson.Check(data) == nil:
		dst = append(dst, `"msg":`...)
		return appendMessage(dst, bytes.Trim(data, " \t\r\n"), redacted)
	case utf8.Valid(data):
		dst = append(dst, `"text":`...)
		if redacted {
			data = redactText(data)
		}
		return rawjson.AppendString(dst, data)
	default:
		dst = append(dst, `"base64":"`...)
		if redacted {
			data = redactText(data)
		}
		dst = base64.StdEncoding.AppendEncode(dst, data)
		return append(dst, '"')
	}
}

// appendMessage appends valid JSON as it is, but on one line: outside of strings line breaks are white space, and inside
// there are none.
func appendMessage(dst, text []byte, redacted bool) []byte {
	start := len(dst)
	if redacted {
		dst = appendRedacted(dst, text)
	} else {
		dst = append(dst, text...)
	}
	for line := dst[start:]; ; {
		i := bytes.IndexAny(line, "\r\n")
		if i < 0 {
			return dst
		}
		line[i] = ' '
		line = line[i+1:]
	}
}
