package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Call says what to call.
type Call struct {
	// Tool is the tool's name, from Tools.
	Tool string

	// Input is its input, a JSON object. Nil means an empty one.
	Input acp.Raw

	// ID is what questions to the user name that are asked for the sake of the call. It may be empty.
	ID string

	// Progress, if not nil, gets what the server says about how far it is: one report at a time, ten a second at most, none
	// after the call. If they come faster, only the last one counts.
	Progress func(Progress)
}

// A Progress is how far a server is.
type Progress struct {
	Done, Total float64 // Total is zero if it is not known
	Message     string  // for people, without secrets; at most 400 bytes
}

// Call calls a tool. A server that is starting is waited for, one that has died and is being restarted as well. What the tool
// says has gone wrong is a result; an error is an *Error, for the model to read, that says what is wrong with the server or
// the call. If ctx ends, so does the call: the server is told, and the error is ctx's cause.
func (s *Set) Call(ctx context.Context, c Call) (*Result, error) {
	server, own := s.find(aTool, c.Tool)
	if server == nil {
		return nil, fmt.Errorf("there is no tool named %q", c.Tool)
	}
	input, err := object(c.Input)
	if err != nil {
		return nil, fmt.Errorf("the input of %s is %w", c.Tool, err)
	}
	var result *sdk.CallToolResult
	err = server.do(ctx, c, func(ctx context.Context, l *live, token string) (err error) {
		params := &sdk.CallToolParams{Name: own, Arguments: input}
		params.SetProgressToken(token)
		result, err = l.session.CallTool(ctx, params)
		return err
	})
	if err != nil {
		return nil, err
	}
	return server.converter().result(result), nil
}

// object checks that an input is a JSON object.
func object(input acp.Raw) (json.RawMessage, error) {
	if len(input) == 0 {
		return json.RawMessage("{}"), nil
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(input, &members); err != nil || members == nil {
		return nil, errors.New("no JSON object")
	}
	return json.RawMessage(input), nil
}

// A call is one that is under way.
type call struct {
	id     string
	clock  *clock
	latest chan Progress // holds the last report
	over   chan struct{} // closed by end
}

// tokens are the progress tokens of all calls.
var tokens atomic.Int64

// do makes a request of a server that is ready, within the time for it, and finds out what an error means.
func (s *server) do(ctx context.Context, c Call, request func(ctx context.Context, l *live, token string) error) error {
	limit := s.set.options.CallTimeout
	tooLate := &Error{Server: s.name, text: fmt.Sprintf("has not answered for %v; the call was cancelled", limit), is: context.DeadlineExceeded}
	within, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.set.over, func() { cancel(ErrClosed) })()

	l, err := s.await(within)
	if err != nil {
		return err
	}
	current := &call{id: c.ID, latest: make(chan Progress, 1), over: make(chan struct{}), clock: startClock(limit, func() { cancel(tooLate) })}
	defer current.clock.stop()
	token := strconv.FormatInt(tokens.Add(1), 10)
	s.begin(token, current)
	reporting := report(current, c.Progress)
	err = request(within, l, token)
	if errors.Is(err, sdk.ErrSessionMissing) { // the server has forgotten us, and so done nothing
		if l, err = s.awaitNext(within, l); err == nil {
			err = request(within, l, token)
		}
	}
	s.end(token)
	reporting.Wait()
	switch {
	case s.set.over.Err() != nil:
		return ErrClosed // even of an answer, which may be to questions that were taken back because of it
	case err == nil:
		return nil
	case within.Err() != nil:
		return context.Cause(within)
	case l == nil:
		return err
	}
	return s.wrong(l, err)
}

// awaitNext waits until a server has died that is about to, and for its next life.
func (s *server) awaitNext(ctx context.Context, l *live) (*live, error) {
	select {
	case <-l.dead:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	return s.await(ctx)
}

func (s *server) begin(token string, c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[token] = c
	if s.asking > 0 {
		c.clock.stop()
	}
}

// end ends the reports of a call.
func (s *server) end(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.calls[token].latest)
	close(s.calls[token].over)
	delete(s.calls, token)
}

// reportPause is the least time between two reports: each is shown, and kept with the session.
const reportPause = 100 * time.Millisecond

// report passes reports on until the call ends.
func report(c *call, to func(Progress)) *sync.WaitGroup {
	var w sync.WaitGroup
	w.Go(func() {
		for p := range c.latest {
			if to != nil {
				to(p)
			}
			pause := time.NewTimer(reportPause)
			select {
			case <-pause.C:
			case <-c.over:
				pause.Stop()
			}
		}
	})
	return &w
}

// progress takes a server's report. It does not wait: an older one that has not been passed on is forgotten.
func (s *server) progress(p *sdk.ProgressNotificationParams) {
	token, _ := p.ProgressToken.(string)
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.calls[token]
	if c == nil {
		return
	}
	if s.asking == 0 {
		c.clock.restart()
	}
	select {
	case <-c.latest:
	default:
	}
	c.latest <- Progress{Done: p.Progress, Total: p.Total, Message: cut(s.set.redactor.text(p.Message), maxReasonLine)}
}

// codeUnsent is the code of the SDK's own error for a request that the server has not taken, which spares the connection.
const codeUnsent = -32005

// wrong says what a failed request means, for the model.
func (s *server) wrong(l *live, err error) error {
	var refusal *jsonrpc.Error
	if errors.As(err, &refusal) && refusal.Code != codeUnsent {
		return &Error{Server: s.name, text: fmt.Sprintf("refuses the call: %s (code %d)", s.set.redactor.reason(refusal.Message), refusal.Code)}
	}
	soon := time.NewTimer(200 * time.Millisecond) // in which the SDK finds out that the server is dead
	defer soon.Stop()
	select {
	case <-l.dead:
	case <-soon.C:
	}
	if l.isDead() {
		return &Error{Server: s.name, text: "died during the call, which may have been carried out in part; " + s.set.redactor.reason(l.why().Error()), is: io.ErrUnexpectedEOF}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) {
		return &Error{Server: s.name, text: "broke the connection during the call, which may have been carried out in part", is: io.ErrUnexpectedEOF}
	}
	return &Error{Server: s.name, text: "can't be asked: " + s.set.redactor.reason(plain(err).Error())}
}

// A clock calls a function when it has run for so long.
type clock struct {
	limit time.Duration
	timer *time.Timer
}

func startClock(limit time.Duration, over func()) *clock {
	return &clock{limit, time.AfterFunc(limit, over)}
}

// stop makes it stand still, restart makes it run from the beginning.
func (c *clock) stop()    { c.timer.Stop() }
func (c *clock) restart() { c.timer.Reset(c.limit) }
