package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

// What is joined is the same message for a client that puts pieces together, and is written as package acp writes it.
func TestJoinedPiecesAreTheSameText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", `"`, `\`, "\\ud83d", "\u2028", "<&>", "\x00", "é", "😀", "\xff", "\xf0\x9f"}))
		thought := rapid.Bool().Draw(t, "thought")
		piece := func(s string, id acp.MessageID) acp.SessionUpdate {
			if thought {
				return &acp.AgentThoughtChunk{Content: acp.Text(s), MessageID: id}
			}
			return &acp.AgentMessageChunk{Content: acp.Text(s), MessageID: id}
		}
		id := acp.MessageID(rapid.StringN(1, 20, -1).Draw(t, "id"))
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		joined, ok := store.Join(encode(t, piece(a, id)), encode(t, piece(b, id)))
		if !ok {
			if strings.Contains(a+b, `\ud`) {
				return // it may look like half a character
			}
			t.Fatalf("%q and %q are not joined", a, b)
		}
		want := strings.ToValidUTF8(a, "\ufffd") + strings.ToValidUTF8(b, "\ufffd")
		if want == a+b && string(joined) != string(encode(t, piece(a+b, id))) {
			t.Fatalf("%q and %q become %s", a, b, joined)
		}
		var u acp.SessionUpdate
		if _, err := acp.Decode(joined, &u); err != nil {
			t.Fatal(err)
		}
	})
}

func encode(t rapid.TB, u acp.SessionUpdate) []byte {
	data, err := json.Marshal(u)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// What is not a piece of the same message and nothing else stays for itself.
func TestOtherUpdatesAreNotJoined(t *testing.T) {
	first := `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"},"messageId":"m"}`
	if _, ok := store.Join([]byte(first), []byte(first)); !ok {
		t.Fatal("nothing is joined")
	}
	long := strings.Repeat("x", 2000)
	for _, c := range [][2]string{
		{"another message", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"},"messageId":"n"}`},
		{"a thought", `{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"a"},"messageId":"m"}`},
		{"no message id", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}`},
		{"an empty message id", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"},"messageId":""}`},
		{"_meta", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"},"messageId":"m","_meta":{}}`},
		{"_meta of the content", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a","_meta":{}},"messageId":"m"}`},
		{"annotations", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a","annotations":{}},"messageId":"m"}`},
		{"an image", `{"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"","mimeType":"image/png"},"messageId":"m"}`},
		{"half a character", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"\ud83d"},"messageId":"m"}`},
		{"half a byte sequence", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + "\xf0\x9f" + `"},"messageId":"m"}`},
		{"no end", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a\"`},
		{"nothing", ``},
	} {
		if joined, ok := store.Join([]byte(first), []byte(c[1])); ok {
			t.Errorf("%s: %s", c[0], joined)
		}
		if joined, ok := store.Join([]byte(c[1]), []byte(first)); ok {
			t.Errorf("before, %s: %s", c[0], joined)
		}
	}
	large := strings.Replace(first, `"a"`, `"`+long+`"`, 1)
	if _, ok := store.Join([]byte(large), []byte(large)); ok {
		t.Error("long pieces are joined")
	}
	user := `{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"a"},"messageId":"m"}`
	if _, ok := store.Join([]byte(user), []byte(user)); ok {
		t.Error("what the user said is joined")
	}
}

// However a long answer is cut and appended, it is the same when it is loaded, and few events.
func TestLongAnswersAreFewEvents(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, store.Options{})
	l := create(t, s, store.Session{ID: "a"})
	var want strings.Builder
	write := func(n int) {
		var c store.Change
		for range n {
			text := fmt.Sprintf("%d, ", want.Len())
			want.WriteString(text)
			c.Events = append(c.Events, chunk(t, "m", text))
		}
		add(t, l, c)
	}
	for i := range 1000 {
		write(1 + i%7)
		if i == 500 { // the next process goes on within the message
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = open(t, dir, store.Options{})
			l = acquire(t, s, "a")
		}
	}
	loaded := load(t, s, "a")
	if diff := cmp.Diff(want.String(), strings.Join(texts(t, loaded), "")); diff != "" {
		t.Error(diff)
	}
	if loaded.Last > 12 {
		t.Errorf("there are %d events", loaded.Last)
	}
}
