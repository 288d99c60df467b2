package interop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/trace"
	"github.com/patchbay-dev/patchbay/transport"
)

// An exam is what a peer has to go through. What it can do is written down, not demanded; what our side does wrong fails the
// test.
type exam struct {
	t       *testing.T
	peer    *peer
	home    string
	dir     string // of the project
	server  *modeltest.Server
	command transport.Command
	row     row
	traces  []string // files
	asked   *asked

	mu     sync.Mutex
	noise  int      // lines on standard output that were no message
	faults []string // diagnostics that are no noise
}

func newExam(t *testing.T, p *peer) *exam {
	t.Helper()
	e := &exam{t: t, peer: p, home: folder(t), dir: folder(t), server: modeltest.New(t, modeltest.Puppet), asked: new(asked)}
	e.server.Foreign = true
	e.command = p.move(t, e.home, e.server)
	e.command.Dir = e.dir
	e.row = row{agent: p.title, version: p.version(t), cells: map[string]string{}, date: time.Now().UTC().Format(time.DateOnly)}
	return e
}

// context ends with a step of the exam.
func (e *exam) context() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), patience)
}

// start starts the peer once more, as a process of its own.
func (e *exam) start(command transport.Command) (*client.Client, error) {
	e.t.Helper()
	path := filepath.Join(e.t.ArtifactDir(), fmt.Sprintf("trace-%d.ndjson", len(e.traces))) // kept if go test is called with -artifacts
	file, err := os.Create(path)
	if err != nil {
		e.t.Fatal(err)
	}
	e.traces = append(e.traces, path)
	w := trace.NewWriter(file, trace.Options{Program: "interop"})
	e.t.Cleanup(func() { file.Close() })
	e.t.Cleanup(func() { _ = w.Close() })
	ctx, cancel := e.context()
	defer cancel()
	c, err := client.Spawn(ctx, command, e.asked, client.Options{
		Info:      acp.Implementation{Name: "interop", Version: "1.2.3"},
		Files:     &client.Files{MissingIsEmpty: e.peer.blanks},
		Terminals: new(client.Terminals),
		Shows:     client.Shows{Notices: true, Compactions: true, BooleanOptions: true, Plans: true},
		Logger:    slog.New(slog.DiscardHandler),
		Diagnose:  e.diagnose,
		Observe:   w.Observe,
	})
	if err == nil {
		e.t.Cleanup(func() { e.end(c) })
	}
	return c, err
}

// end ends the peer. Twice is once.
func (e *exam) end(c *client.Client) {
	e.t.Helper()
	_ = c.Close()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_ = c.Wait()
	}()
	select {
	case <-gone:
	case <-time.After(patience):
		e.t.Error("the client does not end")
	}
}

func (e *exam) diagnose(d jsonrpc.Diagnostic) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if d.Kind == jsonrpc.Noise {
		e.noise++
		return
	}
	e.faults = append(e.faults, d.String())
}

// heard reports whether there was noise.
func (e *exam) heard() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.noise > 0
}

// mark writes down how something went: what the agent did not advertise it does not have; anything else that fails is noted.
// It reports whether it went well.
func (e *exam) mark(column string, err error) bool {
	e.t.Helper()
	var lacks *acp.UnsupportedError
	switch {
	case err == nil:
		e.row.cells[column] = "yes"
		return true
	case errors.As(err, &lacks):
		e.row.cells[column] = "–"
	default:
		e.row.cells[column] = "fails"
		e.row.notes = append(e.row.notes, column+": "+e.blank(err.Error()))
	}
	return false
}

// idOfSession is what differs from run to run.
var idOfSession = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|ses_[0-9A-Za-z]+|\b(?:[0-9a-f]{32})\b`)

// blank takes out of an error what differs from run to run.
func (e *exam) blank(text string) string {
	text = strings.NewReplacer(e.dir, "DIR", e.home, "HOME", e.server.URL, "STUB").Replace(text)
	text = strings.Join(strings.Fields(idOfSession.ReplaceAllString(text, "ID")), " ")
	if runes := []rune(text); len(runes) > 200 {
		text = string(runes[:200]) + "…"
	}
	return text
}

// must fails the test for what every agent can do.
func (e *exam) must(column string, err error) {
	e.t.Helper()
	if !e.mark(column, err) {
		e.t.Fatalf("%s: %v", column, err)
	}
}

// An asked is the user of an exam.
type asked struct {
	mu      sync.Mutex
	answer  acp.PermissionOptionKind
	options []acp.PermissionOption // of the last question; nil if nothing was asked since then
}

func (*asked) Update(context.Context, *client.Session, acp.SessionUpdate) {}

func (a *asked) RequestPermission(_ context.Context, _ *client.Session, r *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.options = r.Options
	return client.Select(r.Options, a.answer), nil
}

// with sets the answer to what will be asked.
func (a *asked) with(answer acp.PermissionOptionKind) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answer, a.options = answer, nil
}

func (a *asked) was() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.options != nil
}

// check looks at what crossed the wire: all that our client has sent has to be valid by the official schema, and all that
// the agent has sent understood. Where the agent's own messages are not valid, that is noted.
func (e *exam) check() {
	e.t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, fault := range e.faults {
		e.t.Errorf("the client has complained: %s", fault)
	}
	var theirs []string
	for _, path := range e.traces {
		messages := e.messages(path)
		asked := map[string]string{}
		for _, m := range messages {
			e.row.see(&m)
			what := e.what(&m, asked)
			err := m.check(asked)
			switch {
			case err == nil || strings.HasPrefix(m.Method, "_") || m.Method == "session/set_model" || strings.Contains(err.Error(), "it answers nothing"): // extensions, and an old call that the schema has lost
			case m.dir == trace.ToAgent:
				e.t.Errorf("our client has sent what is not valid: %v in\n%s", err, m.raw)
			default:
				theirs = append(theirs, fmt.Sprintf("%s: %.120s", what, e.blank(err.Error())))
			}
		}
	}
	slices.Sort(theirs)
	for _, fault := range slices.Compact(theirs) {
		e.row.notes = append(e.row.notes, "not valid by the schema: "+fault)
	}
}

// what names a message for people, before it has been checked: then an answer's question is forgotten.
func (e *exam) what(m *message, asked map[string]string) string {
	if m.Method != "" {
		return m.Method
	}
	return "the answer to " + asked[string(trace.ToAgent)+string(m.ID)]
}

// messages reads a trace, of which the process has not ended cleanly.
func (e *exam) messages(path string) (list []message) {
	e.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		e.t.Fatal(err)
	}
	for r, err := range trace.Read(bytes.NewReader(text)) {
		if err != nil {
			break // it was killed in the middle of a line
		}
		m := message{line: r.Line, dir: r.Dir, raw: r.Msg}
		if r.IsFrame() && r.Msg != nil && json.Unmarshal(r.Msg, &m) == nil {
			list = append(list, m)
		}
	}
	return list
}
