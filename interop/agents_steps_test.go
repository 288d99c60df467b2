package interop_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// open makes a session, in the mode in which the peer asks.
func (e *exam) open(c *client.Client) (*client.Session, error) {
	ctx, cancel := e.context()
	defer cancel()
	s, err := c.NewSession(ctx, acp.NewSessionRequest{CWD: e.dir})
	if err != nil || e.peer.mode == "" {
		return s, err
	}
	return s, s.SetMode(ctx, acp.SessionModeID(e.peer.mode))
}

// An outcome is what came of a prompt.
type outcome struct {
	result *client.Result
	text   string
	calls  []*client.ToolCall
}

// tell prompts a session. Where `when` is not nil, it is called with each update.
func (e *exam) tell(s *client.Session, text string, when func(*client.Turn, acp.SessionUpdate)) (*outcome, error) {
	ctx, cancel := e.context()
	defer cancel()
	before := s.State().ToolCalls().Len()
	turn, err := s.Prompt(ctx, acp.Text(text))
	if err != nil {
		return nil, err
	}
	var list ended
	var out outcome
	for u := range turn.Updates() {
		list.updates = append(list.updates, u)
		if when != nil {
			when(turn, u)
		}
	}
	out.text = list.text()
	out.result, err = turn.Wait()
	out.calls = s.State().ToolCalls().Slice()[before:]
	return &out, err
}

// turn lets the agent run a command, once with leave and once without.
func (e *exam) turn(s *client.Session) {
	e.t.Helper()
	e.asked.with(acp.PermissionOptionKindAllowOnce)
	out, err := e.tell(s, e.shell("allowed"), nil)
	switch {
	case err != nil:
	case out.result.StopReason != acp.StopReasonEndTurn:
		err = fmt.Errorf("the turn ended with %s", out.result.StopReason)
	case len(out.calls) == 0:
		err = fmt.Errorf("there was no tool call; it said %q", out.text)
	case out.calls[0].Status != acp.ToolCallStatusCompleted:
		err = fmt.Errorf("the status of the tool call is %s at the end of the turn", out.calls[0].Status)
	case !e.done("allowed"):
		err = fmt.Errorf("the command was not run; it said %q", out.text)
	}
	e.must("tool call", err)
	if !e.asked.was() {
		return
	}
	e.must("permission", nil)
	e.asked.with(acp.PermissionOptionKindRejectOnce)
	_, err = e.tell(s, e.shell("rejected"), nil)
	switch {
	case err == nil && !e.asked.was():
		err = errors.New("it did not ask a second time")
	case err == nil && !e.peer.acts && e.done("rejected"):
		err = errors.New("it ran the command all the same")
	}
	e.mark("rejection", err)
}

// shell is a prompt that has a file made by a command. What was wanted before is past, also where an agent joins messages
// because a turn between them was broken off.
func (e *exam) shell(name string) string {
	return "Please do this. puppet:talk puppet:shell=`touch " + filepath.Join(e.dir, name) + "`"
}

// done reports whether a file is there. An agent that only acts makes none.
func (e *exam) done(name string) bool {
	_, err := os.Stat(filepath.Join(e.dir, name))
	return err == nil || e.peer.acts
}

// files lets the agent write a file, which it may or may not have its client do.
func (e *exam) files(s *client.Session) {
	e.t.Helper()
	if e.peer.acts {
		return
	}
	path := filepath.Join(e.dir, "written.txt")
	e.asked.with(acp.PermissionOptionKindAllowOnce)
	out, err := e.tell(s, "Please do this. puppet:talk puppet:write=`"+path+"`", nil)
	if err == nil && strings.Contains(out.text, "There is no tool") {
		return
	}
	if _, lost := os.Stat(path); err == nil && lost != nil {
		err = fmt.Errorf("no file was written; it said %q", out.text)
	}
	if err != nil {
		e.mark("files", err)
	}
}

// cancel cancels a turn in the middle, after which the session has to be usable.
func (e *exam) cancel(s *client.Session) {
	e.t.Helper()
	e.asked.with(acp.PermissionOptionKindAllowOnce)
	began := time.Now()
	out, err := e.tell(s, "puppet:talk puppet:slow", e.onceItSpeaks(func(turn *client.Turn) {
		began = time.Now()
		if err := turn.Cancel(context.Background()); err != nil {
			e.t.Errorf("cancel: %v", err)
		}
	}))
	if err == nil && out.result.StopReason != acp.StopReasonCancelled {
		err = fmt.Errorf("a cancelled turn ended with %s", out.result.StopReason)
	}
	e.t.Logf("cancelled after %v", time.Since(began).Round(time.Millisecond))
	if !e.mark("cancel", err) {
		e.t.Errorf("cancel: %v", err)
	}
	e.mark("new", e.answers(s))
}

// onceItSpeaks calls do with the first words of a turn.
func (e *exam) onceItSpeaks(do func(*client.Turn)) func(*client.Turn, acp.SessionUpdate) {
	done := false
	return func(turn *client.Turn, u acp.SessionUpdate) {
		if _, ok := u.(*acp.AgentMessageChunk); ok && !done {
			done = true
			do(turn)
		}
	}
}

// answers gives the session a prompt that it has to answer.
func (e *exam) answers(s *client.Session) error {
	out, err := e.tell(s, "Say something. puppet:talk", nil)
	switch {
	case err != nil:
		return err
	case out.result.StopReason != acp.StopReasonEndTurn:
		return fmt.Errorf("the turn ended with %s", out.result.StopReason)
	case !e.peer.acts && !strings.Contains(out.text, modeltest.PuppetWords):
		return fmt.Errorf("it said %q", out.text)
	}
	return nil
}

// settings changes all that the session offers to change, and changes it back.
func (e *exam) settings(s *client.Session) {
	e.t.Helper()
	ctx, cancel := e.context()
	defer cancel()
	if modes, now := s.State().Modes(), s.State().Mode(); len(modes) > 1 {
		other := modes[0].ID
		if other == now {
			other = modes[1].ID
		}
		err := s.SetMode(ctx, other)
		if got := s.State().Mode(); err == nil && got != other {
			err = fmt.Errorf("the mode is %s after setting %s", got, other)
		}
		e.mark("mode", errors.Join(err, s.SetMode(ctx, now)))
	}
	if models := s.State().Models(); len(models.Available) > 0 {
		e.mark("model", s.SetModel(ctx, models.Available[len(models.Available)-1].ID))
		if models.Current != "" {
			_ = s.SetModel(ctx, models.Current)
		}
	}
	for _, option := range s.State().Config() {
		e.choose(ctx, s, &option)
	}
}

// choose gives an option another value and its old one again. Options for the mode and the model count as these, too.
func (e *exam) choose(ctx context.Context, s *client.Session, o *acp.SessionConfigOption) {
	e.t.Helper()
	list, ok := o.Value.(*acp.SessionConfigSelect)
	if !ok {
		return
	}
	other := list.CurrentValue
	for value := range list.Options.All() {
		if value.Value != list.CurrentValue {
			other = value.Value
		}
	}
	err := s.SetConfigOption(ctx, o.ID, &acp.SetConfigValueID{Value: other})
	if err == nil {
		err = e.is(s, o.ID, other)
	}
	_ = s.SetConfigOption(ctx, o.ID, &acp.SetConfigValueID{Value: list.CurrentValue})
	for column, category := range map[string]acp.SessionConfigOptionCategory{
		"mode": acp.SessionConfigOptionCategoryMode, "model": acp.SessionConfigOptionCategoryModel, "option": o.Category,
	} {
		if category == o.Category && e.row.cells[column] != "yes" {
			e.mark(column, err)
		}
	}
}

// is compares an option with what it was set to.
func (e *exam) is(s *client.Session, id acp.SessionConfigID, want acp.SessionConfigValueID) error {
	for _, o := range s.State().Config() {
		if list, ok := o.Value.(*acp.SessionConfigSelect); ok && o.ID == id {
			if list.CurrentValue != want {
				return fmt.Errorf("the option %s is %s after setting %s", id, list.CurrentValue, want)
			}
			return nil
		}
	}
	return fmt.Errorf("the option %s is gone", id)
}

// list looks for the session among those that the agent has saved.
func (e *exam) list(c *client.Client, id acp.SessionID) {
	e.t.Helper()
	ctx, cancel := e.context()
	defer cancel()
	request := acp.ListSessionsRequest{CWD: e.dir}
	for page := 0; ; page++ {
		resp, err := c.ListSessions(ctx, request)
		if err != nil || page == 100 {
			e.mark("list", err)
			return
		}
		for _, s := range resp.Sessions {
			if s.SessionID == id {
				e.mark("list", nil)
				return
			}
		}
		if request.Cursor = resp.NextCursor; request.Cursor == "" {
			e.mark("list", errors.New("the session is not in the list"))
			return
		}
	}
}

// reopen opens the session in processes that have not seen it: with its history, without, and as the beginning of another one.
func (e *exam) reopen(id acp.SessionID, caps *acp.AgentCapabilities) {
	e.t.Helper()
	if caps.LoadSession {
		e.again("load", func(ctx context.Context, c *client.Client) (*client.Session, error) {
			s, err := c.LoadSession(ctx, acp.LoadSessionRequest{SessionID: id, CWD: e.dir})
			if err == nil && s.State().Messages().Len() == 0 {
				err = errors.New("there was no history")
			}
			return s, err
		})
	}
	if caps.SessionCapabilities.Resume != nil {
		e.again("resume", func(ctx context.Context, c *client.Client) (*client.Session, error) {
			return c.ResumeSession(ctx, acp.ResumeSessionRequest{SessionID: id, CWD: e.dir})
		})
	}
	if caps.SessionCapabilities.Fork != nil {
		e.again("fork", func(ctx context.Context, c *client.Client) (*client.Session, error) {
			s, err := c.ForkSession(ctx, acp.ForkSessionRequest{SessionID: id, CWD: e.dir})
			if err == nil && s.ID() == id {
				err = errors.New("the fork has the id of its origin")
			}
			return s, err
		})
	}
	if caps.SessionCapabilities.Close != nil || caps.SessionCapabilities.Delete != nil {
		e.forget(caps)
	}
}

// again starts a process and opens a session in it, which has to go on.
func (e *exam) again(column string, open func(context.Context, *client.Client) (*client.Session, error)) {
	e.t.Helper()
	c, err := e.start(e.command)
	e.must("new", err)
	defer e.end(c)
	ctx, cancel := e.context()
	defer cancel()
	s, err := open(ctx, c)
	if err == nil {
		err = e.answers(s)
	}
	e.mark(column, err)
}

// forget closes a session and deletes it.
func (e *exam) forget(caps *acp.AgentCapabilities) {
	e.t.Helper()
	c, err := e.start(e.command)
	e.must("new", err)
	defer e.end(c)
	s, err := e.open(c)
	if err == nil {
		err = e.answers(s)
	}
	e.must("new", err)
	ctx, cancel := e.context()
	defer cancel()
	if caps.SessionCapabilities.Close != nil {
		e.mark("close", s.Close(ctx))
	}
	if caps.SessionCapabilities.Delete != nil {
		e.mark("delete", c.DeleteSession(ctx, s.ID()))
	}
}

// killed ends a process that has greeted us with a line that is no message, in the middle of a turn and without any warning:
// what waits for it has to learn that at once, and nothing that it has started may live on.
func (e *exam) killed() {
	e.t.Helper()
	c, err := e.start(noisy(e.command))
	if err == nil && !e.heard() {
		err = errors.New("the line before the first message was not reported")
	}
	e.must("noise", err)
	var s *client.Session
	if err == nil {
		s, err = e.open(c)
	}
	e.must("new", err)
	var at time.Time
	_, err = e.tell(s, "puppet:talk puppet:slow", e.onceItSpeaks(func(*client.Turn) {
		at = time.Now()
		process, err := os.FindProcess(c.Process().Pid())
		if err == nil {
			err = process.Kill()
		}
		if err != nil {
			e.t.Errorf("kill: %v", err)
		}
	}))
	var closed *jsonrpc.ClosedError
	switch late := time.Since(at); {
	case !errors.As(err, &closed):
		err = fmt.Errorf("the turn of a killed agent ended with %v", err)
	case late > 5*time.Second:
		err = fmt.Errorf("the turn of a killed agent ended after %v", late)
	default:
		err = nil
	}
	e.end(c)
	if rest := left(e.home); err == nil && len(rest) > 0 {
		err = fmt.Errorf("it has left behind %q", rest)
	}
	if !e.mark("killed", err) {
		e.t.Errorf("killed: %v", err)
	}
}
