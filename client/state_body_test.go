package client

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unsafe"
	"weak"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/patchbay-dev/patchbay/acp"
)

// A plainBody is a body made in the plainest way.
type plainBody struct {
	text   string
	blocks []acp.ContentBlock
	in     bool
}

func (b *plainBody) add(block acp.ContentBlock) {
	text, ok := block.(*acp.TextContent)
	if !ok {
		b.blocks, b.in = append(b.blocks, block), false
		return
	}
	b.text += text.Text
	switch plain := text.Annotations == nil; {
	case plain && b.in:
		last := b.blocks[len(b.blocks)-1].(*acp.TextContent)
		b.blocks[len(b.blocks)-1] = acp.Text(last.Text + text.Text)
	default:
		b.blocks, b.in = append(b.blocks, text), plain
	}
}

// drawBlock draws a chunk: mostly text, of lengths about those where a body treats pieces in another way.
func drawBlock(t *rapid.T) acp.ContentBlock {
	n := rapid.SampledFrom([]int{0, 1, 3, 100, longPiece - 1, longPiece, longPiece + 1, shortText, 10 << 10}).Draw(t, "length")
	text := strings.Repeat(rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "letter"), n)
	switch rapid.IntRange(0, 30).Draw(t, "kind") {
	case 0:
		return acp.Link(text, "u")
	case 1:
		return &acp.TextContent{Text: text, Annotations: &acp.Annotations{Audience: []acp.Role{acp.RoleUser}}}
	}
	return acp.Text(text)
}

// A body says the same whether it is read after each chunk, never before the end, or now and then; and what was read once
// never changes.
func TestStateBodyIsTheSameHoweverOftenItIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		blocks := rapid.SliceOfN(rapid.Custom(drawBlock), 0, 100).Draw(t, "blocks")
		var never, always, sometimes body
		var plain plainBody
		var kept []Body
		var keptTexts []string
		for _, block := range blocks {
			for _, b := range []interface{ add(acp.ContentBlock) }{&never, &always, &sometimes, &plain} {
				b.add(block)
			}
			if got := always.view(); got.Text() != plain.text {
				t.Fatalf("a text of %d bytes, want %d", len(got.Text()), len(plain.text))
			}
			if rapid.Bool().Draw(t, "read") {
				kept, keptTexts = append(kept, sometimes.view()), append(keptTexts, plain.text)
			}
		}
		for name, b := range map[string]*body{"never": &never, "always": &always, "sometimes": &sometimes} {
			v := b.view()
			if v.Text() != plain.text {
				t.Errorf("%s read: a text of %d bytes, want %d", name, len(v.Text()), len(plain.text))
			}
			if diff := cmp.Diff(asJSON(plain.blocks), asJSON(v.Blocks())); diff != "" {
				t.Errorf("%s read: -want +got\n%s", name, diff)
			}
		}
		for i, v := range kept {
			if v.Text() != keptTexts[i] {
				t.Errorf("what was read after piece %d has changed", i)
			}
		}
	})
}

// allocated returns how many bytes f takes, those included that it gives back.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// fill makes a message of chunks of a size. If it is read, it is read after each, as a user interface does.
func fill(size, chunks int, read bool) *State {
	s := new(State)
	u := acp.AgentText(strings.Repeat("x", size))
	for range chunks {
		s.Apply(u)
		if read {
			_ = s.Messages().At(0).Text()
		}
	}
	return s
}

// Ten times the chunks take about ten times the memory, and so the time: nothing is copied again for each chunk.
func TestStateTextIsLinear(t *testing.T) {
	for _, size := range []int{100, 10 << 10} {
		cost := func(chunks int) uint64 {
			return allocated(func() {
				if got := len(fill(size, chunks, true).Messages().At(0).Text()); got != size*chunks {
					t.Errorf("the text has %d B, want %d", got, size*chunks)
				}
			})
		}
		if small, large := cost(100), cost(1000); large > 20*small {
			t.Errorf("100 chunks of %d B take %d B, 1,000 take %d B", size, small, large)
		}
	}
}

// A long text that nobody reads is kept as it came, and short pieces cost what they have, and no more than half as much again
// beside.
func TestStateUnreadTextIsNotCopied(t *testing.T) {
	const mb = 1 << 20
	for name, test := range map[string]struct {
		sizes []int
		most  uint64
	}{
		"long":  {[]int{10 << 10}, mb / 10},
		"short": {[]int{100}, mb * 3 / 2},
		"mixed": {[]int{10 << 10, 100}, mb / 10},
	} {
		t.Run(name, func(t *testing.T) {
			var b body
			var blocks []acp.ContentBlock
			for _, size := range test.sizes {
				blocks = append(blocks, acp.Text(strings.Repeat("x", size)))
			}
			if got := allocated(func() {
				for b.text.len() < mb {
					b.addAll(blocks)
				}
			}); got > test.most {
				t.Errorf("%d B of text take %d B, want %d at most", b.text.len(), got, test.most)
			}
		})
	}
}

// Once a text has been joined, the pieces are no longer kept alive.
func TestStateJoinedTextLetsThePiecesGo(t *testing.T) {
	var b body
	b.add(acp.Text(strings.Repeat("x", shortText)))
	piece := make([]byte, 10<<10)
	kept := weak.Make(&piece[0])
	b.add(acp.Text(unsafe.String(&piece[0], len(piece))))
	piece = nil
	runtime.GC()
	if kept.Value() == nil {
		t.Fatal("the piece was copied before anybody has read it")
	}
	if got := len(b.view().Text()); got != shortText+10<<10 {
		t.Errorf("a text of %d bytes", got)
	}
	eventuallyCollected(t, kept)
	runtime.KeepAlive(&b)
}

func eventuallyCollected(t *testing.T, p weak.Pointer[byte]) {
	t.Helper()
	for range 10 {
		runtime.GC()
		if p.Value() == nil {
			return
		}
	}
	t.Error("the piece is still in memory")
}

func BenchmarkStateChunks(b *testing.B)              { benchmarkChunks(b, false) }
func BenchmarkStateChunksReadAfterEach(b *testing.B) { benchmarkChunks(b, true) }

// benchmarkChunks makes messages of 10 MB.
func benchmarkChunks(b *testing.B, read bool) {
	for _, size := range []int{100, 10 << 10} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			chunks := 10 << 20 / size
			b.SetBytes(int64(chunks * size))
			b.ReportAllocs()
			for b.Loop() {
				fill(size, chunks, read)
			}
		})
	}
}
