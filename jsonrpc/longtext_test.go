package jsonrpc_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// An essay is a value with long texts.
type essay struct {
	Title string   `json:"title"`
	Parts []string `json:"parts"`
	whole bool     // has nothing cut out
}

func (e *essay) AppendJSON(dst []byte) ([]byte, error) {
	text, err := json.Marshal(e)
	return append(dst, text...), err
}

func (e *essay) CutTexts(min int, mark string) (jsonrpc.Appender, []string) {
	short := &essay{Title: e.Title}
	var texts []string
	for _, part := range e.Parts {
		if !e.whole && len(part) >= min {
			texts = append(texts, part)
			part = mark
		}
		short.Parts = append(short.Parts, part)
	}
	return short, texts
}

// newPipes is newPair over pipes of the system, where messages may be written in pieces.
func newPipes(t *testing.T, opts jsonrpc.Options, framing transport.Options) (*jsonrpc.Conn, *rawPeer) {
	hereIn, thereOut := io.Pipe()
	thereIn, hereOut := io.Pipe()
	ours, theirs := transport.New(hereIn, hereOut, framing), transport.New(thereIn, thereOut, framing)
	conn := jsonrpc.NewConn(ours, newStage(), opts)
	t.Cleanup(func() {
		_ = conn.Close()
		_ = theirs.Close()
		_ = conn.Wait()
	})
	return conn, &rawPeer{t: t, stream: theirs}
}

// TestLongTextsInPieces sends long texts with all that needs an escape, and compares with the same message in one piece.
func TestLongTextsInPieces(t *testing.T) {
	long := strings.Repeat("so \"long\"\n\\ é \u2028 \x01", 1<<16)
	for name, c := range map[string]struct {
		title string
		parts []string
	}{
		"one":             {"t", []string{long}},
		"among short":     {"t", []string{"a", long, "b", long + long, "c"}},
		"none":            {"t", []string{"a", "b"}},
		"the mark itself": {"(a long text)", []string{"(a long text)", long}},
	} {
		for _, headers := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				conn, peer := newPipes(t, jsonrpc.Options{}, transport.Options{ContentLength: headers})
				for _, whole := range []bool{false, true} {
					go func() {
						_ = conn.Notify(t.Context(), "before", nil)
						_ = conn.Notify(t.Context(), "essay", &essay{c.title, c.parts, whole})
						_ = conn.Notify(t.Context(), "after", nil)
					}()
					want, _ := json.Marshal(&essay{Title: c.title, Parts: c.parts})
					before, got, after := peer.receive(), peer.receive(), peer.receive()
					if !strings.Contains(before, "before") || !strings.Contains(after, "after") {
						t.Errorf("got %.100s before and %.100s after", before, after)
					}
					var message struct{ Params essay }
					if err := json.Unmarshal([]byte(got), &message, json.MatchCaseInsensitiveNames(true)); err != nil {
						t.Fatal(err)
					}
					if again, _ := json.Marshal(&message.Params); string(again) != string(want) {
						t.Errorf("whole %t: %d bytes arrived, want %d", whole, len(again), len(want))
					}
				}
			})
		}
	}
}

// TestW2_LongTextOverTheLimit: what is cut out counts, to the byte.
func TestW2_LongTextOverTheLimit(t *testing.T) {
	const frame = len(`{"jsonrpc":"2.0","method":"essay","params":{"title":"","parts":["",""]}}`)
	part := strings.Repeat("\n", 1<<20) // as an escape of two bytes each, but that is known only when it is written
	limit := frame + 2*2*len(part)
	conn, peer := newPipes(t, jsonrpc.Options{MaxMessageBytes: limit}, transport.Options{})
	err := conn.Notify(t.Context(), "essay", &essay{Parts: []string{part, part + "x"}})
	var tooLarge *jsonrpc.TooLargeError
	if !errors.As(err, &tooLarge) || tooLarge.Size != int64(limit+1) {
		t.Errorf("got %v", err)
	}
	go func() { _ = conn.Notify(t.Context(), "essay", &essay{Parts: []string{part, part}}) }()
	if got := peer.receive(); len(got) != limit {
		t.Errorf("%d bytes arrived, want %d", len(got), limit)
	}
}

// TestObserverSeesLongTexts: whoever observes gets whole messages.
func TestObserverSeesLongTexts(t *testing.T) {
	seen := make(chan int, 1)
	conn, peer := newPipes(t, jsonrpc.Options{Observe: func(tr jsonrpc.Traffic) { seen <- len(tr.Data) }}, transport.Options{})
	go func() { _ = conn.Notify(t.Context(), "essay", &essay{Parts: []string{strings.Repeat("x", 1<<20)}}) }()
	if got := peer.receive(); <-seen != len(got) {
		t.Error("the observer saw something else")
	}
}

// TestW7_CancelWithinALongText: a call that nobody reads ends with its context, and Close ends the writing.
func TestW7_CancelWithinALongText(t *testing.T) {
	conn, _ := newPipes(t, jsonrpc.Options{}, transport.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- conn.Call(ctx, "essay", &essay{Parts: []string{strings.Repeat("x", 1<<22)}}, nil) }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	_ = conn.Close() // and goleak sees that nobody is left
}
