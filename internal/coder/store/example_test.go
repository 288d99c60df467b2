package store_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder/store"
)

// A session is kept by one store, and found by the next one.
func Example() {
	dir, err := os.MkdirTemp("", "sessions")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := keep(dir); err != nil {
		log.Fatal(err)
	}
	if err := show(dir); err != nil {
		log.Fatal(err)
	}
	// Output:
	// About greetings
	// 1: [{"type":"text","text":"hello"}]
	// 2: {"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hi there"},"messageId":"m1"}
	// 3: "end_turn"
}

func keep(dir string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, dir, store.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	lease, err := s.Create(ctx, store.Session{ID: "1", CWD: "/work"})
	if err != nil {
		return err
	}
	prompt, err := store.PromptEvent([]acp.ContentBlock{acp.Text("hello")})
	if err != nil {
		return err
	}
	if _, err := lease.Append(ctx, store.Change{Events: []store.Event{prompt}}); err != nil {
		return err
	}
	for _, text := range []string{"hi ", "there"} {
		said, err := store.UpdateEvent(&acp.AgentMessageChunk{Content: acp.Text(text), MessageID: "m1"})
		if err != nil {
			return err
		}
		if _, err := lease.Append(ctx, store.Change{Events: []store.Event{said}}); err != nil {
			return err
		}
	}
	end, err := store.EndEvent(acp.StopReasonEndTurn)
	if err != nil {
		return err
	}
	if _, err := lease.Append(ctx, store.Change{Events: []store.Event{end}, Messages: [][]byte{[]byte(`{"role":"user"}`)}}); err != nil {
		return err
	}
	_, err = s.SetTitle(ctx, "1", "About greetings", false)
	return err
}

func show(dir string) error {
	ctx := context.Background()
	s, err := store.Open(ctx, dir, store.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	loaded, err := s.Load(ctx, "1")
	if err != nil {
		return err
	}
	fmt.Println(loaded.Title)
	for event, err := range loaded.Events(ctx) {
		if err != nil {
			return err
		}
		fmt.Printf("%d: %s\n", event.Number, event.Data)
	}
	return nil
}
