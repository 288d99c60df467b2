package tool_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// An audience is an Env with people who look at it.
type audience struct {
	*tool.Local
	answer func(*tool.Question) (*tool.Answer, error)

	mu    sync.Mutex
	shown []string
	plans [][]acp.PlanEntry
	asked []*tool.Question
	news  chan struct{} // gets something, if there is room, when something is shown
}

// before makes a place whose tools have an audience.
func before(t *testing.T, files ...string) (*place, *audience) {
	t.Helper()
	p := at(t, files...)
	a := &audience{Local: tool.NewLocal(p.dir, nil), news: make(chan struct{}, 1)}
	t.Cleanup(a.Close)
	p.env = a
	return p, a
}

func (a *audience) Show(text string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.shown = append(a.shown, text)
	select {
	case a.news <- struct{}{}:
	default:
	}
	return true
}

func (a *audience) Plan(entries []acp.PlanEntry) error {
	a.plans = append(a.plans, entries)
	return nil
}

func (a *audience) Ask(_ context.Context, q *tool.Question) (*tool.Answer, error) {
	a.asked = append(a.asked, q)
	return a.answer(q)
}

// seen returns what was shown so far.
func (a *audience) seen() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]string(nil), a.shown...)
}

// await waits until something that holds a text was shown.
func (a *audience) await(t *testing.T, text string) {
	t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	for {
		for _, each := range a.seen() {
			if strings.Contains(each, text) {
				return
			}
		}
		select {
		case <-a.news:
		case <-deadline.C:
			t.Fatalf("%q was never shown", text)
		}
	}
}

func (p *place) wantError(t *tool.Tool, input, want string) {
	p.Helper()
	job, err := p.prepare(t, input)
	if err == nil {
		_, err = job.Run(p.Context())
	}
	if err == nil || !strings.Contains(err.Error(), want) {
		p.Errorf("%s %s: got error %v, want one with %q", t.Name, input, err, want)
	}
}
