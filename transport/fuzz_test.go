package transport_test

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/transport"
)

// FuzzFrames splits any bytes that arrive in any pieces: there is no panic and no hang, the frames do not depend on the
// pieces, and neither does the framing of the answer. Bytes without a header are compared with a splitter that is easy to
// believe (W1, W2).
func FuzzFrames(f *testing.F) {
	for _, c := range framings {
		if len(c.in) < 10_000 {
			f.Add([]byte(c.in), []byte{1, 2, 3}, uint16(0), uint16(0))
			f.Add([]byte(c.in), []byte{200}, uint16(20), uint16(400))
		}
	}
	f.Fuzz(func(t *testing.T, in, sizes []byte, limit, stretch uint16) {
		// The first ~ grow, so that messages longer than the buffer are found without inputs of that size.
		in = bytes.Replace(in, []byte("~"), bytes.Repeat([]byte("~"), int(stretch)%40_000+1), 2)
		whole, answer := split(t, bytes.NewReader(in), int(limit))
		cut := &sized{r: bytes.NewReader(in), sizes: []int{1 << 12}}
		for _, n := range sizes {
			cut.sizes = append(cut.sizes, int(n)*int(n)+1)
		}
		if got, again := split(t, cut, int(limit)); !slices.Equal(got, whole) || again != answer {
			t.Errorf("in pieces %.500q, answered %q; at once %.500q, answered %q", got, again, whole, answer)
		}
		if bytes.Contains(bytes.ToLower(in), []byte("content-")) {
			return
		}
		if want := splitLines(in, int(limit)); !slices.Equal(whole, want) {
			t.Errorf("got %.500q, want %.500q", whole, want)
		}
	})
}

// split returns the frames in r, and how an answer is framed.
func split(t *testing.T, r io.Reader, limit int) (frames []string, answer string) {
	var out strings.Builder
	s := transport.New(r, &out, transport.Options{})
	for _, frame := range mustReadAll(t, s, limit) {
		// What is skimmed of a message over the limit is not compared with the simple splitter.
		if size, _, ok := strings.Cut(frame, " bytes, version "); ok && strings.HasPrefix(size, "<") {
			frame = size
		}
		frames = append(frames, frame)
	}
	mustWrite(t, s, "{}")
	return frames, out.String()
}

func splitLines(in []byte, limit int) (frames []string) {
	for line := range strings.SplitSeq(string(in), "\n") {
		line = strings.TrimSuffix(strings.TrimPrefix(line, bom), "\r")
		switch {
		case limit > 0 && len(line) > limit:
			frames = append(frames, "<"+strconv.Itoa(len(line)))
		case strings.Trim(line, " \t\r") != "":
			if size, _, ok := strings.Cut(line, " bytes, version "); ok && strings.HasPrefix(size, "<") {
				line = size
			}
			frames = append(frames, line)
		}
	}
	return frames
}
