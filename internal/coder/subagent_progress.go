package coder

import (
	"fmt"
	"strings"
	"sync"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

const (
	maxSummary  = 100 // entries of a summary: the last ones
	maxProgress = 8   // lines that are shown while a subagent works
)

// A progress is what a subagent has done so far. It sees all that the subagent sends, and shows its tool calls in the call that
// started it, each time one begins or ends (S004.12).
type progress struct {
	to   agent.Recorder  // keeps the subagent's session; nil if nothing does
	call *agent.ToolCall // that started the subagent

	mu    sync.Mutex // guards what follows
	steps []*summaryEntry
	left  int // out of steps
}

// A summaryEntry is a tool call of a subagent's, as rawOutput.metadata.summary has it.
type summaryEntry struct {
	ID    acp.ToolCallID `json:"id"`
	Tool  string         `json:"tool"`
	State summaryState   `json:"state"`
}

type summaryState struct {
	Status acp.ToolCallStatus `json:"status"`
	Title  string             `json:"title"`
}

var _ agent.Recorder = (*progress)(nil)

func (p *progress) Begin(prompt []acp.ContentBlock) error {
	if p.to == nil {
		return nil
	}
	return p.to.Begin(prompt)
}

func (p *progress) Update(list ...acp.SessionUpdate) error {
	if p.to != nil {
		if err := p.to.Update(list...); err != nil {
			return err
		}
	}
	news := false
	for _, u := range list {
		news = p.see(u) || news
	}
	if news {
		_ = p.call.Report(p.text()) // it fails only when nobody looks any more
	}
	return nil
}

func (p *progress) End(stop acp.StopReason, failure error) error {
	if p.to == nil {
		return nil
	}
	return p.to.End(stop, failure)
}

// see notes what a tool call does, and reports whether that is worth a word.
func (p *progress) see(u acp.SessionUpdate) (news bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch u := u.(type) {
	case *acp.ToolCall:
		if len(p.steps) == maxSummary {
			p.steps, p.left = p.steps[1:], p.left+1
		}
		p.steps = append(p.steps, &summaryEntry{u.ToolCallID, u.Name, summaryState{u.Status, u.Title}})
		return true
	case *acp.ToolCallUpdate:
		for _, step := range p.steps {
			if step.ID != u.ToolCallID {
				continue
			}
			step.State.Title = u.Title.Or(step.State.Title)
			before := step.State.Status
			step.State.Status = u.Status.Or(before)
			return step.State.Status != before && step.State.Status.Final()
		}
	}
	return false
}

// text is what people see while the subagent works: its last steps.
func (p *progress) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b strings.Builder
	shown := p.steps[max(0, len(p.steps)-maxProgress):]
	if n := p.left + len(p.steps) - len(shown); n > 0 {
		fmt.Fprintf(&b, "* … (%d before)\n", n)
	}
	for _, step := range shown {
		fmt.Fprintf(&b, "* %s", tool.OneLine(step.State.Title, 200))
		switch step.State.Status {
		case acp.ToolCallStatusCompleted:
		case acp.ToolCallStatusFailed:
			b.WriteString(" (failed)")
		default:
			b.WriteString(" …")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// summary is what the subagent has done, and whether that is only the end of it.
func (p *progress) summary() (steps []summaryEntry, cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	steps = []summaryEntry{} // which has to be a list
	for _, step := range p.steps {
		steps = append(steps, *step)
	}
	return steps, p.left > 0
}
