package anthropic_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/model"
)

// canned returns a client that gets the stream for an answer, whatever it asks.
func canned(stream string) *http.Client {
	return &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		header := http.Header{"Content-Type": {"text/event-stream"}}
		return &http.Response{StatusCode: 200, Header: header, Body: io.NopCloser(strings.NewReader(stream)), Request: r}, nil
	})}
}

// BenchmarkDeltas reads an answer of so many pieces: of text, and of a call's input. What a piece costs must not depend on
// how many came before it.
func BenchmarkDeltas(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		text := strings.Repeat(events(blockDelta(0, `{"type":"text_delta","text":"a word "}`)), n)
		input := strings.Repeat(events(blockDelta(0, `{"type":"input_json_delta","partial_json":"a word "}`)), n)
		for name, stream := range map[string]string{
			"text": events(start, blockStart(0, `{"type":"text","text":""}`)) + text + events(blockStop(0), ends("end_turn"), stop),
			"input": events(start, blockStart(0, `{"type":"tool_use","id":"a","name":"x","input":{}}`), blockDelta(0, `{"type":"input_json_delta","partial_json":"{\"a\":\""}`)) +
				input + events(blockDelta(0, `{"type":"input_json_delta","partial_json":"\"}"}`), blockStop(0), ends("tool_use"), stop),
		} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				o := options("")
				o.HTTP = canned(stream)
				m := newModel(b, o)
				b.ReportAllocs()
				for b.Loop() {
					for _, err := range m.Stream(b.Context(), &model.Request{Messages: []model.Message{user("go on")}}) {
						if err != nil {
							b.Fatal(err)
						}
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/piece")
			})
		}
	}
}

// What an answer costs grows with its length, not with the square of it.
func TestALongAnswerTakesLinearMemory(t *testing.T) {
	const n, most = 8_000, 8 << 10 // pieces, and bytes for each
	stream := events(start, blockStart(0, `{"type":"text","text":""}`)) +
		strings.Repeat(events(blockDelta(0, `{"type":"text_delta","text":"a word "}`)), n) + events(blockStop(0), ends("end_turn"), stop)
	o := options("")
	o.HTTP = canned(stream)
	m := newModel(t, o)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	said := 0
	for event, err := range m.Stream(t.Context(), &model.Request{Messages: []model.Message{user("go on")}}) {
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := event.(model.Text); ok {
			said += len(text)
		}
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; said != n*len("a word ") || got > n*most {
		t.Errorf("%d bytes of text have taken %d bytes, %d a piece", said, got, got/n)
	}
}
