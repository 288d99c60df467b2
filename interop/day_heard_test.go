package interop_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// end checks what the day has left behind: the files, to the byte, and what the model was told.
func (w *workday) end() {
	w.t.Helper()
	want := project()
	maps.Copy(want, w.day.results())
	same(w.t, "files", files(w.t, w.dir), want)
	w.checkHeard()
}

// checkHeard checks what the model was told: in each request who it is, the project's instructions and the tools; and by the
// end of each task what had become of the calls, in their order.
func (w *workday) checkHeard() {
	w.t.Helper()
	last := map[*task]*modeltest.Heard{}
	for _, h := range w.server.Heard() {
		if !asksForSummary(h) {
			w.checkRequest(h)
		}
		if p, ok := w.day.find(h); ok {
			last[p.task] = h
		}
	}
	for i := range w.day {
		k := &w.day[i]
		if last[k] == nil {
			w.t.Errorf("the model was never told %q", k.told())
			continue
		}
		w.checkTask(k, last[k])
	}
}

func (w *workday) checkRequest(h *modeltest.Heard) {
	w.t.Helper()
	same(w.t, "format", h.Format, w.format.name)
	if _, name, _ := strings.Cut(w.format.model, "/"); h.Model != name {
		w.t.Errorf("model %q, want %q", h.Model, name)
	}
	contains(w.t, h.System, "Greet politely.", w.dir, "coding agent")
	if strings.Contains(h.System, "Words are one a line.") {
		w.t.Error("the model was told instructions of a folder that it has not looked at yet")
	}
	var names []string
	for _, each := range toolsOfTheDay() {
		names = append(names, each.Name)
		var schema struct {
			Type       string
			Properties map[string]any
		}
		if err := json.Unmarshal(h.Schemas[each.Name], &schema); err != nil || schema.Type != "object" || len(schema.Properties) == 0 {
			w.t.Errorf("the schema of %s is %s", each.Name, h.Schemas[each.Name])
		}
	}
	slices.Sort(names)
	same(w.t, "tools", slices.Sorted(slices.Values(h.Tools)), names)
}

// toolsOfTheDay are the tools of the mode that the day is in.
func toolsOfTheDay() []*tool.Tool {
	return slices.DeleteFunc(tool.All(), func(t *tool.Tool) bool { return t.Name == "propose" })
}

// checkTask checks the last request of a task, which has all that came before its last answer.
func (w *workday) checkTask(k *task, h *modeltest.Heard) {
	w.t.Helper()
	p, _ := w.day.find(h)
	rest := h.Messages[p.since+1:]
	if len(rest) != 2*(len(k.answers)-1) {
		w.t.Errorf("%s: the last request has %d messages after the prompt, want %d", k.prompt, len(rest), 2*(len(k.answers)-1))
		return
	}
	for i, a := range k.answers[:len(k.answers)-1] {
		said, given := rest[2*i], rest[2*i+1]
		same(w.t, k.prompt+": what the model had said", said.Text, a.text)
		same(w.t, k.prompt+": number of calls", len(said.Calls), len(a.calls))
		if len(given.Results) != len(a.calls) {
			w.t.Errorf("%s: %d results of %d calls", k.prompt, len(given.Results), len(a.calls))
			continue
		}
		for n, c := range a.calls {
			same(w.t, k.prompt+": call", said.Calls[n].Name, c.tool)
			w.checkResult(c, given.Results[n])
		}
		same(w.t, k.prompt+": images", imagesOf(given), a.images())
	}
}

// imagesOf counts the images in a message. The format chat has none in results, so that they come beside them.
func imagesOf(s modeltest.Said) int {
	n := s.Images
	for _, r := range s.Results {
		n += r.Images
	}
	return n
}

func (w *workday) checkResult(c call, r modeltest.Returned) {
	w.t.Helper()
	text := w.blank(r.Text)
	rest := text
	for part := range strings.SplitSeq(c.heard, "…") {
		_, after, ok := strings.Cut(rest, part)
		if !ok {
			w.t.Errorf("%s %s: the model was told\n%s\nwant %q", c.tool, c.input, text, c.heard)
			break
		}
		rest = after
	}
	if c.failed != r.Failed && w.format.name == "anthropic" { // the others can't say it
		w.t.Errorf("%s %s: the model was told that it failed: %t", c.tool, c.input, r.Failed)
	}
}

// checkShown checks the last request so far, that of the task with more than words.
func (w *workday) checkShown() {
	w.t.Helper()
	messages := w.server.Last().Messages
	m := messages[len(messages)-1]
	same(w.t, "images", m.Images, 1)
	contains(w.t, m.Text, "Look at this.", "greet.sh", "file:///notes/size.txt", "7 by 7")
}
