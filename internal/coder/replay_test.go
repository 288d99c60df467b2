package coder_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
)

// lasting are the updates of a session that are shown again, without those that are told anew whenever it is opened.
// Pieces of a text are joined, since how many there are means nothing.
func lasting(updates []acp.SessionUpdate) (list []acp.SessionUpdate) {
	for _, u := range updates {
		if _, commands := u.(*acp.AvailableCommandsUpdate); commands {
			continue
		}
		if len(list) > 0 {
			if joined := joinChunks(list[len(list)-1], u); joined != nil {
				list[len(list)-1] = joined
				continue
			}
		}
		list = append(list, u)
	}
	return list
}

// written are updates as they are on the wire.
func written(t *testing.T, updates []acp.SessionUpdate) (lines []string) {
	t.Helper()
	for _, u := range updates {
		text, err := json.Marshal(&acp.SessionNotification{Update: u})
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(text))
	}
	return lines
}

func joinChunks(a, b acp.SessionUpdate) acp.SessionUpdate {
	first, ok1 := a.(*acp.AgentMessageChunk)
	second, ok2 := b.(*acp.AgentMessageChunk)
	if !ok1 || !ok2 || first.MessageID != second.MessageID {
		return nil
	}
	head, ok1 := first.Content.(*acp.TextContent)
	tail, ok2 := second.Content.(*acp.TextContent)
	if !ok1 || !ok2 {
		return nil
	}
	return &acp.AgentMessageChunk{Content: acp.Text(head.Text + tail.Text), MessageID: first.MessageID}
}

// everyUpdate is what a client can do that shows all kinds of updates.
var everyUpdate = func() (can acp.ClientCapabilities) {
	_, err := acp.Decode([]byte(`{"session":{"compaction":{},"notices":{},"configOptions":{"boolean":{}}},"subagents":{},"plan":{}}`), &can)
	if err != nil {
		panic(err)
	}
	return can
}()

// updateTypes are the names of all types of updates that package acp knows.
func updateTypes(t *testing.T) map[string]bool {
	t.Helper()
	source, err := os.ReadFile("../../acp/update.go")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, found := range regexp.MustCompile(`(?m)^\t(?:variant|shared)\("(\w+)"`).FindAllSubmatch(source, -1) {
		names[string(found[1])] = true
	}
	if len(names) < 19 {
		t.Fatalf("only %d types of updates were found", len(names))
	}
	return names
}

// between has the agent send an update outside of a turn.
func (c *client) between(u acp.SessionUpdate) []acp.SessionUpdate {
	c.Helper()
	c.forget()
	if err := c.agent.Session(c.session).Update(c.Context(), u); err != nil {
		c.Fatal(err)
	}
	c.await(func(acp.SessionUpdate) bool { return true })
	return c.seen()
}

// commandsOf are the commands that there are after updates.
func commandsOf(updates []acp.SessionUpdate) (names []string) {
	for _, u := range updates {
		if commands, ok := u.(*acp.AvailableCommandsUpdate); ok {
			names = nil
			for _, each := range commands.AvailableCommands {
				names = append(names, each.Name)
			}
		}
	}
	return names
}

// awaitCommands waits until the client knows which commands there are.
func (c *client) awaitCommands() []string {
	c.await(func(u acp.SessionUpdate) bool { _, ok := u.(*acp.AvailableCommandsUpdate); return ok })
	return commandsOf(c.seen())
}

// F64, F65, S000.5: what another process replays of a session is what was seen live, ids included, with every demonstration
// of an update and of tools in it, and what came between turns: every type of update that there is. Which commands there are is told
// anew. So it is for a client that gets other updates in the place of most. F63: to resume replays nothing.
func TestF64_AReplayEqualsWhatWasSeenLive(t *testing.T) {
	t.Run("a client for all updates", func(t *testing.T) { testReplay(t, everyUpdate) })
	t.Run("a client for few", func(t *testing.T) { testReplay(t, acp.ClientCapabilities{}) })
}

func testReplay(t *testing.T, can acp.ClientCapabilities) {
	dir := t.TempDir()
	db := openStore(t, dir)
	c := beginWith(t, &client{can: can, permit: answers(acp.PermissionOptionKindAllowOnce)}, in(db), "a.txt", "hello\n")
	prompts := []string{
		"read a.txt", "write b.txt new", "run echo hi", "/demo stream 30 1", "/demo message", "/demo content", "/demo tools", "/demo plan",
		"/demo updates", "/demo permission", "/demo max_tokens", "/demo failure", "/help",
	}
	var live []acp.SessionUpdate
	for _, prompt := range prompts {
		c.forget()
		if _, err := c.prompt(prompt); (err != nil) != (prompt == "/demo failure") {
			t.Fatalf("%s: %v", prompt, err)
		}
		live = append(live, c.seen()...)
	}
	live = append(live, c.between(&acp.UnknownUpdate{Type: "_weather", Raw: acp.Raw(`{"sessionUpdate":"_weather","sun":[1,2.50]}`)})...)
	live = append(live, c.between(&acp.CurrentModeUpdate{CurrentModeID: "later"})...)
	for name := range updateTypes(t) {
		if can.Plan != nil && !strings.Contains(strings.Join(written(t, live), "\n"), `"sessionUpdate":"`+name+`"`) {
			t.Errorf("no %s was seen live: this test says nothing about it", name)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{acp.MethodSessionLoad, acp.MethodSessionResume} {
		again := openStore(t, dir)
		other := &client{can: c.can, dir: c.dir, session: c.session}
		a, err := coder.New(in(again))
		if err != nil {
			t.Fatal(err)
		}
		other.connect(t, a)
		if method == acp.MethodSessionResume {
			if _, err := other.resume(); err != nil {
				t.Fatal(err)
			}
			if got := lasting(other.seen()); len(got) != 0 {
				t.Errorf("resume replays %v", got)
			}
			if diff := cmp.Diff(commandsOf(live), other.awaitCommands()); diff != "" {
				t.Errorf("commands after resume (-live +now):\n%s", diff)
			}
			continue
		}
		if _, err := other.load(); err != nil {
			t.Fatal(err)
		}
		var said []string
		var replay []acp.SessionUpdate
		for _, u := range other.seen() {
			if chunk, ok := u.(*acp.UserMessageChunk); ok && len(said) < len(prompts) {
				if text := chunk.Content.(*acp.TextContent).Text; text == prompts[len(said)] { // the others are the agent's
					said = append(said, text)
					continue
				}
			}
			replay = append(replay, u)
		}
		if diff := cmp.Diff(prompts, said); diff != "" {
			t.Errorf("prompts (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(written(t, lasting(live)), written(t, lasting(replay))); diff != "" {
			t.Errorf("replay (-live +replay):\n%s", diff)
		}
		if diff := cmp.Diff(commandsOf(live), other.awaitCommands()); diff != "" {
			t.Errorf("commands (-live +now):\n%s", diff)
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
