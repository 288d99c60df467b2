package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	acpclient "github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
	"github.com/patchbay-dev/patchbay/transport"
)

var wordRows = []row{
	{value: "anthropic", title: "Anthropic Messages, p50, ms", digits: 2},
	{value: "responses", title: "OpenAI Responses, p50, ms", digits: 2},
	{value: "chat", title: "Chat Completions, p50, ms", digits: 2},
	{value: "gemini", title: "Gemini, p50, ms", digits: 2},
	{value: "p99", title: "p99 of the slowest, ms", digits: 2},
}

var readRows = []row{
	{value: "phase", title: "from the model's answer to its next request, ms", digits: 1},
	{value: "quick", title: "the same, of files that take no time, ms", digits: 1},
	{value: "slowest", title: "slowest read, ms", digits: 1},
	{value: "ratio", title: "all ÷ slowest read", digits: 2},
	{value: "added", title: "what the time of the files adds ÷ slowest read", digits: 2},
}

// A provider is a wire format of models, and what the coding agent has to know to use one.
type provider struct {
	format, model string
	env           func(*modeltest.Server) []string
}

var providers = []provider{
	{"anthropic", "anthropic/claude-sonnet-5-5", func(s *modeltest.Server) []string {
		return []string{"ANTHROPIC_API_KEY=a-key", "ANTHROPIC_BASE_URL=" + s.AnthropicURL()}
	}},
	{"responses", "openai/gpt-6.2-sol", func(s *modeltest.Server) []string {
		return []string{"OPENAI_API_KEY=a-key", "OPENAI_BASE_URL=" + s.OpenAIURL()}
	}},
	{"chat", "ollama/qwen", func(s *modeltest.Server) []string { return []string{"OLLAMA_HOST=" + s.URL} }},
	{"gemini", "gemini/gemini-3.8-flash", func(s *modeltest.Server) []string {
		return []string{"GEMINI_API_KEY=a-key", "GOOGLE_GEMINI_BASE_URL=" + s.GeminiURL()}
	}},
}

// A workshop is where the coding agent works: a build of it, and a folder. It stands for the test that a stub of a model's
// provider expects, which it tells when all is over.
type workshop struct {
	testing.TB
	command, dir string
	after        []func()
}

func newWorkshop() (*workshop, error) {
	w := new(workshop)
	command, remove, err := theCommand()
	if err != nil {
		return nil, err
	}
	w.command = command
	w.Cleanup(remove)
	if w.dir, err = os.MkdirTemp("", "patchbay-bench-"); err == nil {
		w.dir, err = filepath.EvalSymlinks(w.dir)
	}
	w.Cleanup(func() { os.RemoveAll(w.dir) })
	return w, err
}

// Cleanup has f called at the end.
func (w *workshop) Cleanup(f func()) { w.after = append(w.after, f) }

func (w *workshop) close() {
	for _, f := range slices.Backward(w.after) {
		f()
	}
}

// start starts the agent with this client and one of the providers' models, and nothing else configured.
func (w *workshop) start(h acpclient.Handler, model string, env []string) (*acpclient.Client, error) {
	env = append(env, "PATH="+os.Getenv("PATH"), "HOME="+w.dir, "XDG_CONFIG_HOME="+w.dir, "XDG_STATE_HOME="+w.dir, "PATCHBAY_MODEL="+model)
	return acpclient.Spawn(context.Background(), transport.Command{
		Path: w.command, Args: []string{"agent"}, Env: env,
		OnStderr: func(line string) { fmt.Fprintln(os.Stderr, line) },
	}, h, acpclient.Options{Info: info})
}

// turn is a turn in a session of its own.
func (w *workshop) turn(c *acpclient.Client) error {
	s, err := c.NewSession(context.Background(), acp.NewSessionRequest{CWD: w.dir})
	if err != nil {
		return err
	}
	r, err := s.Run(context.Background(), acp.Text("Go on."))
	if err == nil && r.StopReason != acp.StopReasonEndTurn {
		err = fmt.Errorf("the turn ended with %q", r.StopReason)
	}
	return err
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// A moment is when something happened last.
type moment struct{ at atomic.Int64 }

var epoch = time.Now()

func (m *moment) now() { m.at.Store(int64(time.Since(epoch))) }
func (m *moment) since(before *moment) time.Duration {
	return time.Duration(m.at.Load() - before.at.Load())
}

// A listener is a client of the coding agent that notes when it hears a word.
type listener struct {
	heard *moment
	words chan struct{} // one for each; has room for all of a turn
}

func newListener() listener { return listener{new(moment), make(chan struct{}, 16)} }

func (l listener) Update(_ context.Context, _ *acpclient.Session, u acp.SessionUpdate) {
	if _, ok := u.(*acp.AgentMessageChunk); ok {
		l.heard.now()
		l.words <- struct{}{}
	}
}

func (listener) RequestPermission(context.Context, *acpclient.Session, *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	return acp.PermissionCancelled(), nil
}

// runFirstWord measures how long the first word of an answer takes from the model's server through the agent to the client,
// with models of each format. The server goes on when the word has arrived.
func runFirstWord(j job) (values, error) {
	w, err := newWorkshop()
	if err != nil {
		return nil, err
	}
	defer w.close()
	v := values{}
	for _, p := range providers {
		took, err := w.firstWords(p, j.Count)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.format, err)
		}
		slices.Sort(took)
		v[p.format] = took[len(took)/2]
		v["p99"] = max(v["p99"], took[len(took)*99/100])
	}
	return v, nil
}

// firstWords measures so many turns, in ms.
func (w *workshop) firstWords(p provider, count int) (took []float64, err error) {
	l, sent, next := newListener(), new(moment), make(chan struct{})
	server := modeltest.New(w, modeltest.Script(modeltest.Answer{Text: "first second", Fault: modeltest.Fault{Piece: func(n int) {
		if n == 0 {
			sent.now()
			return
		}
		<-next
	}}}))
	c, err := w.start(l, p.model, p.env(server))
	if err != nil {
		return nil, err
	}
	defer c.Wait()
	defer c.Close()
	defer close(next)
	for range count {
		ended := make(chan error, 1)
		go func() { ended <- w.turn(c) }()
		select {
		case <-l.words:
			took = append(took, millis(l.heard.since(sent)))
			next <- struct{}{}
			<-l.words
			err = <-ended
		case err = <-ended:
			err = fmt.Errorf("the turn ended without a word: %v", err)
		}
		if err != nil {
			return nil, err
		}
	}
	return took, nil
}

// A librarian is a client of the coding agent that takes its time to hand out a file.
type librarian struct {
	listener
	pause *atomic.Int64      // ns
	took  chan time.Duration // one for each read; has room for all of a turn
}

func (l librarian) ReadTextFile(context.Context, *acpclient.Session, *acp.ReadTextFileRequest) (*acp.ReadTextFileResponse, error) {
	begin := time.Now()
	time.Sleep(time.Duration(l.pause.Load()))
	l.took <- time.Since(begin)
	return &acp.ReadTextFileResponse{Content: strings.Repeat("a line of text\n", 100)}, nil
}

const (
	filesAtOnce = 50
	readPause   = 20 * time.Millisecond
)

// runReads measures a turn whose model wants to read many files at once from a client that takes its time with each: from the
// end of the model's answer until its server is told all that was read. The same without that time says what the files cost
// the agent, and the bench, which is client and server to it.
func runReads(j job) (values, error) {
	w, err := newWorkshop()
	if err != nil {
		return nil, err
	}
	defer w.close()
	answer := modeltest.Answer{}
	for i := range filesAtOnce {
		name := fmt.Sprintf("file%d.txt", i)
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte("old\n"), 0o600); err != nil {
			return nil, err
		}
		answer.Calls = append(answer.Calls, modeltest.Called{Name: "read", Input: fmt.Sprintf(`{"path":%q}`, name)})
	}
	answered, told := new(moment), new(moment)
	answer.Fault.Piece = func(int) { answered.now() } // the last piece counts
	server := modeltest.New(w, func(h *modeltest.Heard) modeltest.Answer {
		if len(h.Messages) == 1 {
			return answer
		}
		told.now()
		return modeltest.Answer{Text: "Thanks"}
	})
	l := librarian{newListener(), new(atomic.Int64), make(chan time.Duration, filesAtOnce)}
	c, err := w.start(l, providers[0].model, providers[0].env(server))
	if err != nil {
		return nil, err
	}
	defer c.Wait()
	defer c.Close()
	var phases, quick, slowests []float64
	for i := range 2 * j.Count {
		l.pause.Store(int64(readPause) * int64(i%2))
		if err := w.turn(c); err != nil {
			return nil, err
		}
		<-l.words
		if n := len(l.took); n != filesAtOnce {
			return nil, fmt.Errorf("%d files of %d were read", n, filesAtOnce)
		}
		slowest := time.Duration(0)
		for range filesAtOnce {
			slowest = max(slowest, <-l.took)
		}
		if i%2 == 0 {
			quick = append(quick, millis(told.since(answered)))
			continue
		}
		phases, slowests = append(phases, millis(told.since(answered))), append(slowests, millis(slowest))
	}
	v := values{"phase": median(phases), "quick": median(quick), "slowest": median(slowests)}
	v["ratio"], v["added"] = v["phase"]/v["slowest"], (v["phase"]-v["quick"])/v["slowest"]
	return v, nil
}
