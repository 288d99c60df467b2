package mcp_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/mcp"
)

func TestAServersQuestionReachesTheUser(t *testing.T) {
	var asked []mcp.Elicitation
	o := mcp.Options{ElicitURL: true, Elicit: func(_ context.Context, e mcp.Elicitation) (acp.ElicitationAction, error) {
		asked = append(asked, e)
		if _, ok := e.Mode.(*acp.ElicitationURLMode); ok {
			return &acp.ElicitationAcceptAction{}, nil
		}
		return &acp.ElicitationAcceptAction{Content: map[string]acp.ElicitationContentValue{
			"name": acp.StringValue("Ada"), "age": acp.IntegerValue(36),
		}}, nil
	}}
	s, _ := ready(t, o, ours(t, "s", "full"))
	r, err := s.Call(deadline(t), mcp.Call{Tool: "mcp__s__ask", ID: "call 1"})
	if err != nil || r.Text != "accept Ada 36" {
		t.Errorf("%+v, %v", r, err)
	}
	if r := call(t, s, "mcp__s__visit", "{}"); r.Text != "accept" {
		t.Errorf("the result is %+v", r)
	}
	if len(asked) != 2 || asked[0].Server != "s" || asked[0].CallID != "call 1" || asked[0].Message != "Who are you?" {
		t.Fatalf("asked was %+v", asked)
	}
	form := asked[0].Mode.(*acp.ElicitationFormMode).RequestedSchema
	if _, ok := form.Properties.Get("age").(*acp.IntegerPropertySchema); !ok {
		t.Errorf("the form is %+v", form)
	}
	if page := asked[1].Mode.(*acp.ElicitationURLMode); page.URL != "https://example.com/in" || page.ElicitationID != "e1" {
		t.Errorf("the page is %+v", page)
	}
}

func TestWhatTheUserDoesIsPassedOn(t *testing.T) {
	for _, test := range []struct {
		action acp.ElicitationAction
		err    error
		want   string
	}{
		{&acp.ElicitationDeclineAction{}, nil, "decline <nil> <nil>"},
		{&acp.ElicitationCancelAction{}, nil, "cancel <nil> <nil>"},
		{&acp.UnknownElicitationAction{Action: "later"}, nil, "cancel <nil> <nil>"},
		{nil, errors.New("the client is gone"), "cancel <nil> <nil>"},
	} {
		o := mcp.Options{Elicit: func(context.Context, mcp.Elicitation) (acp.ElicitationAction, error) { return test.action, test.err }}
		s, _ := ready(t, o, ours(t, "s", "full"))
		if r := call(t, s, "mcp__s__ask", "{}"); r.Text != test.want {
			t.Errorf("%T, %v: %+v", test.action, test.err, r)
		}
		// Pages are for those who said that they can show them.
		if r := call(t, s, "mcp__s__visit", "{}"); !strings.Contains(r.Text, "error: ") && r.Text != "decline" {
			t.Errorf("a page: %+v", r)
		}
		s.Close()
	}
}

// F145
func TestF145_WithoutAnyoneToAskServersKnow(t *testing.T) {
	s, _ := ready(t, mcp.Options{}, ours(t, "s", "full"), ours(t, "bold", "bold"))
	if r := call(t, s, "mcp__s__ask", "{}"); !strings.Contains(r.Text, "does not support") {
		t.Errorf("the result is %+v", r)
	}
	if r := call(t, s, "mcp__bold__ask", "{}"); !strings.Contains(r.Text, `"action":"decline"`) {
		t.Errorf("a server that asks all the same: %+v", r)
	}
}

func TestSamplingIsRefused(t *testing.T) {
	s, _ := ready(t, mcp.Options{}, ours(t, "s", "full"))
	if r := call(t, s, "mcp__s__sample", "{}"); !strings.Contains(r.Text, "does not support") {
		t.Errorf("the result is %+v", r)
	}
}

func TestServersAreToldTheSessionsRoots(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		o    mcp.Options
		want string
	}{
		{mcp.Options{Dir: dir}, "file://" + filepath.ToSlash(dir)},
		{mcp.Options{Dir: dir, Roots: []string{"/a b", "/ü"}}, "file:///%C3%BC\nfile:///a%20b"},
		{mcp.Options{}, "(the tool returned nothing)"},
	} {
		s, _ := ready(t, test.o, ours(t, "s", "full"))
		if r := call(t, s, "mcp__s__roots", "{}"); strings.TrimSpace(r.Text) != test.want {
			t.Errorf("the roots are %q rather than %q", r.Text, test.want)
		}
		s.Close()
	}
}

// A question that is open when the session ends is taken back, and delays nothing.
func TestAnOpenQuestionEndsWithTheSession(t *testing.T) {
	for _, config := range []acp.MCPServer{ours(t, "s", "full"), &acp.MCPServerHTTP{Name: "s", URL: serveWeb(t, streamable(served(t))).URL}} {
		asked := make(chan struct{})
		o := mcp.Options{Elicit: func(ctx context.Context, _ mcp.Elicitation) (acp.ElicitationAction, error) {
			close(asked)
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		s, _ := ready(t, o, config)
		done := make(chan error, 1)
		go func() {
			_, err := s.Call(context.Background(), mcp.Call{Tool: "mcp__s__ask"})
			done <- err
		}()
		<-asked
		closed := make(chan struct{})
		go func() { defer close(closed); s.Close() }()
		select {
		case <-closed:
		case <-time.After(1500 * time.Millisecond): // less than what a server may take to hear of it
			t.Fatalf("%T: it takes long to close", config)
		}
		if err := <-done; !errors.Is(err, mcp.ErrClosed) {
			t.Errorf("%T: the error is %v", config, err)
		}
	}
}

func TestPromptsAreFilledIn(t *testing.T) {
	s, _ := ready(t, mcp.Options{}, ours(t, "s", "full"))
	list := s.Prompts()
	if len(list) != 1 {
		t.Fatalf("the prompts are %+v", list)
	}
	p := list[0]
	if p.Name != "mcp__s__review" || p.Title != "Review" || p.Description != "Reviews a file" || p.Hint() != "<file> [focus]" {
		t.Errorf("the prompt is %+v", p)
	}
	given, err := p.Fill("main.go the locks, and all")
	if err != nil {
		t.Fatal(err)
	}
	messages, err := s.Prompt(deadline(t), p.Name, given)
	if err != nil || len(messages) != 2 {
		t.Fatalf("%+v, %v", messages, err)
	}
	if text := messages[0].Content[0].(*acp.TextContent).Text; text != "Review main.go for the locks, and all" || messages[0].Role != acp.RoleUser {
		t.Errorf("it says %q to %s", text, messages[0].Role)
	}
	if image := messages[1].Content[0].(*acp.ImageContent); image.MIMEType != "image/png" || messages[1].Role != acp.RoleAssistant {
		t.Errorf("then %+v", messages[1])
	}
	if _, err := s.Prompt(deadline(t), "mcp__s__poem", nil); err == nil {
		t.Error("there is a prompt that there is not")
	}
}

func TestTheArgumentsOfACommand(t *testing.T) {
	p := &mcp.Prompt{Name: "p", Arguments: []mcp.Argument{{Name: "file", Required: true}, {Name: "focus"}, {Name: "rest"}}}
	none := &mcp.Prompt{Name: "none"}
	type given = map[string]string
	for _, test := range []struct {
		prompt *mcp.Prompt
		text   string
		want   given
		wrong  string
	}{
		{p, "a", given{"file": "a"}, ""},
		{p, "  a   b  c d ", given{"file": "a", "focus": "b", "rest": "c d"}, ""},
		{p, `"a b" 'c d' "e f"`, given{"file": "a b", "focus": "c d", "rest": "e f"}, ""},
		{p, `focus="x y" a`, given{"file": "a", "focus": "x y"}, ""},
		{p, "file=a=b", given{"file": "a=b"}, ""},
		{p, `"open`, given{"file": `"open`}, ""},
		{p, "", nil, "/p needs file: it takes <file> [focus] [rest]"},
		{p, "focus=x", nil, "/p needs file"},
		{p, "rest=1 focus=2 file=3 more", nil, `/p has no place for "more"`},
		{none, " ", given{}, ""},
		{none, "x", nil, `/none has no place for "x": it takes nothing`},
	} {
		got, err := test.prompt.Fill(test.text)
		if test.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("%q: %v", test.text, err)
			}
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("%q: %v\n%s", test.text, err, diff)
		}
	}
}
