package trace

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"
	"time"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// MaxLine is how long a line of a trace may be that Read still reads, in bytes.
const MaxLine = 512 << 20

// Read yields the lines of a trace. A line that can't be read is yielded as its number and an error, and does not end the
// loop: the last line of a program that was killed is often cut short. An error of r does, and so do a line longer than
// MaxLine and a version of the format that is newer than this package's. Empty lines are passed over.
//
// Two other kinds of file are read as well: traces without a first line, and lines with the member "t", milliseconds from
// the start, in the place of "time".
func Read(r io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		lines := bufio.NewReaderSize(r, 64<<10)
		for n := 1; ; n++ {
			line, err := readLine(lines)
			if err != nil && err != io.EOF {
				yield(Record{Line: n}, fmt.Errorf("line %d of the trace: %w", n, err))
				return
			}
			if !yieldLine(n, line, yield) || err == io.EOF {
				return
			}
		}
	}
}

// yieldLine reports whether the loop goes on.
func yieldLine(n int, line []byte, yield func(Record, error) bool) bool {
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return true
	}
	rec, err := parse(line)
	rec.Line = n
	if err == nil {
		return yield(rec, nil)
	}
	return yield(Record{Line: n}, fmt.Errorf("line %d of the trace: %w", n, err)) && !errors.Is(err, errVersion)
}

// readLine returns the next line, which is the caller's own. At the end of input it returns io.EOF beside the rest.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > MaxLine {
			return nil, fmt.Errorf("longer than %d bytes", MaxLine)
		}
		line = append(line, part...)
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

var errVersion = errors.New("the trace is of a version that this program does not know")

func parse(line []byte) (rec Record, err error) {
	if err := rawjson.Check(line); err != nil {
		return rec, err
	}
	if line[0] != '{' {
		return rec, errors.New("not a JSON object")
	}
	var header Header
	for m := range rawjson.Members(line) {
		switch m.Name() {
		case "format":
			if !rawjson.IsString(m.Value) || rawjson.String(m.Value) != Format {
				return rec, fmt.Errorf("the format is %s, not %q", m.Value, Format)
			}
			rec.Header = &header
		case "version":
			header.Version, err = strconv.Atoi(string(m.Value))
		case "program":
			header.Program, err = text(m.Value)
		case "redacted":
			header.Redacted = string(m.Value) == "true"
		default:
			err = rec.member(m.Name(), m.Value)
		}
		if err != nil {
			return rec, fmt.Errorf("member %q: %w", m.Name(), err)
		}
	}
	return rec, rec.check()
}

// member reads a member of a line that is no header.
func (r *Record) member(name string, value []byte) (err error) {
	var s string
	switch name {
	case "time":
		if s, err = text(value); err == nil {
			r.Time, err = time.Parse(time.RFC3339Nano, s)
		}
	case "t":
		r.Time, err = elapsed(value)
	case "dir":
		s, err = text(value)
		r.Dir = Direction(s)
	case "msg":
		r.Msg = value
	case "text":
		s, err = text(value)
		r.Text = []byte(s)
	case "base64":
		if s, err = text(value); err == nil {
			r.Text, err = base64.StdEncoding.DecodeString(s)
		}
	case "tooLarge":
		r.TooLarge, err = readTooLarge(value)
	case "lost":
		r.Lost, err = strconv.ParseInt(string(value), 10, 64)
	}
	return err
}

// check refuses what is no line of a trace.
func (r *Record) check() error {
	switch {
	case r.Header != nil && (r.Header.Version < 1 || r.Header.Version > Version):
		return fmt.Errorf("%w: %d", errVersion, r.Header.Version)
	case r.Header != nil || r.Lost > 0:
		return nil
	case r.Dir == "":
		return errors.New(`the member "dir" is missing`)
	case r.IsFrame() && r.Msg == nil && r.Text == nil && r.TooLarge == nil:
		return errors.New("a frame without content")
	}
	return nil
}

func readTooLarge(value []byte) (*TooLarge, error) {
	l := &TooLarge{ID: rawjson.Get(value, "id")}
	var err error
	if l.Size, err = strconv.ParseInt(string(rawjson.Get(value, "size")), 10, 64); err != nil {
		return nil, fmt.Errorf("size: %w", err)
	}
	if method := rawjson.Get(value, "method"); method != nil {
		l.Method, err = text(method)
	}
	return l, err
}

func text(value []byte) (string, error) {
	if !rawjson.IsString(value) {
		return "", fmt.Errorf("%.20s is not a string", value)
	}
	return rawjson.String(value), nil
}

// elapsed reads milliseconds since the start of the trace.
func elapsed(value []byte) (time.Time, error) {
	ms, err := strconv.ParseFloat(string(value), 64)
	if err != nil {
		return time.Time{}, err
	}
	if math.Abs(ms) > 1e12 {
		return time.Time{}, fmt.Errorf("%s milliseconds are no time", value)
	}
	return time.UnixMicro(int64(ms * 1000)).UTC(), nil
}
