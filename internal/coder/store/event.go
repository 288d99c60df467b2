package store

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Kind says what an event is. Values are in the file.
type Kind uint8

// The kinds of events.
const (
	KindUpdate Kind = 1 // a session update
	KindPrompt Kind = 2 // what the user said: a list of content blocks
	KindEnd    Kind = 3 // the end of a turn: a stop reason, empty if the turn failed
)

// An Event is something that the client saw.
type Event struct {
	// Number says which one it is of its session, from 1 on, without gaps. Append gives it.
	Number uint64

	// Time is when it was appended, when its first piece was if it has several. Append sets it.
	Time time.Time

	Kind Kind
	Data []byte // JSON
}

// What a notification has around an update, see UpdateEvent.
const (
	notificationHead = `{"sessionId":"","update":`
	notificationTail = `}`
)

// UpdateEvent is an update that went to the client. It is written as part of a notification: only there does each update say
// of what type it is.
func UpdateEvent(u acp.SessionUpdate) (Event, error) {
	text, err := acp.SessionNotification{Update: u}.AppendJSON(nil)
	if err != nil {
		return Event{}, err
	}
	data, begins := bytes.CutPrefix(text, []byte(notificationHead))
	data, ends := bytes.CutSuffix(data, []byte(notificationTail))
	if !begins || !ends {
		return Event{}, fmt.Errorf("an update can't be taken out of its notification, which is %.100s", text)
	}
	return Event{Kind: KindUpdate, Data: data}, nil
}

// Update returns the update that the event is.
func (e Event) Update() (acp.SessionUpdate, error) {
	var u acp.SessionUpdate
	if e.Kind != KindUpdate {
		return nil, fmt.Errorf("event %d is no update", e.Number)
	}
	_, err := acp.Decode(e.Data, &u)
	return u, err
}

// PromptEvent is what the user said.
func PromptEvent(blocks []acp.ContentBlock) (Event, error) {
	data := []byte("[")
	for i, block := range blocks {
		if i > 0 {
			data = append(data, ',')
		}
		text, err := json.Marshal(block)
		if err != nil {
			return Event{}, err
		}
		data = append(data, text...)
	}
	return Event{Kind: KindPrompt, Data: append(data, ']')}, nil
}

// Prompt returns the prompt that the event is.
func (e Event) Prompt() ([]acp.ContentBlock, error) {
	var blocks []acp.ContentBlock
	if e.Kind != KindPrompt {
		return nil, fmt.Errorf("event %d is no prompt", e.Number)
	}
	_, err := acp.Decode(e.Data, &blocks)
	return blocks, err
}

// EndEvent is the end of a turn. The reason is empty if it failed.
func EndEvent(reason acp.StopReason) (Event, error) {
	data, err := json.Marshal(string(reason))
	return Event{Kind: KindEnd, Data: data}, err
}

// StopReason returns how the turn ended that the event is the end of.
func (e Event) StopReason() (reason acp.StopReason, err error) {
	if e.Kind != KindEnd {
		return "", fmt.Errorf("event %d is no end of a turn", e.Number)
	}
	err = json.Unmarshal(e.Data, (*string)(&reason))
	return reason, err
}

// maxPiece is how long events become by joining, in bytes: as much as fits a page of the file. So a message of any length is
// appended to at the same cost.
const maxPiece = 3 << 10

// pieceHeads are how an update begins that is nothing but a piece of text: as package acp writes it, without anything that is
// not in front of the text or behind it.
var pieceHeads = [][]byte{
	[]byte(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`),
	[]byte(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"`),
}

// A piece is an update that is nothing but a piece of text.
type piece struct {
	data       []byte
	begin, end int // of the text, as it stands in JSON
}

// parsePiece returns an update as a piece, without a copy.
func parsePiece(update []byte) (p piece, ok bool) {
	for _, head := range pieceHeads {
		rest, ok := bytes.CutPrefix(update, head)
		if !ok {
			continue
		}
		length := endOfString(rest)
		if length < 0 || !isTail(rest[length:]) || !standsAlone(rest[:length]) {
			return piece{}, false
		}
		return piece{update, len(head), len(head) + length}, true
	}
	return piece{}, false
}

// join makes a piece and an update that follows it one piece, if they are of the same text and short. A client that puts
// pieces together gets the same from both.
func (p *piece) join(update []byte) bool {
	if len(p.data)+len(update) > maxPiece || !bytes.HasPrefix(update, p.data[:p.begin]) {
		return false
	}
	next, ok := parsePiece(update)
	if !ok || !bytes.Equal(p.data[p.end:], next.data[next.end:]) {
		return false
	}
	p.data = append(p.data[:p.end], next.data[next.begin:]...)
	p.end += next.end - next.begin
	return true
}

// endOfString returns where the quote is that ends a string; -1 if there is none.
func endOfString(text []byte) int {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i
		case '\\':
			i++
		}
	}
	return -1
}

// isTail reports whether a message id is all that comes after the text.
func isTail(tail []byte) bool {
	id, ok := bytes.CutPrefix(tail, []byte(`"},"messageId":"`))
	end := endOfString(id)
	return ok && end > 0 && string(id[end:]) == `"}`
}

// standsAlone reports whether a text means the same with another one before or after it: it has no halves of characters.
func standsAlone(text []byte) bool {
	return utf8.Valid(text) && !bytes.Contains(text, []byte(`\ud`)) && !bytes.Contains(text, []byte(`\uD`))
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sum is stored with data to tell whether it is still the same: SQLite checks its own structure and no contents.
func sum(data []byte) int64 { return int64(crc32.Checksum(data, castagnoli)) }
