package interop_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// A format is a way to speak with models.
type format struct {
	name  string // as modeltest.Heard has it
	model string
	env   func(s *modeltest.Server) []string
}

// formats are all that there are.
var formats = []format{
	{"anthropic", "anthropic/claude-sonnet-5-5", func(s *modeltest.Server) []string {
		return []string{"ANTHROPIC_API_KEY=a-key", "ANTHROPIC_BASE_URL=" + s.AnthropicURL()}
	}},
	{"responses", "openai/gpt-6.2-sol", func(s *modeltest.Server) []string {
		return []string{"OPENAI_API_KEY=a-key", "OPENAI_BASE_URL=" + s.OpenAIURL()}
	}},
	{"chat", "ollama/qwen", func(s *modeltest.Server) []string {
		return []string{"OLLAMA_HOST=" + s.URL}
	}},
	{"gemini", "gemini/gemini-3.8-flash", func(s *modeltest.Server) []string {
		return []string{"GEMINI_API_KEY=a-key", "GOOGLE_GEMINI_BASE_URL=" + s.GeminiURL()}
	}},
}

// alike is the user's configuration: it lets the models of all formats be able to do the same, and cost the same.
func (f format) alike() string {
	provider, name, _ := strings.Cut(f.model, "/")
	return fmt.Sprintf("thinking = \"medium\"\n[providers.%s.models.%q]\n"+
		"context_tokens = 100_000\nmax_tokens = 10_000\nimages = true\nthinking = true\nprice = { input = 1.0, output = 10.0, cache_read = 0.5 }\n",
		provider, name)
}

// passed are the variables of this process that the programs of the day get, too: no keys.
var passed = []string{"PATH", "TMPDIR", "SystemRoot", "INTEROP_VERBOSE"}

// environment is that of a program that uses a server's models.
func (f format) environment(home string, s *modeltest.Server) (env []string) {
	for _, name := range passed {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	env = append(env, "HOME="+home, "XDG_CONFIG_HOME="+home+"/config", "PATCHBAY_MODEL="+f.model)
	return append(env, f.env(s)...)
}

// A workday is the day as one format has it.
type workday struct {
	t      *testing.T
	day    day
	format format
	dir    string // of the project
	home   string
	page   string // a server's address, which nothing may ask
	server *modeltest.Server
	env    []string
}

func begin(t *testing.T, d day, f format) *workday {
	t.Helper()
	w := &workday{t: t, day: d, format: f, dir: sameLength(t), home: folder(t)}
	for name, text := range project() {
		put(t, w.dir, name, text)
	}
	put(t, w.home, "config/patchbay/patchbay.toml", f.alike())
	w.page = untouched(t)
	w.server = modeltest.New(t, w.say)
	w.env = f.environment(w.home, w.server)
	return w
}

// sameLength is a folder whose path is as long as that of the others, and short: the model is told it, what it is told is
// counted, and what users are shown is cut.
func sameLength(t *testing.T) string {
	t.Helper()
	temp, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path, err := os.MkdirTemp(temp, "day")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(path) })
	const length = len("/day") + 10 + len("/d") // a name has up to ten digits
	path = filepath.Join(path, strings.Repeat("d", len(temp)+length-len(path)-1))
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
	return path
}

// fill puts the places of this day into a text.
func (w *workday) fill(text string) string {
	return strings.NewReplacer("DIR", w.dir, "PAGE", w.page).Replace(text)
}

// blank takes them out again.
func (w *workday) blank(text string) string {
	return strings.NewReplacer(w.dir, "DIR", w.page, "PAGE").Replace(text)
}

// A place is where in the day a request comes: after so many answers of a task.
type place struct {
	task  *task
	since int // the message with the task's prompt
	after int
}

// find says where a request belongs: what the user has asked for last, and how often the model has answered since.
func (d day) find(h *modeltest.Heard) (p place, ok bool) {
	for i, m := range h.Messages {
		if m.Role == "assistant" {
			p.after++
			continue
		}
		for n := range d {
			if m.Text == d[n].told() || d[n].with != nil && strings.HasPrefix(m.Text, d[n].told()) {
				p, ok = place{task: &d[n], since: i}, true
			}
		}
	}
	return p, ok
}

// asksForSummary reports whether a request is for a summary of the conversation.
func asksForSummary(h *modeltest.Heard) bool { return strings.HasPrefix(h.System, "You summarise") }

// told is what the model hears of a task.
func (k *task) told() string {
	if k.heard != "" {
		return k.heard
	}
	return k.prompt
}

// say is what the model says to a request. What is not in the script is refused, which ends the turn with an error.
func (w *workday) say(h *modeltest.Heard) modeltest.Answer {
	if asksForSummary(h) {
		return modeltest.Answer{Text: summary}
	}
	p, ok := w.day.find(h)
	if !ok || p.after >= len(p.task.answers) {
		return modeltest.Answer{Fault: modeltest.Fault{Status: 400, Message: fmt.Sprintf("not in the script: %+v", h.Messages)}}
	}
	a := p.task.answers[p.after]
	said := modeltest.Answer{Thought: a.thought, Text: a.text, Input: 1000 + 100*p.after, Output: 50 + len(a.calls), CacheRead: 500}
	if a.thought != "" {
		said.Thoughts = 7
	}
	for _, c := range a.calls {
		said.Calls = append(said.Calls, modeltest.Called{Name: c.tool, Input: w.fill(c.input)})
	}
	return said
}
