package agent_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// inTerminals is an agent whose turns run a command in each of two terminals of the client's until they are cancelled. It
// releases one of them itself, by whatever context.
func inTerminals(t *testing.T, release func(ctx context.Context, term *agent.Terminal)) agent.Agent {
	return &full{PromptFunc: func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
		if turn.PromptText() == "again" {
			return "", nil
		}
		var last *agent.Terminal
		for range 2 {
			var err error
			if last, err = turn.CreateTerminal(ctx, acp.CreateTerminalRequest{Command: "sleep", Args: []string{"99"}}); err != nil {
				t.Error(err)
				return "", err
			}
		}
		<-ctx.Done()
		release(ctx, last)
		return "", context.Cause(ctx)
	}}
}

// makesTwo answers for two terminals.
func (p *peer) makesTwo() {
	p.t.Helper()
	for _, id := range []string{"t1", "t2"} {
		p.reply(p.asked("terminal/create"), fmt.Sprintf(`{"terminalId":%q}`, id))
	}
}

// F44, T4: a client that answers neither kill nor release has been told both, in this order, for each terminal, and holds
// neither the turn's answer nor the next turn up. After a while it is told that nobody waits any more.
func TestF44_AClientThatNeverTakesATerminalAway(t *testing.T) {
	for name, release := range map[string]func(context.Context, *agent.Terminal){
		"left to the turn":       func(context.Context, *agent.Terminal) {},
		"released by the author": func(ctx context.Context, term *agent.Terminal) { _ = term.Release(ctx) },
		"released, and waited for": func(ctx context.Context, term *agent.Terminal) {
			brief, stop := context.WithTimeout(context.WithoutCancel(ctx), 250*time.Millisecond)
			defer stop()
			if err := term.Release(brief); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Release returned %v", err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := start(t, inTerminals(t, release), options(), everything)
				session := p.newSession()
				id := p.ask("session/prompt", prompt(session, "hi"))
				p.makesTwo()
				synctest.Wait()
				cancelled := time.Now()
				p.send(notification("session/cancel", in(session)))
				told := map[string]string{}
				var open []string
				for range 4 {
					m := p.next()
					told[m.Params.TerminalID] += m.Method + " "
					open = append(open, string(m.ID))
				}
				for _, terminal := range []string{"t1", "t2"} {
					if told[terminal] != "terminal/kill terminal/release " {
						t.Errorf("%s: the client is told %s", terminal, told[terminal])
					}
				}
				p.stopped(id, "cancelled")
				if waited := time.Since(cancelled); waited > time.Second {
					t.Errorf("the answer took %s", waited)
				}
				p.stopped(p.ask("session/prompt", prompt(session, "again")), "end_turn")

				for range open { // the requests don't stay for ever
					if m := p.next(); m.Method != "$/cancel_request" {
						t.Errorf("got %s", m.text)
					}
				}
				for _, request := range open { // too late, and harmless
					p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, request))
				}
				p.silent()
				p.result(p.ask("session/close", in(session))) // which has nothing to take away any more
			})
		})
	}
}

// F44: a client that is slow is left to finish what it was told, and is told nothing twice.
func TestF44_AClientThatIsSlowToTakeATerminalAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, inTerminals(t, func(context.Context, *agent.Terminal) {}), options(), everything)
		session := p.newSession()
		id := p.ask("session/prompt", prompt(session, "hi"))
		p.makesTwo()
		synctest.Wait()
		cancelled := time.Now()
		p.send(notification("session/cancel", in(session)))
		var open []*message
		for range 4 {
			open = append(open, p.next())
		}
		p.stopped(id, "cancelled")
		if waited := time.Since(cancelled); waited > time.Second {
			t.Errorf("the answer took %s", waited)
		}
		time.Sleep(3 * time.Second) // of the bubble
		for _, m := range open {
			p.reply(m, `{}`)
		}
		time.Sleep(time.Minute)
		p.silent()
		p.result(p.ask("session/close", in(session)))
	})
}

// F44: closing a session is not held up either, and its client is told to take its terminals away.
func TestF44_ClosingASessionWaitsForNoTerminal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, &full{PromptFunc: func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
			_, err := turn.Session().CreateTerminal(ctx, acp.CreateTerminalRequest{Command: "server"})
			return "", err
		}}, options(), everything)
		session := p.newSession()
		id := p.ask("session/prompt", prompt(session, "hi"))
		p.reply(p.asked("terminal/create"), `{"terminalId":"t1"}`)
		p.stopped(id, "end_turn")
		closed := time.Now()
		end := p.ask("session/close", in(session))
		p.asked("terminal/kill")
		p.asked("terminal/release")
		p.result(end)
		if waited := time.Since(closed); waited > time.Second {
			t.Errorf("it took %s", waited)
		}
	})
}

// A terminal is killed and released whatever becomes of the context that the author gives: it is for waiting only.
func TestKillingATerminalOutlivesItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := start(t, agent.PromptFunc(func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
			term, err := turn.CreateTerminal(ctx, acp.CreateTerminalRequest{Command: "ls"})
			if err != nil {
				return "", err
			}
			brief, stop := context.WithTimeout(ctx, time.Second)
			defer stop()
			for _, err := range []error{term.Kill(brief), term.Release(brief)} {
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got error %v", err)
				}
			}
			return "", term.Release(ctx) // which waits for the answer to the first one
		}), options(), everything)
		id := p.ask("session/prompt", prompt(p.newSession(), "hi"))
		p.reply(p.asked("terminal/create"), `{"terminalId":"t1"}`)
		kill, release := p.asked("terminal/kill"), p.asked("terminal/release")
		time.Sleep(5 * time.Second) // of the bubble
		p.reply(kill, `{}`)
		p.reply(release, `{}`)
		p.stopped(id, "end_turn")
		p.silent()
	})
}
