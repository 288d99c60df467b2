package interop_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	// agentsVariable says which agents are examined beside those that always are: "all", or names with commas between
	// them. The table in the guide is written then.
	agentsVariable = "PATCHBAY_AGENTS"

	// isolatedVariable says that this process has no network but the loopback.
	isolatedVariable = "PATCHBAY_AGENTS_ISOLATED"
)

// chosen reports whether the peer is to be examined.
func (p *peer) chosen() bool {
	names := strings.FieldsFunc(os.Getenv(agentsVariable), func(r rune) bool { return r == ',' || r == ' ' })
	return p.always || slices.Contains(names, p.name) || !p.asked && slices.Contains(names, "all")
}

// What agents of others do is learned by letting them do it: a handshake, a turn with a command that they ask for, one that is
// cancelled, settings, the session once more in processes that have not seen it, a death in the middle of a turn, and the
// same by `patchbay run`. Each of their messages is understood, ours are valid by the official schema, a banner before the
// handshake does no harm (F2), and nothing of an agent is left, however it ended (F92).
func TestAgentsOfOthers(t *testing.T) {
	switch {
	case runtime.GOOS != "linux":
		t.Skip("it is for Linux")
	case testing.Short():
		t.Skip("an agent takes some seconds for a turn")
	}
	requirePeers(t)
	t.Parallel()
	for _, p := range peers {
		if !p.chosen() {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			if why := p.missing(); why != "" {
				t.Skip(why)
			}
			e := newExam(t, p)
			e.sit()
			if t.Failed() {
				return
			}
			for _, note := range e.row.notes {
				t.Log(note)
			}
			if os.Getenv(agentsVariable) != "" {
				writeRow(t, &e.row)
				return
			}
			_, tab, _ := readTable(t)
			e.row.date = ""
			for _, line := range tab.rows {
				if rank(line) == slices.Index(peers, p) {
					same(t, "row in "+agentsGuide, line[:strings.LastIndex(line[:len(line)-1], "|")+1], strings.TrimSuffix(e.row.String(), "  |"))
				}
			}
		})
	}
}

// sit goes through the exam.
func (e *exam) sit() {
	e.t.Helper()
	began := time.Now()
	c, err := e.start(e.command)
	e.must("new", err)
	s, err := e.open(c)
	e.must("new", err)
	e.t.Logf("a session after %v", time.Since(began).Round(time.Millisecond))
	for _, step := range []func(){
		func() { e.turn(s) },
		func() { e.files(s) },
		func() { e.cancel(s) },
		func() { e.settings(s) },
		func() { e.list(c, s.ID()) },
		func() { e.end(c) },
		func() { e.reopen(s.ID(), c.Capabilities()) },
		e.killed,
		e.supervised,
		e.run,
		e.check,
	} {
		step()
	}
	if !eventually(10*time.Second, func() bool { return len(left(e.home)) == 0 }) {
		e.t.Errorf("left behind: %q", left(e.home))
	}
	e.t.Logf("all of it in %v", time.Since(began).Round(time.Second))
}

// run drives the peer by the command, with nobody to ask and with everything allowed.
func (e *exam) run() {
	e.t.Helper()
	report, code := e.patchbay("ran", "--permissions", "bypassPermissions")
	var err error
	switch {
	case code != 0 || report.StopReason != "end_turn":
		err = fmt.Errorf("the status is %d, stopReason %q: %s", code, report.StopReason, report.Error)
	case len(report.ToolCalls) == 0 || !e.done("ran"):
		err = fmt.Errorf("%d tool calls, and the command was not run: %q", len(report.ToolCalls), report.Text)
	}
	e.must("run", err)
	if e.row.cells["permission"] != "yes" || e.peer.mode != "" { // it does not ask, or not in the mode that it begins in
		return
	}
	report, code = e.patchbay("refused")
	switch {
	case code != 6 || len(report.Denied) == 0:
		err = fmt.Errorf("without leave, the status is %d with %d denials: %s", code, len(report.Denied), report.Error)
	case !e.peer.acts && e.done("refused"):
		err = fmt.Errorf("the command was run without leave")
	}
	e.must("run", err)
}

// A runReport is what `patchbay run --format json` prints.
type runReport struct {
	Text, StopReason, Error string
	ToolCalls, Denied       []object
	ExitCode                int
}

func (e *exam) patchbay(file string, flags ...string) (r runReport, code int) {
	e.t.Helper()
	args := slices.Concat([]string{"run", "--cwd", e.dir, "--format", "json", "--timeout", "60s"}, flags, []string{e.shell(file), "--", e.command.Path}, e.command.Args)
	path := patchbay(e.t) // before anybody's patience begins to wear
	cmd := exec.CommandContext(deadline(e.t), path, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Env, cmd.WaitDelay = &out, &errs, e.command.Env, time.Second
	if err := cmd.Run(); cmd.ProcessState == nil {
		e.t.Fatal(err)
	}
	if err := json.Unmarshal(out.Bytes(), &r); err != nil {
		e.t.Fatalf("patchbay run: %v in\n%s%s", err, &out, &errs)
	}
	if code = cmd.ProcessState.ExitCode(); code != r.ExitCode {
		e.t.Errorf("patchbay run: the status is %d, and the report says %d", code, r.ExitCode)
	}
	return r, code
}
