package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	json "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
)

// An openCall is a tool call of a turn that has no final status yet.
type openCall struct {
	handle *ToolCall // nil if the author sends its updates

	// background says that the work goes on after the turn: it is not failed but completed when the turn ends.
	background bool

	question bool // stands for an elicitation, which is not in the history
}

// A ToolCall is a tool that the model wants to be run, and that moves through its statuses in one direction: pending,
// in progress, and then completed or failed. Moving backwards, or changing anything after the end, is an error that is
// ErrToolCallStatus, and sends nothing. What is still open when Prompt returns is failed with a reason (T2).
//
// Spec: tool-calls.
type ToolCall struct {
	turn *Turn

	mu    sync.Mutex // held while an update is sent, so that they leave in the order of the statuses
	state acp.ToolCall
	text  *acp.TextContent // the block that Text appends to, the last of state.Content; nil if there is none
	shown acp.ToolCallID   // what a child's call is in the session that the client has opened; empty if it is not there
}

// ToolCall announces a tool call. An empty ToolCallID is chosen, an empty Status is pending, and relative paths of
// Locations and diffs are meant from the session's working directory. The next Text begins another message.
func (t *Turn) ToolCall(call acp.ToolCall) (*ToolCall, error) {
	made, err := t.ToolCalls(call)
	if len(made) == 0 {
		return nil, err
	}
	return made[0], err
}

// ToolCalls announces tool calls like ToolCall, in their order. A Recorder gets all of them at once, so that it takes no longer
// to keep many than one. With an error it returns those that the client has been told of, which come before the others.
func (t *Turn) ToolCalls(list ...acp.ToolCall) ([]*ToolCall, error) {
	calls := make([]*ToolCall, len(list))
	for i, call := range list {
		if rank(call.Status) < 0 {
			return nil, fmt.Errorf("announce tool call %s: unknown status %q", call.ToolCallID, call.Status)
		}
		calls[i] = t.newCall(call)
	}
	t.gate.RLock()
	defer t.gate.RUnlock()
	if t.ended {
		return nil, ErrTurnEnded
	}
	for i, c := range calls {
		if err := t.announce(c); err != nil {
			t.forget(calls[:i])
			return nil, err
		}
	}
	return t.sendCalls(calls)
}

func (t *Turn) newCall(call acp.ToolCall) *ToolCall {
	if call.ToolCallID == "" {
		call.ToolCallID = acp.ToolCallID(t.session.next("call"))
	}
	if call.Status == "" {
		call.Status = acp.ToolCallStatusPending
	}
	call.Content = t.session.resolveContent(call.Content)
	call.Locations = t.session.resolveLocations(call.Locations)
	return &ToolCall{turn: t, state: call}
}

// sendCalls records and sends tool calls. Those that were recorded and can't be sent are recorded as failed.
func (t *Turn) sendCalls(calls []*ToolCall) (sent []*ToolCall, err error) {
	s := t.session
	announced := make([]acp.SessionUpdate, len(calls))
	for i, c := range calls {
		call := c.state
		announced[i] = &call
	}
	recorded, err := s.record(announced...)
	if err != nil {
		t.forget(calls)
		return nil, err
	}
	defer recorded.done()
	for i, u := range announced {
		if failed := s.post(t.sending, u); unsent(failed) { // the client has not heard of it, and must not hear how it ended
			t.forget(calls[i:])
			return calls[:i], errors.Join(failed, recorded.fail(calls[i:], failed))
		} else if failed != nil {
			err = failed
		}
		t.NewMessage()
		s.history.add(u)
	}
	return calls, err
}

// forget takes back that tool calls are open.
func (t *Turn) forget(calls []*ToolCall) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range calls {
		delete(t.open, c.ID())
	}
}

// announce notes a tool call as open. An id that is open already would be two calls in one.
func (t *Turn) announce(c *ToolCall) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := c.state.ToolCallID
	if t.open[id] != nil {
		return fmt.Errorf("announce tool call %s: %w: it is open already", id, ErrToolCallStatus)
	}
	if !c.state.Status.Final() {
		t.setOpenLocked(id, &openCall{handle: c})
	}
	return nil
}

func (t *Turn) setOpenLocked(id acp.ToolCallID, call *openCall) {
	if t.open == nil {
		t.open = map[acp.ToolCallID]*openCall{}
	}
	t.open[id] = call
}

// rank orders the statuses. Unknown ones are below all others.
func rank(s acp.ToolCallStatus) int {
	switch s {
	case acp.ToolCallStatusPending, "":
		return 0
	case acp.ToolCallStatusInProgress:
		return 1
	case acp.ToolCallStatusCompleted, acp.ToolCallStatusFailed:
		return 2
	}
	return -1
}

// ID names the tool call.
func (c *ToolCall) ID() acp.ToolCallID { return c.state.ToolCallID }

// Status says how far the tool call has come.
func (c *ToolCall) Status() acp.ToolCallStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state.Status
}

// Start says that the tool runs. Once it does, that is no news and sends nothing.
func (c *ToolCall) Start() error {
	return c.change(func(u *acp.ToolCallUpdate) error {
		if c.state.Status == acp.ToolCallStatusInProgress {
			return errNoNews
		}
		return c.moveTo(u, acp.ToolCallStatusInProgress)
	})
}

// Output adds to what the call shows. The protocol has no way to add, so that the whole list is sent each time.
func (c *ToolCall) Output(content ...acp.ToolCallContent) error {
	return c.change(func(u *acp.ToolCallUpdate) error {
		c.append(u, content...)
		return nil
	})
}

// Text adds to the block of text that the call shows last, or to a new one if something else was shown meanwhile.
func (c *ToolCall) Text(s string) error {
	return c.setText(func(before string) string { return before + s })
}

// SetText is like Text, and replaces the block instead: for what changes while the tool runs, such as the last lines of a
// long output.
func (c *ToolCall) SetText(s string) error {
	return c.setText(func(string) string { return s })
}

func (c *ToolCall) setText(change func(before string) string) error {
	return c.change(func(u *acp.ToolCallUpdate) error {
		c.setBlock(u, change)
		return nil
	})
}

func (c *ToolCall) setBlock(u *acp.ToolCallUpdate, change func(before string) string) {
	if c.text == nil {
		block := &acp.TextContent{Text: change("")}
		c.append(u, &acp.Content{Content: block})
		c.text = block
		return
	}
	// The block before may be in the history or on its way.
	c.text = &acp.TextContent{Text: change(c.text.Text)}
	c.state.Content = slices.Clone(c.state.Content)
	c.state.Content[len(c.state.Content)-1] = &acp.Content{Content: c.text}
	u.Content = acp.Some(c.state.Content)
}

// Textf is Text with a format.
func (c *ToolCall) Textf(format string, args ...any) error {
	return c.Text(fmt.Sprintf(format, args...))
}

// Diff shows a change to a file: its whole text before, nil if the file is new, and after.
func (c *ToolCall) Diff(path string, old *string, text string) error {
	return c.Output(acp.DiffContent(path, old, text))
}

// Terminal shows what a terminal of the client's shows, for good: show it before it is released.
//
// Spec: terminals#embedding-in-tool-calls.
func (c *ToolCall) Terminal(term *Terminal) error { return c.Output(acp.TerminalContent(term.ID())) }

// Locations replaces the files that the call works on, so that an editor can follow.
//
// Spec: tool-calls#following-the-agent.
func (c *ToolCall) Locations(list ...acp.ToolCallLocation) error {
	return c.change(func(u *acp.ToolCallUpdate) error {
		c.state.Locations = c.turn.session.resolveLocations(some(list))
		u.Locations = acp.Some(c.state.Locations)
		return nil
	})
}

// Title replaces the title.
func (c *ToolCall) Title(title string) error {
	return c.change(func(u *acp.ToolCallUpdate) error {
		c.state.Title = title
		u.Title = acp.Some(title)
		return nil
	})
}

// Report says how far the tool has come: text takes the place of the block that Text and SetText write, and the status, which
// is in progress from now on, is said again, for clients that look at nothing else.
func (c *ToolCall) Report(text string) error {
	return c.change(func(u *acp.ToolCallUpdate) error {
		if err := c.moveTo(u, acp.ToolCallStatusInProgress); err != nil {
			return err
		}
		c.setBlock(u, func(string) string { return text })
		return nil
	})
}

// Meta adds members to the call's _meta.
func (c *ToolCall) Meta(m acp.Meta) error {
	return c.change(func(u *acp.ToolCallUpdate) error {
		all := maps.Clone(c.state.Meta)
		if all == nil {
			all = acp.Meta{}
		}
		maps.Copy(all, m)
		c.state.Meta, u.Meta = all, all
		return nil
	})
}

// RawInput says with which arguments the tool is called: anything that can be written as JSON.
func (c *ToolCall) RawInput(v any) error {
	raw, err := rawOf(v)
	if err != nil {
		return fmt.Errorf("raw input of tool call %s: %w", c.ID(), err)
	}
	return c.change(func(u *acp.ToolCallUpdate) error {
		c.state.RawInput = raw
		u.RawInput = acp.Some(raw)
		return nil
	})
}

// RawOutput says what the tool returned: anything that can be written as JSON.
func (c *ToolCall) RawOutput(v any) error {
	raw, err := rawOf(v)
	if err != nil {
		return fmt.Errorf("raw output of tool call %s: %w", c.ID(), err)
	}
	return c.change(func(u *acp.ToolCallUpdate) error {
		c.state.RawOutput = raw
		u.RawOutput = acp.Some(raw)
		return nil
	})
}

// Complete says that the tool has succeeded, and adds to what the call shows.
func (c *ToolCall) Complete(content ...acp.ToolCallContent) error {
	return c.change(func(u *acp.ToolCallUpdate) error {
		if len(content) > 0 {
			c.append(u, content...)
		}
		return c.moveTo(u, acp.ToolCallStatusCompleted)
	})
}

// Fail says that the tool has failed, and shows why: an error or a text, nil for no reason.
func (c *ToolCall) Fail(reason any) error {
	return c.change(func(u *acp.ToolCallUpdate) error { return c.fail(u, reason) })
}

func (c *ToolCall) fail(u *acp.ToolCallUpdate, reason any) error {
	if reason != nil {
		text := fmt.Sprint(reason)
		c.append(u, acp.ToolContent(acp.Text(text)))
		if c.state.RawOutput == nil {
			c.state.RawOutput = failureOutput(text)
			u.RawOutput = acp.Some(c.state.RawOutput)
		}
	}
	return c.moveTo(u, acp.ToolCallStatusFailed)
}

// An Outcome is all that there is to say when a tool has ended.
type Outcome struct {
	// Failed is set if the tool has failed.
	Failed bool

	// Reason says why it has failed: an error or a text, which is shown after Content. Nil shows nothing.
	Reason any

	// Content is added to what the call shows.
	Content []acp.ToolCallContent

	// Locations replace the files that the call works on. Nil leaves them as they are.
	Locations []acp.ToolCallLocation

	// RawOutput is what the tool returned: anything that can be written as JSON. Nil is nothing.
	RawOutput any
}

// End says how the tool has ended, all in one update.
func (c *ToolCall) End(o Outcome) error {
	var raw acp.Raw
	if o.RawOutput != nil {
		var err error
		if raw, err = rawOf(o.RawOutput); err != nil {
			return fmt.Errorf("raw output of tool call %s: %w", c.ID(), err)
		}
	}
	return c.change(func(u *acp.ToolCallUpdate) error {
		if raw != nil {
			c.state.RawOutput, u.RawOutput = raw, acp.Some(raw)
		}
		if o.Locations != nil {
			c.state.Locations = c.turn.session.resolveLocations(some(o.Locations))
			u.Locations = acp.Some(c.state.Locations)
		}
		if len(o.Content) > 0 {
			c.append(u, o.Content...)
		}
		if o.Failed {
			return c.fail(u, o.Reason)
		}
		return c.moveTo(u, acp.ToolCallStatusCompleted)
	})
}

// Allow asks the user whether the tool may be run: this time or from now on, yes or no. What the user wants for later is
// not remembered here; RequestPermission tells it.
//
// Spec: tool-calls#requesting-permission.
func (c *ToolCall) Allow(ctx context.Context) (bool, error) {
	option, err := c.turn.RequestPermission(ctx, c, acp.PermissionOptions(
		acp.PermissionOptionKindAllowOnce, acp.PermissionOptionKindAllowAlways,
		acp.PermissionOptionKindRejectOnce, acp.PermissionOptionKindRejectAlways)...)
	if err != nil {
		return false, err
	}
	return option.Kind.Allows(), nil
}

// errNoNews is returned by a change that changes nothing.
var errNoNews = errors.New("nothing has changed")

// change sends what f changes about the call. If f returns an error, or what it changes can't be sent, nothing changes: the
// call stays open, and can still be failed with less to say (T2).
func (c *ToolCall) change(f func(*acp.ToolCallUpdate) error) error {
	t := c.turn
	c.mu.Lock()
	defer c.mu.Unlock()
	t.gate.RLock()
	defer t.gate.RUnlock()
	switch {
	case t.ended:
		return ErrTurnEnded
	case c.state.Status.Final():
		return fmt.Errorf("change tool call %s: %w: it is %s", c.ID(), ErrToolCallStatus, c.state.Status)
	}
	before, text := c.state, c.text
	u := &acp.ToolCallUpdate{ToolCallID: c.ID()}
	if err := f(u); err != nil {
		c.state, c.text = before, text
		if errors.Is(err, errNoNews) {
			return nil
		}
		return err
	}
	recorded, err := t.session.record(u)
	if err != nil {
		c.state, c.text = before, text
		return err
	}
	defer recorded.done()
	err = t.session.post(t.sending, u)
	if unsent(err) {
		c.state, c.text = before, text
		return err
	}
	if c.state.Status.Final() {
		t.mu.Lock()
		delete(t.open, c.ID())
		t.mu.Unlock()
	}
	t.session.history.add(u)
	c.reflect(u)
	return err
}

func (c *ToolCall) moveTo(u *acp.ToolCallUpdate, status acp.ToolCallStatus) error {
	if rank(status) < rank(c.state.Status) {
		return fmt.Errorf("move tool call %s from %s to %s: %w", c.ID(), c.state.Status, status, ErrToolCallStatus)
	}
	c.state.Status = status
	u.Status = acp.Some(status)
	return nil
}

func (c *ToolCall) append(u *acp.ToolCallUpdate, content ...acp.ToolCallContent) {
	c.text = nil
	c.state.Content = slices.Concat(c.state.Content, c.turn.session.resolveContent(content))
	u.Content = acp.Some(some(c.state.Content))
}

// snapshot returns the call as a client should see it in a permission request.
func (c *ToolCall) snapshot() acp.ToolCallUpdate {
	c.mu.Lock()
	defer c.mu.Unlock()
	u := acp.ToolCallUpdate{ToolCallID: c.state.ToolCallID, Title: acp.Some(c.state.Title), Status: acp.Some(c.state.Status)}
	if c.state.Name != "" {
		u.Name = acp.Some(c.state.Name)
	}
	if c.state.Kind != "" {
		u.Kind = acp.Some(c.state.Kind)
	}
	if len(c.state.Content) > 0 {
		u.Content = acp.Some(c.state.Content)
	}
	if len(c.state.Locations) > 0 {
		u.Locations = acp.Some(c.state.Locations)
	}
	if c.state.RawInput != nil {
		u.RawInput = acp.Some(c.state.RawInput)
	}
	return u
}

func rawOf(v any) (acp.Raw, error) {
	text, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	return text, err
}

func failureOutput(reason string) acp.Raw {
	raw, err := rawOf(map[string]string{"error": reason})
	if err != nil {
		return nil
	}
	return raw
}
