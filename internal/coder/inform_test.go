package coder_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
)

// F29: to a client that takes no notices nothing is said before its first prompt. What there is to be told begins that turn,
// and comes once. A client that does take them is told at once.
func TestF29_ABannerBeginsTheFirstTurn(t *testing.T) {
	const note = "No model is set up"
	gone := &acp.MCPServerStdio{Name: "gone", Command: filepath.Join(t.TempDir(), "gone")}
	plain := informed(t, &client{}, gone)
	said := saidText(plain.turn("hello", acp.StopReasonEndTurn))
	if at := strings.Index(said, note); at < 0 || at > strings.Index(said, "offline interpreter of") || !strings.Contains(said, `"gone" can't be used`) {
		t.Errorf("the first turn says %q", said)
	}
	if said := saidText(plain.turn("hello", acp.StopReasonEndTurn)); strings.Contains(said, note) {
		t.Errorf("the second turn says %q", said)
	}

	able := informed(t, &client{can: everyUpdate}, gone)
	able.await(func(u acp.SessionUpdate) bool { return isNotice(u, "The offline interpreter is used") })
}

// informed begins a session of an agent for which no model is set up. Nothing has been said when it returns, unless the client
// takes notices.
func informed(t *testing.T, c *client, servers ...acp.MCPServer) *client {
	t.Helper()
	a, err := coder.New(coder.Options{Config: configured(t, map[string]string{})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	c.connect(t, a)
	c.dir = t.TempDir()
	c.session = c.openWith(servers...)
	c.await(func(u acp.SessionUpdate) bool { _, ok := u.(*acp.AvailableCommandsUpdate); return ok })
	if said := saidText(c.seen()); c.can.Session == nil && said != "" {
		t.Errorf("before any prompt the agent says %q", said)
	}
	return c
}
