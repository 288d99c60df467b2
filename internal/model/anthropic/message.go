package anthropic

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// A message is what has come of an answer. The library would keep it for us, but joins all that was said with each piece:
// that takes the square of an answer's length.
type message struct {
	parts  []*part         // in the order in which they began
	at     map[int64]*part // the last one of each index: some servers count anew, or leave an index out
	usage  sdk.Usage
	reason sdk.StopReason
	why    sdk.RefusalStopDetails
}

// A part is a block of a message on its way.
type part struct {
	start acp.Raw // as it began
	kind  string
	id    string
	name  string
	given acp.Raw // the input that it began with
	ended bool

	text, thinking, signature, input pieces
	citations                        []acp.Raw

	call *model.Call // what the part says when it has ended, if it is a call
}

// pieces are a member of a block: what it was at first, and what has come since.
type pieces struct {
	strings.Builder
	grown bool // something has come since
}

func (p *pieces) add(s string) {
	if s != "" {
		p.grown = true
		p.WriteString(s)
	}
}

// begin begins a part. The one before it with the same index is no longer reached.
func (m *message) begin(e *sdk.MessageStreamEventUnion) *part {
	b := e.ContentBlock
	p := &part{start: acp.Raw(b.RawJSON()), kind: b.Type, id: b.ID, name: b.Name}
	p.text.WriteString(b.Text)
	p.thinking.WriteString(b.Thinking)
	p.signature.WriteString(b.Signature)
	if b.JSON.Input.Valid() {
		p.given = acp.Raw(b.JSON.Input.Raw())
	}
	if m.at == nil {
		m.at = map[int64]*part{}
	}
	m.parts, m.at[e.Index] = append(m.parts, p), p
	return p
}

// part is the part that an event is about.
func (m *message) part(e *sdk.MessageStreamEventUnion) (*part, error) {
	p := m.at[e.Index]
	if p == nil {
		return nil, garbled(fmt.Errorf("an event of the type %s is about the block %d, which has not begun", e.Type, e.Index))
	}
	return p, nil
}

func (p *part) add(d *sdk.MessageStreamEventUnionDelta) {
	p.text.add(d.Text)
	p.thinking.add(d.Thinking)
	p.signature.add(d.Signature)
	p.input.add(d.PartialJSON)
	if c := d.JSON.Citation; c.Valid() {
		p.citations = append(p.citations, acp.Raw(c.Raw()))
	}
}

// written is the input that the model has written.
func (p *part) written() string {
	if s := p.input.String(); strings.TrimSpace(s) != "" {
		return s
	}
	return string(p.given)
}

// count takes what an event says of the message's tokens so far. All numbers are totals that only grow; some servers say 0 for
// what they have said before.
func (m *message) count(u sdk.MessageDeltaUsage) {
	for _, n := range []struct {
		total *int64
		now   int64
	}{
		{&m.usage.InputTokens, u.InputTokens},
		{&m.usage.OutputTokens, u.OutputTokens},
		{&m.usage.CacheReadInputTokens, u.CacheReadInputTokens},
		{&m.usage.CacheCreationInputTokens, u.CacheCreationInputTokens},
		{&m.usage.OutputTokensDetails.ThinkingTokens, u.OutputTokensDetails.ThinkingTokens},
	} {
		*n.total = max(*n.total, n.now)
	}
}

// end takes what an event says of the message's end.
func (m *message) end(d *sdk.MessageStreamEventUnionDelta) {
	if d.StopReason != "" {
		m.reason, m.why = d.StopReason, d.StopDetails
	}
}

// block is the part as the API takes it back: as it came, with what has come since.
func (p *part) block() (block, bool) {
	changes := map[string]acp.Raw{}
	for name, m := range map[string]*pieces{"text": &p.text, "thinking": &p.thinking, "signature": &p.signature} {
		if m.grown {
			changes[name] = quote(m.String())
		}
	}
	switch {
	case p.call != nil:
		changes["id"], changes["name"], changes["input"] = quote(p.call.ID), quote(p.call.Name), p.call.Input
	case p.input.grown && model.IsObject([]byte(p.input.String())):
		changes["input"] = acp.Raw(p.input.String())
	}
	if len(p.citations) > 0 {
		changes["citations"] = list(p.citations)
	}
	raw, err := changed(p.start, changes)
	if err != nil {
		return block{}, false
	}
	return blockOf(raw)
}

// quote writes a string as the API does.
func quote(s string) acp.Raw {
	quoted, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD")) // fails only on what has just been replaced
	return quoted
}

// list writes a list of values.
func list(values []acp.Raw) acp.Raw {
	out := []byte{'['}
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
}

// changed returns an object with other values for some of its members, or with new members; the old ones keep their order.
func changed(object acp.Raw, changes map[string]acp.Raw) (acp.Raw, error) {
	if len(changes) == 0 {
		return object, nil
	}
	d := jsontext.NewDecoder(bytes.NewReader(object), lenient)
	if begin, err := d.ReadToken(); err != nil || begin.Kind() != '{' {
		return nil, fmt.Errorf("no object, but %q: %w", object, err)
	}
	var members []acp.Raw
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		value = value.Clone()
		if other, ok := changes[key]; ok {
			value = jsontext.Value(other)
			delete(changes, key)
		}
		members = append(members, member(key, acp.Raw(value)))
	}
	for _, key := range slices.Sorted(maps.Keys(changes)) {
		members = append(members, member(key, changes[key]))
	}
	out := list(members)
	out[0], out[len(out)-1] = '{', '}'
	return out, nil
}

func member(name string, value acp.Raw) acp.Raw {
	return append(append(quote(name), ':'), value...)
}
