package rawjson

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// A huge text is checked and read in two halves: whatever stands where they meet, the result is that of one pass.
func TestHugeTextsInHalves(t *testing.T) {
	defer func(size int) { parallelText = size }(parallelText)
	parallelText = 128
	const size = 1 << 10
	for _, piece := range []string{
		"x", "é", "𝄞", `\n`, `\\`, `\"`, `\u00e9`, `\ud834\udd1e`, `\udd1e`, `\\\\\\\"\\\\u\\`, "\xff",
		`"`, `", "`, "\x01", `\x`, `\u12g4`, `\`, strings.Repeat(`\\`, 100), strings.Repeat(`\u0041`, 40),
	} {
		for shift := range 8 + len(piece) {
			text := strings.Repeat("a", size/2+4-shift) + piece
			text += strings.Repeat(`b`, size-len(text))
			for _, end := range []string{`"`, `":1}`, "", "\n", `\`, `\u`, `\u00`, `", 1, 2`} {
				b := []byte(`{"` + text + end)
				i, err := skipInside(b, 2)
				wantI, wantErr := skipSerially(b, 2)
				if i != wantI || describe(err) != describe(wantErr) {
					t.Fatalf("%q %d characters before the middle, %q at the end: checked up to %d (%v), want %d (%v)",
						piece, shift, end, i, err, wantI, wantErr)
				}
				if err == nil {
					sameText(t, b, 2)
				}
			}
		}
	}
}

func sameText(t *testing.T, b []byte, i int) {
	t.Helper()
	got, want := make([]byte, len(b)), make([]byte, len(b))
	n, end, ascii := unescapeHuge(got, b, i)
	wantN, wantEnd, _ := unescapeToQuote(want, b, i)
	if end != wantEnd || string(got[:n]) != string(want[:wantN]) {
		t.Fatalf("%q is read as %q up to %d, want %q up to %d", b, got[:n], end, want[:wantN], wantEnd)
	}
	if ascii && strings.ContainsFunc(string(b[i:end]), func(r rune) bool { return r >= utf8.RuneSelf }) {
		t.Fatalf("%q is taken for ASCII", b)
	}
}

func describe(err error) string {
	if err == nil {
		return "valid"
	}
	return err.Error()
}
