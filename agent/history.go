package agent

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/patchbay-dev/patchbay/acp"
)

// A HistoryTurn is a turn as Session.History returns it.
type HistoryTurn struct {
	// Prompt is the user's message; nil for updates that came before the first turn.
	Prompt []acp.ContentBlock

	// Updates are what was said and done in the turn, and after it until the next one: messages, thoughts, tool calls,
	// plans, compactions, subagents. Pieces of one message are joined. What is a state of the session rather than a part
	// of the conversation (commands, mode, options, usage) and what is fleeting (notices) is left out.
	Updates []acp.SessionUpdate

	// StopReason says how the turn ended. Empty means that it is running, or that it failed.
	StopReason acp.StopReason
}

// A history is what Session.History returns, and what it takes to keep it.
type history struct {
	keep  atomic.Bool
	limit int // bytes

	mu    sync.Mutex // guards everything below
	turns []*record
	bytes int
}

type record struct {
	HistoryTurn
	bytes int
	piece []byte // of the message whose pieces come now; its update is the last, with an empty text
}

// errNoHistory is returned where history was not asked for.
var errNoHistory = errors.New("the agent keeps no history: set Options.KeepHistory")

// History returns the turns of the session so far, the running one included, without those that were refused and what
// followed from them. It needs Options.KeepHistory, and is empty without. It must not be changed.
func (s *Session) History() []HistoryTurn {
	h := &s.history
	h.mu.Lock()
	defer h.mu.Unlock()
	turns := make([]HistoryTurn, len(h.turns))
	for i, r := range h.turns {
		r.join()
		turns[i] = r.HistoryTurn
		turns[i].Updates = slices.Clone(r.Updates)
	}
	return turns
}

// Restore makes turns the history of the session, such as a Loader read from its store. It needs Options.KeepHistory.
func (s *Session) Restore(turns []HistoryTurn) error {
	h := &s.history
	if !h.keep.Load() {
		return errNoHistory
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.turns, h.bytes = nil, 0
	for _, turn := range turns {
		r := &record{HistoryTurn: turn}
		r.Updates = slices.Clone(turn.Updates)
		h.appendLocked(r, promptSize(turn.Prompt))
		for _, u := range turn.Updates {
			h.growLocked(r, updateSize(u))
		}
	}
	return nil
}

// ForgetHistory forgets the history of the session and has none kept from now on, whatever Options.KeepHistory says: what is
// recorded elsewhere need not be in memory too.
func (s *Session) ForgetHistory() {
	h := &s.history
	h.keep.Store(false)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.turns, h.bytes = nil, 0
}

// begin begins a turn.
func (h *history) begin(prompt []acp.ContentBlock) {
	if !h.keep.Load() {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.appendLocked(&record{HistoryTurn: HistoryTurn{Prompt: prompt}}, promptSize(prompt))
}

// end ends the turn that was begun last. A refused one is forgotten, since its prompt and all that came after it will
// not be in the next prompt.
func (h *history) end(stop acp.StopReason, failure error) {
	if !h.keep.Load() {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.turns) == 0 {
		return
	}
	last := h.turns[len(h.turns)-1]
	last.join()
	if failure != nil {
		return
	}
	last.StopReason = stop
	if stop == acp.StopReasonRefusal {
		h.turns = h.turns[:len(h.turns)-1]
		h.bytes -= last.bytes
	}
}

// add notes an update.
func (h *history) add(u acp.SessionUpdate) {
	if !h.keep.Load() || !isConversation(u) {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.turns) == 0 {
		h.appendLocked(&record{}, 0)
	}
	last := h.turns[len(h.turns)-1]
	if size, ok := last.extend(u); ok {
		h.growLocked(last, size)
		return
	}
	last.join()
	last.Updates = append(last.Updates, u)
	h.growLocked(last, updateSize(u))
}

func (h *history) appendLocked(r *record, size int) {
	h.turns = append(h.turns, r)
	h.growLocked(r, size)
}

// growLocked counts bytes and forgets the oldest turns if there are too many.
func (h *history) growLocked(r *record, size int) {
	r.bytes += size
	h.bytes += size
	for h.bytes > h.limit && len(h.turns) > 1 {
		h.bytes -= h.turns[0].bytes
		h.turns[0] = nil
		h.turns = h.turns[1:]
	}
}

// isConversation reports whether an update belongs in a replay.
func isConversation(u acp.SessionUpdate) bool {
	switch u.(type) {
	case *acp.Notice, *acp.AvailableCommandsUpdate, *acp.CurrentModeUpdate, *acp.ConfigOptionUpdate, *acp.UsageUpdate:
		return false
	}
	return true
}

// extend adds a piece of text to the message that came last, if it belongs to it.
func (r *record) extend(u acp.SessionUpdate) (size int, ok bool) {
	text, id, thought := piece(u)
	if text == nil || id == "" || len(r.Updates) == 0 {
		return 0, false
	}
	before, beforeID, beforeThought := piece(r.Updates[len(r.Updates)-1])
	if before == nil || beforeID != id || beforeThought != thought {
		return 0, false
	}
	if r.piece == nil {
		r.piece = []byte(before.Text)
	}
	r.piece = append(r.piece, text.Text...)
	return len(text.Text), true
}

// join makes one update of the pieces that extend has gathered.
func (r *record) join() {
	if r.piece == nil {
		return
	}
	last := &r.Updates[len(r.Updates)-1]
	_, id, thought := piece(*last)
	content := acp.Text(string(r.piece))
	if thought {
		*last = &acp.AgentThoughtChunk{Content: content, MessageID: id}
	} else {
		*last = &acp.AgentMessageChunk{Content: content, MessageID: id}
	}
	r.piece = nil
}

// piece returns the text of an update that is nothing but a piece of text.
func piece(u acp.SessionUpdate) (text *acp.TextContent, id acp.MessageID, thought bool) {
	var content acp.ContentBlock
	switch c := u.(type) {
	case *acp.AgentMessageChunk:
		if c.Meta == nil && c.Unknown == nil {
			content, id = c.Content, c.MessageID
		}
	case *acp.AgentThoughtChunk:
		if c.Meta == nil && c.Unknown == nil {
			content, id, thought = c.Content, c.MessageID, true
		}
	}
	text, ok := content.(*acp.TextContent)
	if !ok || text.Annotations != nil || text.Meta != nil || text.Unknown != nil {
		return nil, "", false
	}
	return text, id, thought
}

// updateSize is about what an update is in JSON, in bytes.
func updateSize(u acp.SessionUpdate) int {
	if text, _, _ := piece(u); text != nil {
		return len(text.Text) + 100
	}
	size, err := sizeOf(u)
	if err != nil {
		return 100 // it can't be sent either
	}
	return size
}

func promptSize(prompt []acp.ContentBlock) int {
	size := 100
	for _, block := range prompt {
		size += updateSize(&acp.UserMessageChunk{Content: block})
	}
	return size
}
