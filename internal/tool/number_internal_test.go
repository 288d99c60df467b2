package tool

import (
	"fmt"
	"testing"
)

func TestNumbersOfLines(t *testing.T) {
	for _, n := range []int{1, 9, 10, 11, 99, 100, 12_345, 99_999, 100_000, 999_999, 1_000_000, 123_456_789} {
		if got, want := string(appendNumber(nil, n)), fmt.Sprintf("%6d\t", n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}
