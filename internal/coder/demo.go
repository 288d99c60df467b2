package coder

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// A demo shows a feature of the protocol, or a way in which agents misbehave, to people who write clients.
type demo struct {
	name string
	args string // what may follow the name
	does string
	run  func(ctx context.Context, d *demonstration) (acp.StopReason, error)
}

// A demonstration is a demo that is under way.
type demonstration struct {
	*agent.Turn
	coder *Coder
	args  []string
}

// demos returns all demos, in the order of the list.
func demos() []demo {
	return []demo{
		{"stream", "[WORDS] [MS]", "sends words one by one: 20, each after 100 ms", demoStream},
		{"message", "[BYTES]", "sends a message of 1000 bytes in one chunk", demoMessage},
		{"content", "", "sends a message of every kind of content", demoContent},
		{"tools", "", "shows tool calls of every kind, with text, diff and failure", demoTools},
		{"plan", "", "shows a plan that makes progress", demoPlan},
		{"updates", "", "sends every other type of update", demoUpdates},
		{"subagent", "", "has a subagent take three steps, which you can cancel alone", demoSubagent},
		{"permission", "", "asks for permission and says what you chose", demoPermission},
		{"elicitation", "[form|url]", "asks you to fill in a form, or to visit a page", demoElicitation},
		{"refusal", "", "refuses: the turn ends with refusal", stopWith(acp.StopReasonRefusal)},
		{"max_tokens", "", "is cut off: the turn ends with max_tokens", stopWith(acp.StopReasonMaxTokens)},
		{"max_turn_requests", "", "goes on too long: the turn ends with max_turn_requests", stopWith(acp.StopReasonMaxTurnRequests)},
		{"failure", "", "fails as if the model's provider were overloaded", demoFailure},
		{"error", "[CODE]", "answers with an error: -32603", demoError},
		{"panic", "", "panics in the handler; the connection lives", demoPanic},
		{"stray", "", "prints lines that are no messages between those that are", demoStray},
		{"crash", "", "ends the process in the middle of the turn, with status 3", demoCrash},
		{"hang", "", "does nothing until you cancel", demoHang},
		{"deaf", "[SECONDS]", "does nothing for 5 seconds, even if you cancel; 60 at most", demoDeaf},
	}
}

// demo runs the demo that the input names, or lists them all.
func (c *Coder) demo(ctx context.Context, t *agent.Turn, input string) (acp.StopReason, error) {
	fields := strings.Fields(input)
	if len(fields) == 0 {
		return "", t.Text(demoList())
	}
	for _, d := range demos() {
		if d.name == fields[0] {
			return d.run(ctx, &demonstration{Turn: t, coder: c, args: fields[1:]})
		}
	}
	return "", t.Textf("There is no demo %q.\n\n%s", fields[0], demoList())
}

func demoList() string {
	var b strings.Builder
	b.WriteString("`/demo NAME` shows a feature of the protocol:\n\n")
	for _, d := range demos() {
		fmt.Fprintf(&b, "* `%s` %s\n", strings.TrimSpace(d.name+" "+d.args), d.does)
	}
	b.WriteString("\nFor files and terminals, `read`, `write` and `run` something.\n")
	return b.String()
}

// number reads the i-th argument: a whole number from 0 to max.
func (d *demonstration) number(i, standard, max int) (int, error) {
	if i >= len(d.args) {
		return standard, nil
	}
	n, err := strconv.Atoi(d.args[i])
	if err != nil || n < 0 || n > max {
		return 0, acp.ErrInvalidParams("%q is not a number from 0 to %d", d.args[i], max)
	}
	return n, nil
}

// sleep waits, and reports whether the turn goes on.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// unavailable says why a demo that needs a hook can't be shown.
func (d *demonstration) unavailable() (acp.StopReason, error) {
	return "", d.Text("This demo is only available where the agent is a process of its own, as `patchbay agent` is.\n")
}
