package client_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// stuff sends so much to an agent which reads nothing that whatever comes next has to wait for the writer.
func stuff(c *client.Client) {
	params := map[string]string{"text": strings.Repeat("x", 2<<20)}
	for range 5 {
		go func() { _ = c.Notify(context.Background(), "_stuff", params) }()
		synctest.Wait()
	}
}

// A prompt that is refused on this side before a byte of it is written leaves no trace in the State: neither the message
// nor an end of what the agent is saying.
func TestAPromptThatIsNotSentLeavesNoTrace(t *testing.T) {
	for name, test := range map[string]struct {
		refused func(*client.Client, *client.Session) error
		want    error
	}{
		"too large": {func(_ *client.Client, s *client.Session) error {
			_, err := s.Prompt(context.Background(), acp.Text(strings.Repeat("x", 5<<20)))
			return err
		}, nil},
		"too large to run": {func(_ *client.Client, s *client.Session) error {
			_, err := s.Run(context.Background(), acp.Text(strings.Repeat("x", 5<<20)))
			return err
		}, nil},
		"not advertised": {func(_ *client.Client, s *client.Session) error {
			_, err := s.Prompt(context.Background(), acp.Image("image/png", []byte{1}))
			return err
		}, acp.ErrUnsupported},
		"cancelled while it waits for the writer": {func(c *client.Client, s *client.Session) error {
			stuff(c)
			return waits(s, func(cancel func()) { cancel() })
		}, context.Canceled},
		"closed while it waits for the writer": {func(c *client.Client, s *client.Session) error {
			stuff(c)
			return waits(s, func(func()) { _ = c.Close() })
		}, jsonrpc.ErrClosed},
		"a turn that is cancelled while it waits for the writer": {func(c *client.Client, s *client.Session) error {
			stuff(c)
			return waits(s, func(cancel func()) {
				go func() { _ = s.Cancel(context.Background()) }()
				synctest.Wait()
				cancel()
			})
		}, context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, a := connect(t, &user{}, client.Options{MaxMessageBytes: 4 << 20, Budget: 4 << 20}, noCapabilities)
				s := open(t, c, a)
				a.send(says("s", "By the way"))
				synctest.Wait()
				before := s.State().Revision()
				err := test.refused(c, s)
				var large *jsonrpc.TooLargeError
				if test.want == nil && !errors.As(err, &large) {
					t.Errorf("the prompt is %v, want a TooLargeError", err)
				}
				if test.want != nil {
					wantError(t, err, test.want)
				}
				if after := s.State().Revision(); after != before {
					t.Errorf("revision %d of the State has become %d", before, after)
				}
				if c.Err() == nil {
					a.send(says("s", ", it rains."))
					synctest.Wait()
					if m := s.State().Messages(); m.Len() != 1 || m.At(0).Text() != "By the way, it rains." {
						t.Errorf("%d messages, the first of which is %q", m.Len(), m.At(0).Text())
					}
				}
			})
		})
	}
}

// waits prompts, lets something happen while that waits, and returns its error.
func waits(s *client.Session, meanwhile func(cancel func())) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		_, err := s.Prompt(ctx, acp.Text("never"))
		failed <- err
	}()
	synctest.Wait()
	meanwhile(cancel)
	return <-failed
}

// A lingerer is a stream whose attempt to write a prompt takes until something has happened.
type lingerer struct {
	jsonrpc.TryWriter
	until <-chan struct{}
}

func (l *lingerer) TryWrite(m []byte) (bool, error) {
	done, err := l.TryWriter.TryWrite(m)
	if strings.Contains(string(m), `"session/prompt"`) {
		<-l.until
	}
	return done, err
}

// An update that follows the prompt stands behind it, also if it is handled before the prompt's writer has returned.
func TestThePromptStandsBeforeItsAnswer(t *testing.T) {
	heard := make(chan struct{})
	u := &user{hear: func(context.Context, *client.Session, acp.SessionUpdate) { close(heard) }}
	ours, theirs := transport.Pipe()
	c, a := connectOver(t, &lingerer{ours, heard}, theirs, u, client.Options{}, noCapabilities)
	s := open(t, c, a)
	served := make(chan struct{})
	go func() {
		defer close(served)
		p := a.expect("session/prompt")
		a.send(says("s", "yes"), outcome(p, `{"stopReason":"end_turn"}`))
	}()
	turn, err := s.Prompt(deadline(t), acp.Text("go"))
	if err != nil {
		t.Fatal(err)
	}
	within(t, "the agent", served)
	ends(t, turn, acp.StopReasonEndTurn)
	if m := s.State().Messages(); m.Len() != 2 || m.At(0).Text() != "go" || m.At(1).Text() != "yes" {
		t.Errorf("the first of %d messages is %q", m.Len(), m.At(0).Text())
	}
}
