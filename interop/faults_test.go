package interop_test

import (
	"bytes"
	"encoding/json"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// T6, S001.19: a provider's failure ends a turn as it is documented to, never as an empty success, and never not at all.
func TestT6_FaultsEndARun(t *testing.T) {
	for _, f := range formats {
		for _, each := range append(final, passing...) {
			t.Run(each.name+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				startFault(t, f, each).end()
			})
		}
	}
}

// The status says of each other end, too, that it is none of success.
func TestOddEndsOfARun(t *testing.T) {
	for _, f := range formats {
		for _, each := range odd {
			if each.calls > 0 && f.name != "anthropic" {
				continue // it takes a second
			}
			t.Run(each.name+"/"+f.name, func(t *testing.T) {
				t.Parallel()
				startFault(t, f, each).end()
			})
		}
	}
}

// T6: so do those that take time, which they all take at once here: it is the real agent's patience.
func TestT6_FaultsThatTakeTimeEndARun(t *testing.T) {
	if testing.Short() {
		t.Skip("the agent tries for 7.5 s")
	}
	t.Parallel()
	var all []*faultRun
	for _, f := range formats {
		for _, each := range append(lasting, silent...) {
			all = append(all, startFault(t, f, each))
		}
	}
	for _, r := range all {
		r.end()
	}
}

// A faultRun is a `patchbay run` whose model fails.
type faultRun struct {
	*fault
	t           *testing.T
	format      format
	server      *modeltest.Server
	dir, trace  string
	cmd         *exec.Cmd
	out, errors bytes.Buffer
}

func startFault(t *testing.T, f format, each fault) *faultRun {
	t.Helper()
	r := &faultRun{fault: &each, t: t, format: f, dir: folder(t), server: &modeltest.Server{URL: nobody(t)}}
	if len(each.answers) > 0 {
		r.server = modeltest.New(t, modeltest.Script(each.answers...))
	}
	home := folder(t)
	r.trace = filepath.Join(home, "trace.ndjson")
	args := append([]string{"run", "--format", "json", "--cwd", r.dir, "--trace", r.trace, "--permissions", "bypassPermissions"}, each.flags...)
	r.cmd = exec.CommandContext(deadline(t), patchbay(t), append(args, "go on")...)
	r.cmd.Env = f.environment(home, r.server)
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.errors
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return r
}

// nobody is an address of this machine where nobody listens.
func nobody(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

// end waits for the run and checks what it says.
func (r *faultRun) end() {
	r.t.Helper()
	what := r.name + ", " + r.format.name
	_ = r.cmd.Wait()
	var report struct {
		Text, StopReason, Error string
		ExitCode                int
		ToolCalls               []struct{ Status string }
	}
	if err := json.Unmarshal(r.out.Bytes(), &report); err != nil {
		r.t.Fatalf("%s: %v in %s%s", what, err, &r.out, &r.errors)
	}
	same(r.t, what+": exit status", r.cmd.ProcessState.ExitCode(), r.code)
	same(r.t, what+": exit status, as reported", report.ExitCode, r.code)
	if r.calls < 2 { // or it says the same again and again
		same(r.t, what+": text", strings.TrimSpace(report.Text), r.said)
	}
	same(r.t, what+": calls", len(report.ToolCalls), r.calls)
	if r.requests > 0 {
		same(r.t, what+": requests", len(r.server.Heard()), r.requests)
	}
	same(r.t, what+": files", files(r.t, r.dir), map[string]string{})
	contains(r.t, report.Error, r.message)
	if strings.Contains(r.out.String()+r.errors.String(), "a-key") && r.format.name != "chat" { // which needs no key
		r.t.Errorf("%s: it tells the key: %s%s", what, &r.out, &r.errors)
	}
	r.checkStop(what, report.StopReason)
}

// checkStop checks the answer to the prompt, which the trace has.
func (r *faultRun) checkStop(what, stopReason string) {
	r.t.Helper()
	messages := wireOf(r.t, r.trace)
	if _, err := officialSchema(); err == nil { // the peers are installed
		for _, err := range invalid(messages) {
			r.t.Errorf("%s: %v", what, err)
		}
	}
	var sent struct {
		Code int
		Data *failed
	}
	if text := messages[len(messages)-1].Error; text != nil {
		if err := json.Unmarshal(text, &sent); err != nil {
			r.t.Fatalf("%s: %v in %s", what, err, text)
		}
	}
	switch r.code {
	case 0:
		same(r.t, what+": stop reason", stopReason, "end_turn")
	case 7, 8, 9:
		same(r.t, what+": stop reason", stopReason, r.stop)
	case 1:
		want := r.data
		want.Provider, _, _ = strings.Cut(r.format.model, "/")
		if r.garbage && sent.Data != nil {
			want.Status, want.Retryable = sent.Data.Status, sent.Data.Retryable
		}
		same(r.t, what+": stop reason", stopReason, "")
		same(r.t, what+": code of the error", sent.Code, -32603)
		same(r.t, what+": data of the error", sent.Data, &want)
	default:
		same(r.t, what+": stop reason", stopReason, "cancelled")
	}
}

// The SDK's client gets errors that it can read, and a session in which the next prompt is as if nothing had happened.
func TestT6_FaultsReachTheSDKClient(t *testing.T) {
	requirePeers(t)
	for _, f := range formats {
		t.Run(f.name, func(t *testing.T) {
			answers := map[string]modeltest.Answer{"fine": words}
			for _, each := range append(final, silent...) {
				answers[each.name] = each.answers[0]
			}
			s := modeltest.New(t, func(h *modeltest.Heard) modeltest.Answer { return answers[lastOf(h)] })
			c := driveWith(t, f.environment(folder(t), s), patchbay(t), "agent")
			session := c.start(folder(t))
			for _, each := range []fault{final[0], final[1], final[4], final[7], final[8]} {
				r := c.do(prompt(session, each.name))
				if r.Error == nil || r.Error.Code != -32603 {
					t.Errorf("%s: got %v and the error %+v", each.name, r.Result, r.Error)
					continue
				}
				data, _ := r.Error.Data.(object)
				if !each.garbage {
					same(t, each.name+": status", data["status"], any(float64(each.data.Status)))
					same(t, each.name+": retryAfter", data["retryAfter"], any(float64(each.data.RetryAfter)))
				}
				same(t, each.name+": text", strings.TrimSpace(r.text()), each.said)
			}
			quiet := prompt(session, "silent in mid-word")
			quiet.When = []any{"agent_message_chunk", cancel(session)}
			same(t, "stop reason", c.must(quiet).Result["stopReason"], "cancelled")
			r := c.must(prompt(session, "fine"))
			same(t, "text", r.text(), "one two three")
		})
	}
}

// lastOf is what a model has been told last. What the user says after a turn that was cancelled may be in one message with
// what they had said then.
func lastOf(h *modeltest.Heard) string {
	text := h.Messages[len(h.Messages)-1].Text
	if strings.HasSuffix(text, "fine") {
		return "fine"
	}
	return text
}
