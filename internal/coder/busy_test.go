package coder_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// Fifty files are read at the same time: each read is answered when all have been asked for.
func TestReadsAreParallel(t *testing.T) {
	const files = 50
	var all sync.WaitGroup
	all.Add(files)
	read := func([]byte) (any, error) {
		all.Done()
		all.Wait()
		return &acp.ReadTextFileResponse{Content: "text\n"}, nil
	}
	var calls []modeltest.Called
	for i := range files {
		calls = append(calls, called("read", fmt.Sprintf(`{"path":"%d.txt"}`, i)))
	}
	s := modeltest.New(t, modeltest.Script(calling(calls...), modeltest.Answer{Text: "done"}))
	c := &client{handle: map[string]func([]byte) (any, error){acp.MethodFSReadTextFile: read}}
	c.can.FS.ReadTextFile = true
	wires[0].begin(t, s, c)
	c.turn("read them", acp.StopReasonEndTurn)
	results := s.Last().Messages[2].Results
	if len(results) != files {
		t.Fatalf("the model was given %d results", len(results))
	}
	for i, r := range results {
		if !strings.Contains(r.Text, fmt.Sprintf("%d.txt", i)) {
			t.Errorf("result %d is %q", i, r.Text)
		}
	}
}

// Calls that change something are made one after the other, in the model's order.
func TestWritesAreSerial(t *testing.T) {
	var calls []modeltest.Called
	for i := range 20 {
		calls = append(calls, called("shell", fmt.Sprintf(`{"command":"echo %d >> log"}`, i)))
	}
	s := modeltest.New(t, modeltest.Script(calling(calls...), modeltest.Answer{Text: "done"}))
	c := wires[0].begin(t, s, &client{})
	c.turn("write", acp.StopReasonEndTurn)
	text, err := os.ReadFile(filepath.Join(c.dir, "log"))
	if want := "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n"; err != nil || string(text) != want {
		t.Errorf("got %q, %v", text, err)
	}
}

// The answer to a prompt counts the tokens of all its requests, and the client is told of each.
func TestF165_UsageOfSeveralRequests(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		s := modeltest.New(t, modeltest.Script(
			modeltest.Answer{Calls: []modeltest.Called{called("list", `{}`)}, Input: 100, Output: 10},
			modeltest.Answer{Text: "done", Input: 130, Output: 5},
		))
		c := w.begin(t, s, &client{})
		c.forget()
		answer, err := c.prompt("look")
		if err != nil {
			t.Fatal(err)
		}
		if u := answer.Usage; u == nil || u.InputTokens != 230 || u.OutputTokens != 15 || u.TotalTokens != 245 {
			text, _ := json.Marshal(answer.Usage)
			t.Errorf("usage %s", text)
		}
		var used []uint64
		for _, u := range c.seen() {
			if usage, ok := u.(*acp.UsageUpdate); ok {
				used = append(used, usage.Used)
			}
		}
		want := "[110 135]"
		if w.name == "chat" {
			want = "[]" // nobody knows the window of such a model, without which the update says nothing
		}
		if fmt.Sprint(used) != want {
			t.Errorf("the client was told %v", used)
		}
	})
}
