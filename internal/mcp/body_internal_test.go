package mcp

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// endlessly reads zeros.
type endlessly struct{}

func (endlessly) Read(p []byte) (int, error) { return len(p), nil }

func TestAStreamIsReadNoFasterThanItIsWorth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		b := &body{ReadCloser: io.NopCloser(endlessly{}), ctx: ctx, release: cancel, stream: true, left: streamBurst, since: time.Now()}
		begun := time.Now()
		if _, err := io.CopyN(io.Discard, b, streamBurst); err != nil || time.Since(begun) != 0 {
			t.Errorf("the first bytes take %v: %v", time.Since(begun), err)
		}
		_, err := io.CopyN(io.Discard, b, 4*streamRate)
		if took := time.Since(begun); err != nil || took < 4*time.Second || took > 5*time.Second {
			t.Errorf("four seconds' worth takes %v: %v", took, err)
		}
		time.AfterFunc(time.Second, cancel)
		if _, err := io.Copy(io.Discard, b); !errors.Is(err, context.Canceled) {
			t.Errorf("at the end: %v", err)
		}
	})
}

func TestAnAnswerHasAnEnd(t *testing.T) {
	b := &body{ReadCloser: io.NopCloser(endlessly{}), left: maxMessage}
	if n, err := io.Copy(io.Discard, b); n != maxMessage || err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("%d bytes: %v", n, err)
	}
}
