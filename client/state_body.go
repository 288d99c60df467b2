package client

import (
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Body is content that came in chunks. Texts that follow each other are one block, unless one has annotations or other
// members of its own.
type Body struct {
	blocks []acp.ContentBlock // shared with later Bodies, which only append
	text   string             // of all blocks
	open   int                // where in text the last block begins if it isn't among blocks; -1 if it is
}

// Text returns the text of all text blocks, one after the other. It costs nothing.
func (b Body) Text() string { return b.text }

// Blocks returns the content. The slice is the caller's, the blocks must not be changed.
func (b Body) Blocks() []acp.ContentBlock {
	blocks := slices.Clone(b.blocks)
	if b.open >= 0 {
		blocks = append(blocks, acp.Text(b.text[b.open:]))
	}
	return blocks
}

// A body collects chunks in time linear to their size, however often it is viewed.
type body struct {
	text   text
	blocks []acp.ContentBlock
	in     bool // the last block is text that more text is joined to
	start  int  // where it begins
}

func (b *body) add(block acp.ContentBlock) {
	text, ok := block.(*acp.TextContent)
	if ok && text.Annotations == nil && len(text.Meta) == 0 && len(text.Unknown) == 0 {
		if !b.in {
			b.in, b.start = true, b.text.len()
		}
		b.text.add(text.Text)
		return
	}
	if b.in {
		b.in = false
		b.blocks = append(b.blocks, acp.Text(b.text.join()[b.start:]))
	}
	if ok {
		b.text.add(text.Text)
	}
	if block != nil {
		b.blocks = append(b.blocks, block)
	}
}

func (b *body) addAll(blocks []acp.ContentBlock) {
	for _, block := range blocks {
		b.add(block)
	}
}

// addWhole adds blocks that are no chunks: texts stay apart.
func (b *body) addWhole(blocks []acp.ContentBlock) {
	for _, block := range blocks {
		if text, ok := block.(*acp.TextContent); ok {
			b.text.add(text.Text)
		}
	}
	b.blocks = append(b.blocks, blocks...)
}

func (b *body) view() Body {
	v := Body{blocks: b.blocks[:len(b.blocks):len(b.blocks)], text: b.text.join(), open: -1}
	if b.in {
		v.open = b.start
	}
	return v
}

// A text grows piece by piece and is joined when somebody wants to read it. What was joined stands in one builder, whose
// earlier strings stay valid; what has come since waits. To join each piece at once would touch, with the doubling of
// the builder, three times the memory of a long text, for nothing if nobody reads it.
type text struct {
	joined strings.Builder
	pieces []string // that follow what is joined
	size   int      // of all pieces

	// short is memory for short pieces. If last is not negative, the last piece is what stands there from last on, and
	// may grow.
	short strings.Builder
	last  int
}

// From longPiece bytes on, a piece is kept as it came, with the memory that it stands in. Texts of up to shortText bytes
// are joined at once.
const (
	longPiece = 1 << 10
	shortText = 4 << 10
)

func (t *text) len() int { return t.joined.Len() + t.size }

func (t *text) add(s string) {
	n := t.joined.Len() + len(s)
	switch {
	case s == "":
	case len(t.pieces) == 0 && n <= max(shortText, t.joined.Cap()): // there is room, or it costs little to make room
		t.joined.Grow(len(s))
		t.joined.WriteString(s)
	case len(s) >= longPiece:
		t.keep(s)
		t.last = -1
	default:
		t.addShort(s)
	}
}

func (t *text) keep(s string) {
	t.pieces = append(t.pieces, s)
	t.size += len(s)
}

func (t *text) addShort(s string) {
	if t.short.Cap()-t.short.Len() < len(s) {
		t.short = strings.Builder{}
		t.short.Grow(min(max(t.len()/4, longPiece), 16*longPiece))
		t.last = -1
	}
	at := t.short.Len()
	t.short.WriteString(s)
	if t.last < 0 {
		t.last = at
		t.keep(t.short.String()[at:])
		return
	}
	t.pieces[len(t.pieces)-1] = t.short.String()[t.last:]
	t.size += len(s)
}

// join returns the whole text. The builder grows to at least twice its size when it has no room, so that whoever reads
// after each piece has all of it copied a few times, not once a piece; and the pieces are let go.
func (t *text) join() string {
	if len(t.pieces) > 0 {
		t.joined.Grow(t.size)
		for _, s := range t.pieces {
			t.joined.WriteString(s)
		}
		t.pieces, t.size, t.short = nil, 0, strings.Builder{}
	}
	return t.joined.String()
}

// unpin copies the text of a chunk that is the lesser part of the message it came in, of size bytes: a long text is a part
// of the message's memory, and a State that keeps it must not keep much else with it.
func unpin(u acp.SessionUpdate, size int) {
	var content acp.ContentBlock
	switch u := u.(type) {
	case *acp.UserMessageChunk:
		content = u.Content
	case *acp.AgentMessageChunk:
		content = u.Content
	case *acp.AgentThoughtChunk:
		content = u.Content
	case *acp.CompactionSummaryChunk:
		content = u.Content
	case *acp.SessionMessageChunk:
		content = u.Content
	}
	if t, ok := content.(*acp.TextContent); ok && len(t.Text) >= longPiece && len(t.Text) < size/2 {
		t.Text = strings.Clone(t.Text)
	}
}
