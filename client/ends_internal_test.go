package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// An onlooker is a Handler that is told of the ends of sessions.
type onlooker struct{ ended func(*Session) }

func (onlooker) Update(context.Context, *Session, acp.SessionUpdate) {}

func (onlooker) RequestPermission(context.Context, *Session, *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	return acp.PermissionCancelled(), nil
}

func (o onlooker) SessionEnded(s *Session) { o.ended(s) }

// answering connects a client with an agent that answers the client's messages with the results that it has for their
// methods; the answer to a prompt waits for a cancel.
func answering(t *testing.T, h Handler, o Options) *Client {
	t.Helper()
	ours, theirs := transport.Pipe()
	agent := make(chan struct{})
	go func() {
		defer close(agent)
		answers(theirs)
	}()
	o.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	c, err := Connect(context.Background(), ours, h, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Close()
		_ = c.Wait()
		<-agent
		_ = theirs.Close()
	})
	return c
}

func answers(theirs jsonrpc.Stream) {
	results := map[string]string{
		acp.MethodInitialize:    `{"protocolVersion":1}`,
		acp.MethodSessionNew:    `{"sessionId":"a"}`,
		acp.MethodSessionCancel: `{"stopReason":"cancelled"}`,
	}
	var prompt jsontext.Value
	for {
		frames, err := theirs.Read(1 << 20)
		if err != nil {
			return
		}
		for _, f := range frames {
			var m struct {
				ID     jsontext.Value `json:"id"`
				Method string         `json:"method"`
			}
			if json.Unmarshal(f.Data, &m) != nil {
				continue
			}
			switch m.Method {
			case acp.MethodSessionPrompt:
				prompt = m.ID.Clone()
				continue
			case acp.MethodSessionCancel:
				m.ID = prompt
			}
			_ = theirs.Write([][]byte{fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, results[m.Method])})
		}
	}
}

// A session that is registered as the connection ends, too late to be ended with the others, is refused: nobody would
// ever end it.
func TestASessionThatOpensAsTheConnectionEndsIsRefused(t *testing.T) {
	var c *Client
	var o *opening
	refused := make(chan error, 1)
	c = answering(t, onlooker{ended: func(s *Session) {
		if s.id == "a" { // the ones that are known are being ended
			refused <- c.endOpening(o, newSession(c, "b", "/project", nil))
		}
	}}, Options{})
	if _, err := c.NewSession(context.Background(), acp.NewSessionRequest{CWD: "/project"}); err != nil {
		t.Fatal(err)
	}
	var err error
	if _, o, err = c.beginOpening(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	_ = c.Wait()
	if err := <-refused; !errors.Is(err, jsonrpc.ErrClosed) {
		t.Errorf("the session is registered with %v, want %v", err, jsonrpc.ErrClosed)
	}
	if left := c.Sessions(); len(left) != 0 {
		t.Errorf("%d sessions are left that nobody ends", len(left))
	}
}

// T5, F97: the timer of a turn that was too idle may fire just as the agent answers the cancel. Such an agent is well, and
// is not killed.
func TestT5_TheTimerThatFiresAsTheCancelIsAnsweredKillsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := answering(t, onlooker{ended: func(*Session) {}}, Options{IdleTimeout: time.Minute})
		s, err := c.NewSession(context.Background(), acp.NewSessionRequest{CWD: "/project"})
		if err != nil {
			t.Fatal(err)
		}
		turn, err := s.Prompt(context.Background(), acp.Text("go"))
		if err != nil {
			t.Fatal(err)
		}
		r, err := turn.Wait()
		if !errors.Is(err, ErrIdle) || r == nil || r.Unconfirmed {
			t.Fatalf("the turn ends with %+v, %v", r, err)
		}
		turn.giveUp() // what the timer does that was not stopped in time
		synctest.Wait()
		if err := c.Err(); err != nil {
			t.Errorf("the connection has ended: %v", err)
		}
	})
}
