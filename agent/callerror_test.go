package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// T6, F157: an error that came from the client does not go back to it as it came: it would be told that it has to sign in,
// or that its prompt has bad params. It is in the data of the answer. The author's own errors go as they are.
func TestT6_TheClientsErrorIsNotItsAnswer(t *testing.T) {
	client := `{"code":-32000,"message":"sign in","data":{"x":1}}`
	sent := fmt.Sprintf(`{"method":"fs/read_text_file","error":%s}`, client)
	tests := map[string]struct {
		wrap func(error) error
		code int
		text string
		data string
	}{
		"passed on": {
			func(err error) error { return err },
			acp.CodeInternalError, `read a: the client failed fs/read_text_file: sign in (code -32000, data {"x":1})`, sent,
		},
		"wrapped": {
			func(err error) error { return fmt.Errorf("index: %w", err) },
			acp.CodeInternalError, `index: read a: the client failed fs/read_text_file: sign in (code -32000, data {"x":1})`, sent,
		},
		"joined": {
			func(err error) error { return errors.Join(errors.New("index"), err) },
			acp.CodeInternalError, "index\nread a: the client failed fs/read_text_file: sign in (code -32000, data {\"x\":1})", sent,
		},
		"unwrapped by the author": {
			func(err error) error {
				var sent *acp.Error
				if !errors.As(err, &sent) || !errors.Is(err, &acp.Error{Code: acp.CodeAuthRequired}) {
					t.Errorf("got %v", err)
				}
				return sent
			},
			acp.CodeAuthRequired, "sign in", `{"x":1}`,
		},
		"answered by the author": {
			func(err error) error { return fmt.Errorf("%w: %w", acp.ErrInvalidParams("no such file"), err) },
			acp.CodeInvalidParams, "no such file", "",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a := &full{PromptFunc: func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
				_, err := turn.ReadTextFile(ctx, "a", 0, 0)
				return "", test.wrap(err)
			}}
			p := start(t, a, options(), everything)
			id := p.ask("session/prompt", prompt(p.newSession(), "hi"))
			p.refuse(p.asked("fs/read_text_file"), client)
			got := p.answer(id)
			if got.Error == nil || got.Error.Code != test.code || got.Error.Message != test.text || string(got.Error.Data) != test.data {
				t.Errorf("got %s\nwant %d %s %s", got.text, test.code, test.text, test.data)
			}
		})
	}
}

// The same holds for every other method, extensions included.
func TestTheClientsErrorIsNoAnswerToAnyMethod(t *testing.T) {
	asking := func(ctx context.Context) error {
		return agent.ConnOf(ctx).Call(ctx, "_ask", nil, nil)
	}
	a := &full{
		onNew:     func(ctx context.Context, _ *agent.Session) (*acp.NewSessionResponse, error) { return nil, asking(ctx) },
		onLoad:    func(ctx context.Context, _ *agent.Session) error { return asking(ctx) },
		extension: asking,
	}
	p := start(t, a, options(), `{}`)
	for method, params := range map[string]string{
		"session/new":  `{"cwd":"/proj"}`,
		"session/load": `{"sessionId":"s","cwd":"/proj"}`,
		"_ask":         `{}`,
	} {
		id := p.ask(method, params)
		p.refuse(p.asked("_ask"), `{"code":-32602,"message":"what?"}`)
		got := p.answer(id)
		const data = `{"method":"_ask","error":{"code":-32602,"message":"what?"}}`
		if got.Error == nil || got.Error.Code != acp.CodeInternalError || !strings.Contains(got.Error.Message, "the client failed _ask: what?") || string(got.Error.Data) != data {
			t.Errorf("%s: got %s", method, got.text)
		}
	}
}
