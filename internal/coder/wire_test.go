package coder_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// A wire is a way to reach models: which one is asked for, and the environment that says where it is.
type wire struct {
	name, model string
	env         func(s *modeltest.Server) map[string]string
}

// wires are the four wire formats.
var wires = []wire{
	{"anthropic", "anthropic/claude-sonnet-5-5", func(s *modeltest.Server) map[string]string {
		return map[string]string{"ANTHROPIC_BASE_URL": s.AnthropicURL(), "ANTHROPIC_API_KEY": "a-secret"}
	}},
	{"responses", "openai/gpt-6.2-sol", func(s *modeltest.Server) map[string]string {
		return map[string]string{"OPENAI_BASE_URL": s.OpenAIURL(), "OPENAI_API_KEY": "a-secret"}
	}},
	{"chat", "ollama/qwen3", func(s *modeltest.Server) map[string]string {
		return map[string]string{"OLLAMA_HOST": s.URL}
	}},
	{"gemini", "gemini/gemini-3.8-flash", func(s *modeltest.Server) map[string]string {
		return map[string]string{"GOOGLE_GEMINI_BASE_URL": s.GeminiURL(), "GEMINI_API_KEY": "a-secret"}
	}},
}

// configured returns what reads a configuration with nothing in it but these variables.
func configured(t *testing.T, env map[string]string) func(dir string) (*config.Config, error) {
	t.Helper()
	home := t.TempDir()
	return func(dir string) (*config.Config, error) {
		return config.Load(config.Options{
			Dir: dir, Home: home, UserDir: filepath.Join(home, "patchbay"), Env: func(name string) string { return env[name] },
		})
	}
}

// begin starts an agent whose model is reached by the wire, and a session in a folder with files.
func (w wire) begin(t *testing.T, s *modeltest.Server, c *client, files ...string) *client {
	t.Helper()
	env := w.env(s)
	env["PATCHBAY_MODEL"] = w.model
	if c.permit == nil {
		c.permit = answers(acp.PermissionOptionKindAllowOnce)
	}
	return beginWith(t, c, coder.Options{Config: configured(t, env)}, files...)
}

// onEachWire runs a test for all of them.
func onEachWire(t *testing.T, test func(t *testing.T, w wire)) {
	for _, w := range wires {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			test(t, w)
		})
	}
}

// called is a call of a tool.
func called(name, input string) modeltest.Called { return modeltest.Called{Name: name, Input: input} }

// calling is an answer with calls.
func calling(calls ...modeltest.Called) modeltest.Answer { return modeltest.Answer{Calls: calls} }

// A turn shows the same whatever wire the model is reached by, and the model is told the same.
func TestAnyWireGivesTheSameTurn(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		s := modeltest.New(t, modeltest.Script(
			modeltest.Answer{Thought: "I look first.", Text: "I look at it. ", Calls: []modeltest.Called{
				called("read", `{"path":"a.txt"}`), called("grep", `{"pattern":"wor"}`),
			}},
			calling(called("edit", `{"path":"a.txt","edits":[{"old":"world","new":"moon"}]}`), called("shell", `{"command":"cat a.txt"}`)),
			modeltest.Answer{Text: "Done."},
		))
		c := w.begin(t, s, &client{}, "a.txt", "hello world\n", "AGENTS.md", "Say moon.\n")
		updates := c.turn("replace the world", acp.StopReasonEndTurn)
		if got := saidText(updates); got != "I look at it. Done." {
			t.Errorf("it said %q", got)
		}
		script := c.script(updates)
		for _, want := range []string{"Read a.txt | read read pending DIR/a.txt", "[DIR/a.txt: \"hello world\\n\" to \"hello moon\\n\"]", "Run `cat a.txt`"} {
			if !strings.Contains(script, want) {
				t.Errorf("%q is missing in\n%s", want, script)
			}
		}
		heard := s.Heard()
		if len(heard) != 3 {
			t.Fatalf("the model was asked %d times", len(heard))
		}
		if !strings.Contains(heard[0].System, "Say moon.") || !strings.Contains(heard[0].System, c.dir) || len(heard[0].Tools) < 10 {
			t.Errorf("the model was told %q and given %q", heard[0].System, heard[0].Tools)
		}
		var results []string
		for _, m := range heard[2].Messages {
			for _, r := range m.Results {
				first, _, _ := strings.Cut(r.Text, "\n")
				results = append(results, first)
			}
		}
		if len(results) != 4 || !strings.HasPrefix(results[3], "hello moon") && !strings.Contains(heard[2].Messages[len(heard[2].Messages)-1].Results[1].Text, "hello moon") {
			t.Errorf("the model was given %q", results)
		}
	})
}

// T6, F168: whatever goes wrong with the provider, wherever, the client gets an error that says it, or the turn goes on;
// never an empty success. Of what has failed, what the user has seen is remembered.
func TestT6_FaultsOfProviders(t *testing.T) {
	text := modeltest.Answer{Text: "one two three four"}
	call := calling(called("list", `{"path":"."}`))
	with := func(a modeltest.Answer, f modeltest.Fault) modeltest.Answer { a.Fault = f; return a }
	for name, c := range map[string]struct {
		answer modeltest.Answer
		data   string // in the error's
	}{
		"a wrong key":           {with(text, modeltest.Fault{Status: 401, Message: "no such key"}), `"status":401`},
		"come back in an hour":  {with(text, modeltest.Fault{Status: 429, RetryAfter: "3600"}), `"retryAfter":3600`},
		"cut before a word":     {with(text, modeltest.Fault{Cut: true, At: 1}), `"status":0`},
		"cut in mid-word":       {with(text, modeltest.Fault{Cut: true, At: 2}), `"status":0`},
		"cut in mid-call":       {with(call, modeltest.Fault{Cut: true, At: 1}), `"status":0`},
		"garbage after a word":  {with(text, modeltest.Fault{Garbage: true, At: 2}), `"provider":`},
		"an error after a word": {with(text, modeltest.Fault{Error: true, At: 2}), `"provider":`},
	} {
		t.Run(name, func(t *testing.T) {
			onEachWire(t, func(t *testing.T, w wire) {
				n := 0
				s := modeltest.New(t, func(*modeltest.Heard) modeltest.Answer {
					if n++; n > 1 && !strings.Contains(name, "mid-call") || n > 5 {
						return modeltest.Answer{Text: "fine"}
					}
					return c.answer
				})
				client := w.begin(t, s, &client{can: noticing()})
				_, err := client.prompt("go on")
				sent, ok := err.(*acp.Error)
				if !ok || sent.Code != acp.CodeInternalError || !strings.Contains(string(sent.Data), c.data) {
					t.Fatalf("got %#v", err)
				}
				if strings.Contains(err.Error()+string(sent.Data), "a-secret") {
					t.Errorf("it tells the key: %v", err)
				}
				n = 5
				shown := saidText(client.seen())
				if got := saidText(client.turn("and now?", acp.StopReasonEndTurn)); got != "fine" {
					t.Errorf("afterwards it said %q", got)
				}
				said := s.Last().Messages
				if shown == "" && (len(said) != 1 || said[0].Text != "and now?") ||
					shown != "" && (len(said) != 3 || !strings.HasPrefix(said[1].Text, strings.TrimSpace(shown)+"\n\n[interrupted: ")) {
					t.Errorf("%q was shown, and the model was told %+v", shown, said)
				}
			})
		})
	}
}

// A provider that is overloaded for a moment is asked again, and the user is told why it takes so long.
func TestOverloadedForAMoment(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		s := modeltest.New(t, modeltest.Script(
			modeltest.Answer{Fault: modeltest.Fault{Status: 503, Message: "overloaded"}}, modeltest.Answer{Text: "here I am"},
		))
		c := w.begin(t, s, &client{can: noticing()})
		updates := c.turn("go on", acp.StopReasonEndTurn)
		if got := saidText(updates); got != "here I am" {
			t.Errorf("it said %q", got)
		}
		for _, u := range updates {
			if n, ok := u.(*acp.Notice); ok && strings.Contains(n.Title, "again") {
				return
			}
		}
		t.Errorf("the user was not told: %v", updates)
	})
}

func noticing() acp.ClientCapabilities {
	var can acp.ClientCapabilities
	can.Session = &acp.ClientSessionCapabilities{}
	can.Session.Notices = &acp.NoticeCapabilities{}
	return can
}

// The first word is shown before the second has come.
func TestFirstWordIsNotHeldBack(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		shown := make(chan struct{})
		s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "first second", Fault: modeltest.Fault{Piece: func(n int) {
			if n == 1 {
				<-shown
			}
		}}}))
		c := w.begin(t, s, &client{})
		c.forget()
		go func() {
			c.await(func(u acp.SessionUpdate) bool { _, ok := u.(*acp.AgentMessageChunk); return ok })
			close(shown)
		}()
		c.turn("go on", acp.StopReasonEndTurn)
	})
}

// S002.8: a cancel takes effect wherever it hits: while the model is silent, while the user is asked, while a command runs.
func TestCancelWherever(t *testing.T) {
	for name, answer := range map[string]modeltest.Answer{
		"silent":  {Text: "one two", Fault: modeltest.Fault{Silent: true, At: 1}},
		"asking":  calling(called("write", `{"path":"b.txt","text":"b"}`)),
		"running": calling(called("shell", `{"command":"sleep 1000"}`)),
	} {
		t.Run(name, func(t *testing.T) {
			onEachWire(t, func(t *testing.T, w wire) {
				n := 0
				s := modeltest.New(t, func(*modeltest.Heard) modeltest.Answer {
					if n++; n == 1 {
						return answer
					}
					return modeltest.Answer{Text: "fine"}
				})
				c := &client{}
				if name == "asking" {
					c.permit = func(ctx context.Context, _ *acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
						c.cancel()
						<-ctx.Done()
						return acp.PermissionCancelled()
					}
				}
				w.begin(t, s, c)
				if name != "asking" {
					c.forget()
					go func() {
						c.await(func(u acp.SessionUpdate) bool {
							switch u := u.(type) {
							case *acp.AgentMessageChunk:
								return name == "silent"
							case *acp.ToolCallUpdate:
								status, _ := u.Status.Get()
								return status == acp.ToolCallStatusInProgress
							}
							return false
						})
						c.cancel()
					}()
				}
				c.turn("go on", acp.StopReasonCancelled)
				if got := saidText(c.turn("and now?", acp.StopReasonEndTurn)); got != "fine" {
					t.Errorf("afterwards it said %q", got)
				}
			})
		})
	}
}

// S002.8: a turn ends for the reason for which the model has stopped, whatever its provider calls that.
func TestStopReasonsOfProviders(t *testing.T) {
	for stop, want := range map[string]acp.StopReason{
		"end": acp.StopReasonEndTurn, "max_tokens": acp.StopReasonMaxTokens, "refusal": acp.StopReasonRefusal,
	} {
		t.Run(stop, func(t *testing.T) {
			onEachWire(t, func(t *testing.T, w wire) {
				s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "some words", Stop: stop}))
				w.begin(t, s, &client{}).turn("go on", want)
			})
		})
	}
}

// What the user has seen of an answer that was cancelled is remembered on every wire, reasoning and calls aside; so is what
// was done before. The user can say "go on".
func TestACancelledAnswerIsRemembered(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		s := modeltest.New(t, modeltest.Script(
			calling(called("list", `{}`)),
			modeltest.Answer{
				Thought: "hm", Text: "one two three four", Calls: []modeltest.Called{called("write", `{"path":"b.txt","text":"b"}`)},
				Fault: modeltest.Fault{Silent: true, At: 3},
			},
			modeltest.Answer{Text: "fine"},
		))
		c := w.begin(t, s, &client{})
		c.forget()
		go func() {
			c.await(func(u acp.SessionUpdate) bool { return strings.Contains(saidText([]acp.SessionUpdate{u}), "one") })
			c.cancel()
		}()
		shown := saidText(c.turn("count", acp.StopReasonCancelled))
		c.turn("go on", acp.StopReasonEndTurn)
		said := s.Last().Messages
		if len(said) != 5 || len(said[1].Calls) != 1 || len(said[2].Results) != 1 || strings.Contains(said[2].Results[0].Text, "nothing was done") {
			t.Fatalf("the model was told %+v", said)
		}
		want := strings.TrimSpace(shown) + "\n\n[interrupted: the user has cancelled the turn]"
		if got := said[3]; got.Text != want || len(got.Calls) > 0 || got.Role != "assistant" {
			t.Errorf("%q was shown, and the model was told %+v", shown, got)
		}
		if got := said[4]; got.Text != "go on" {
			t.Errorf("then the model was told %+v", got)
		}
	})
}

// A call that a cancel has cut short has a result that says so; one that ran keeps its own, and one that did not was not made.
func TestCallsThatWereCutShortSaySo(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		s := modeltest.New(t, modeltest.Script(
			calling(called("list", `{}`), called("shell", `{"command":"sleep 1000"}`), called("shell", `{"command":"true"}`)),
			modeltest.Answer{Text: "fine"},
		))
		c := w.begin(t, s, &client{})
		go func() {
			var shell acp.ToolCallID
			c.await(func(u acp.SessionUpdate) bool {
				if call, ok := u.(*acp.ToolCall); ok && call.Name == "shell" {
					shell = call.ToolCallID
				}
				update, ok := u.(*acp.ToolCallUpdate)
				return ok && update.ToolCallID == shell && update.Status.Or("") == acp.ToolCallStatusInProgress
			})
			c.cancel()
		}()
		c.turn("work", acp.StopReasonCancelled)
		c.turn("go on", acp.StopReasonEndTurn)
		results := s.Last().Messages[2].Results
		for i, want := range []string{". has 0 entries", "may be done in part", "nothing was done"} {
			if len(results) != 3 || !strings.Contains(results[i].Text, want) {
				t.Fatalf("the model was given %+v", results)
			}
		}
	})
}
