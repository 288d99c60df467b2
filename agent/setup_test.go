package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// nothing is an agent that does what it must, and nothing more.
var nothing = agent.PromptFunc(func(context.Context, *agent.Turn) (acp.StopReason, error) { return "", nil })

// S002.3, F135: a protocol version is required, and the answer is always 1.
func TestTheVersionIsOne(t *testing.T) {
	for _, version := range []string{"1", "2", "0", "65535"} {
		_, p := connect(t, nothing, options())
		if got := p.result(p.ask("initialize", `{"protocolVersion":`+version+`}`))["protocolVersion"]; got != 1.0 {
			t.Errorf("version %s is answered with %v", version, got)
		}
	}
	_, p := connect(t, nothing, options())
	for _, params := range []string{`{}`, `{"protocolVersion":null}`, `{"protocolVersion":"1.0"}`, `{"protocolVersion":1.5}`} {
		p.failure(p.ask("initialize", params), acp.CodeInvalidParams, "protocolVersion")
	}
	p.result(p.ask("initialize", `{"protocolVersion":1}`)) // the failures before have done no harm
	p.failure(p.ask("initialize", `{"protocolVersion":1}`), acp.CodeInvalidRequest, "already")
}

// Nothing but initialize is answered before initialize.
func TestNothingComesBeforeInitialize(t *testing.T) {
	a := &full{}
	_, p := connect(t, a, options())
	for _, method := range []string{"session/new", "authenticate", "session/prompt", "_echo", "nonsense"} {
		p.failure(p.ask(method, `{"cwd":"/proj"}`), acp.CodeInvalidRequest, method, "initialize")
	}
	p.send(notification("_tell", `{}`))
	// What follows initialize in the same write is in time, and is answered after it.
	first, one := p.request("initialize", `{"protocolVersion":1}`)
	second, two := p.request("session/new", `{"cwd":"/proj"}`)
	p.send(first, second)
	for _, want := range []string{one, two} {
		if m := p.next(); m.Error != nil || string(m.ID) != want {
			t.Errorf("got %s, want the answer to %s", m.text, want)
		}
	}
	if notes := a.notes(); len(notes) > 0 {
		t.Errorf("the agent saw %v", notes)
	}
}

// S000.2, S003.1: the agent sees who the client is and what it can do; what is left out is not supported.
func TestTheClientIsKnown(t *testing.T) {
	conn, p := connect(t, nothing, options())
	if conn.ClientInfo() != nil || conn.ClientCapabilities().Terminal {
		t.Error("something is known before initialize")
	}
	result := p.result(p.ask("initialize", `{"protocolVersion":1,"clientInfo":{"name":"ed","title":"Ed","version":"2"},
		"clientCapabilities":{"fs":{"readTextFile":true}}}`))
	info, can := conn.ClientInfo(), conn.ClientCapabilities()
	if info.Name != "ed" || info.Title != "Ed" || info.Version != "2" {
		t.Errorf("the client is %+v", info)
	}
	if !can.FS.ReadTextFile || can.FS.WriteTextFile || can.Terminal || can.Session != nil {
		t.Errorf("the client can %+v", can)
	}
	if got := fmt.Sprint(result["agentInfo"]); got != "map[name:test version:1]" {
		t.Errorf("the agent is %s", got)
	}
}

// W11: capabilities follow from what is implemented, for each method that needs one.
func TestW11_CapabilitiesFollowFromTheImplementation(t *testing.T) {
	bare, _ := connect(t, nothing, options())
	o := options()
	o.MCP.ACP = true
	all, _ := connect(t, &full{}, o)
	for _, m := range acp.Methods {
		if m.Direction&acp.ToAgent == 0 || !m.Gate.OfAgent() {
			continue
		}
		without, with := bare.Capabilities(), all.Capabilities()
		if m.Advertised(&without, nil) {
			t.Errorf("%s is advertised by an agent that does not serve it", m.Name)
		}
		if !m.Advertised(&with, nil) {
			t.Errorf("%s is not advertised by an agent that serves it", m.Name)
		}
	}
}

// W10, W11: every method to the agent is served by one that implements it, and unknown to one that does not.
func TestW11_EveryMethodIsServedOrUnknown(t *testing.T) {
	required := map[string]bool{"initialize": true, "authenticate": true, "session/new": true, "session/prompt": true}
	bare, all := start(t, nothing, options(), `{}`), start(t, &full{}, options(), `{}`)
	for _, m := range acp.Methods {
		if m.Direction != acp.ToAgent || m.Notification {
			continue
		}
		if got := bare.call(m.Name, `{}`); (got.Error != nil && got.Error.Code == acp.CodeMethodNotFound) == required[m.Name] {
			t.Errorf("a bare agent answers %s", got.text)
		}
		if got := all.call(m.Name, `{}`); got.Error != nil && got.Error.Code == acp.CodeMethodNotFound {
			t.Errorf("a full agent answers %s", got.text)
		}
	}
}

// W11, F142: what the client did not advertise is refused before a byte is written.
func TestW11_WhatTheClientLacksIsNotAsked(t *testing.T) {
	p := start(t, agent.PromptFunc(func(ctx context.Context, turn *agent.Turn) (acp.StopReason, error) {
		c := turn.Session().Conn()
		_, read := turn.ReadTextFile(ctx, "/a", 0, 0)
		_, terminal := turn.CreateTerminal(ctx, acp.CreateTerminalRequest{Command: "ls"})
		_, form := turn.Elicit(ctx, acp.CreateElicitationRequest{Mode: formOf("name", property("name", &acp.StringPropertySchema{}))})
		_, page := c.Elicit(ctx, acp.CreateElicitationRequest{Mode: &acp.ElicitationURLMode{}})
		_, smoke := turn.Elicit(ctx, acp.CreateElicitationRequest{Mode: &acp.UnknownElicitationMode{Mode: "_smoke"}})
		_, mcp := c.CallMCP(ctx, acp.MessageMCPRequest{})
		for what, err := range map[string]error{
			"clientCapabilities.fs.readTextFile":  read,
			"clientCapabilities.fs.writeTextFile": turn.WriteTextFile(ctx, "/a", ""),
			"clientCapabilities.terminal":         terminal,
			"clientCapabilities.elicitation.form": form,
			"clientCapabilities.elicitation.url":  page,
			"clientCapabilities.elicitation._smo": smoke,
			"agentCapabilities.auth.status":       c.AuthStatusChanged(ctx, acp.AuthStatusUpdateNotification{}),
			"agentCapabilities.mcpCapabilities":   mcp,
		} {
			var unsupported *acp.UnsupportedError
			if !errors.As(err, &unsupported) || !errors.Is(err, acp.ErrUnsupported) || !strings.Contains(err.Error(), what) {
				t.Errorf("%s: got %v", what, err)
			}
		}
		return "", nil
	}), options(), `{"elicitation":{}}`)
	p.stopped(p.ask("session/prompt", prompt(p.newSession(), "hi")), "end_turn")
}

// W11, S003.1: a claim without a method behind it is an error at start, and so is a way to sign in that lacks what clients
// require of one (F119).
func TestW11_AnEmptyClaimFailsAtStart(t *testing.T) {
	tests := map[string]struct {
		agent  agent.Agent
		change func(*agent.Options)
	}{
		"no Agent":         {nil, func(*agent.Options) {}},
		"Options.Info":     {nothing, func(o *agent.Options) { o.Info.Version = "" }},
		"no Authenticator": {nothing, func(o *agent.Options) { o.AuthMethods = []acp.AuthMethod{&acp.AuthMethodAgent{ID: "key", Name: "Key"}} }},
		"one of its own":   {&full{}, func(o *agent.Options) { o.AuthMethods = []acp.AuthMethod{&acp.AuthMethodAgent{Name: "Key"}} }},
		"without a name":   {&full{}, func(o *agent.Options) { o.AuthMethods = []acp.AuthMethod{&acp.AuthMethodTerminal{ID: "key"}} }},
		"has to be a Lister": {struct {
			agent.PromptFunc
			agent.Archiver
		}{}, func(*agent.Options) {}},
	}
	for want, test := range tests {
		o := options()
		test.change(&o)
		if _, err := agent.Connect(nil, test.agent, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to say %q", err, want)
		}
		if err := agent.Serve(t.Context(), test.agent, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to say %q", err, want)
		}
	}
}

// S002.4: authenticate does nothing while no method is advertised; once one is, an unknown id is invalid.
func TestAuthenticate(t *testing.T) {
	p := start(t, nothing, options(), `{}`)
	if got := p.result(p.ask("authenticate", `{"methodId":"anything"}`)); len(got) != 0 {
		t.Errorf("got %v, want {}", got)
	}

	a, o := &full{}, options()
	o.AuthMethods = []acp.AuthMethod{
		&acp.AuthMethodAgent{ID: "key", Name: "API key"},
		&acp.AuthMethodTerminal{ID: "login", Name: "Log in", Args: []string{"login"}},
	}
	_, p = connect(t, a, o)
	// A client that can't run the agent in a terminal is not offered to.
	if got := fmt.Sprint(p.result(p.ask("initialize", `{"protocolVersion":1}`))["authMethods"]); got != "[map[id:key name:API key]]" {
		t.Errorf("got %s", got)
	}
	p.failure(p.ask("authenticate", `{"methodId":"other"}`), acp.CodeInvalidParams, "other")
	p.failure(p.ask("authenticate", `{"methodId":"login"}`), acp.CodeInvalidParams, "terminal")
	p.failure(p.ask("authenticate", `{}`), acp.CodeInvalidParams, "methodId")
	p.result(p.ask("authenticate", `{"methodId":"key"}`))
	if got := fmt.Sprint(a.notes()); got != "[authenticate key]" {
		t.Errorf("the agent saw %s", got)
	}
	// S004.1: the capability, and what it was spelled before there was one.
	for _, can := range []string{`{"auth":{"terminal":true}}`, `{"_meta":{"terminal-auth":true}}`} {
		_, p := connect(t, a, o)
		offered := p.result(p.ask("initialize", `{"protocolVersion":1,"clientCapabilities":`+can+`}`))["authMethods"]
		if !strings.Contains(fmt.Sprint(offered), "login") {
			t.Errorf("with %s the client is offered %v", can, offered)
		}
	}
	p = start(t, a, o, everything)
	p.result(p.ask("logout", `{}`))
	if got := fmt.Sprint(a.notes()); got != "[authenticate key logout]" {
		t.Errorf("the agent saw %s", got)
	}
	if got := p.result(p.ask("auth/status", `{}`))["state"]; got != "unknown" {
		t.Errorf("the state is %v", got)
	}
}

// S002.7: a session has an absolute working directory; absent MCP servers are none (F109).
func TestSessionsAreChecked(t *testing.T) {
	var opened *agent.Session
	a := &full{onNew: func(_ context.Context, s *agent.Session) (*acp.NewSessionResponse, error) {
		opened = s
		return &acp.NewSessionResponse{Modes: &acp.SessionModeState{CurrentModeID: "code", AvailableModes: []acp.SessionMode{{ID: "code", Name: "Code"}}}}, nil
	}}
	p := start(t, a, options(), `{}`)
	refused := map[string]string{
		`{"cwd":"src"}`: "src",
		`{"cwd":""}`:    "absolute",
		`{}`:            "cwd",
		`{"cwd":"/w","additionalDirectories":["/x"]}`:                                                 "additionalDirectories",
		`{"cwd":"/w","mcpServers":[{"type":"http","name":"m","url":"http://m","headers":[]}]}`:        "http",
		`{"cwd":"/w","mcpServers":[{"type":"sse","name":"m","url":"http://m","headers":[]}]}`:         "sse",
		`{"cwd":"/w","mcpServers":[{"type":"pigeon","name":"m"}]}`:                                    "pigeon",
		`{"cwd":"/w","systemPrompt":{"mode":"append","content":[{"type":"text","text":"be brief"}]}}`: "systemPrompt",
	}
	for params, want := range refused {
		p.failure(p.ask("session/new", params), acp.CodeInvalidParams, want)
	}
	for _, method := range []string{"session/load", "session/resume", "session/fork"} {
		p.failure(p.ask(method, `{"sessionId":"s","cwd":"src","mcpServers":[]}`), acp.CodeInvalidParams, "src")
	}
	if opened != nil {
		t.Fatal("a session was opened")
	}
	result := p.result(p.ask("session/new", `{"cwd":"/w","_meta":{"branch":"main"}}`))
	if result["sessionId"] != string(opened.ID()) || !strings.Contains(fmt.Sprint(result["modes"]), "Code") {
		t.Errorf("got %v", result)
	}
	// S003.5: what the client says about a session is the agent's to read.
	if opened.CWD() != "/w" || len(opened.Roots()) != 1 || len(opened.MCPServers()) != 0 || string(opened.Meta()["branch"]) != `"main"` {
		t.Errorf("the session is %+v", opened)
	}

	o := options()
	o.AdditionalDirectories, o.MCP.HTTP = true, true
	o.SystemPrompt = &acp.SessionSystemPromptCapabilities{}
	p = start(t, a, o, `{}`)
	p.result(p.ask("session/new", `{"cwd":"/w","additionalDirectories":["/x"],"systemPrompt":{"mode":"append","content":[{"type":"text","text":"be brief"}]},
		"mcpServers":[{"name":"m","command":"/m","args":[],"env":[]},{"type":"http","name":"h","url":"http://h","headers":[]}]}`))
	if got := fmt.Sprint(opened.Roots()); got != "[/w /x]" || len(opened.MCPServers()) != 2 || opened.SystemPrompt() == nil {
		t.Errorf("roots are %s, servers %v", got, opened.MCPServers())
	}
	p.failure(p.ask("session/new", `{"cwd":"/w","additionalDirectories":["x"]}`), acp.CodeInvalidParams, "additionalDirectories[0]")
	p.failure(p.ask("session/new", `{"cwd":"/w","systemPrompt":{"mode":"override","content":[]}}`), acp.CodeInvalidParams, "override")
}

// S002.7: a working directory that is missing, empty, relative or no text is refused by name, however a session is opened.
// One that is open is not disturbed.
func TestTheWorkingDirectoryIsChecked(t *testing.T) {
	conn, p := connect(t, &full{PromptFunc: untilCancelled}, options())
	p.call("initialize", `{"protocolVersion":1}`)
	session := p.newSession()
	turn := p.ask("session/prompt", prompt(session, "hi"))
	for _, cwd := range []string{``, `"cwd":null,`, `"cwd":"",`, `"cwd":"src",`, `"cwd":"./src",`, `"cwd":"~",`, `"cwd":7,`} {
		for _, method := range []string{"session/new", "session/load", "session/resume", "session/fork"} {
			p.failure(p.ask(method, fmt.Sprintf(`{%s"sessionId":%q,"mcpServers":[]}`, cwd, session)), acp.CodeInvalidParams, "cwd")
		}
	}
	if open := conn.Sessions(); len(open) != 1 || open[0].CWD() != "/proj" || open[0].Turn() == nil {
		t.Errorf("there are the sessions %v", open)
	}
	p.send(notification("session/cancel", in(session)))
	p.stopped(turn, "cancelled")
}

// F68: a session that does not exist is said so, and quickly.
func TestUnknownSessions(t *testing.T) {
	a := &full{}
	conn, p := connect(t, a, options())
	p.call("initialize", `{"protocolVersion":1}`)
	unknown := map[string]string{
		"session/prompt":            prompt("unknown", "hi"),
		"session/load":              `{"sessionId":"unknown","cwd":"/w","mcpServers":[]}`,
		"session/set_mode":          `{"sessionId":"unknown","modeId":"code"}`,
		"session/set_config_option": `{"sessionId":"unknown","configId":"c","value":"v"}`,
		"session/close":             in("unknown"),
	}
	for method, params := range unknown {
		p.failure(p.ask(method, params), acp.CodeResourceNotFound, "unknown")
	}
	p.send(notification("session/cancel", in("unknown")))
	if open, notes := conn.Sessions(), a.notes(); len(open) > 0 || len(notes) > 0 {
		t.Errorf("there are the sessions %v, and the agent saw %v", open, notes)
	}
	p.silent()
}

// S000.7, S000.8, S002.11, S003.4, F141: content that is advertised arrives by kind, what is not is refused by name.
func TestPromptContent(t *testing.T) {
	blocks := map[string]string{
		"text":          `{"type":"text","text":"hi"}`,
		"resource_link": `{"type":"resource_link","name":"a","uri":"file:///a","size":3}`,
		"image":         `{"type":"image","data":"AQ==","mimeType":"image/png"}`,
		"audio":         `{"type":"audio","data":"AQ==","mimeType":"audio/wav"}`,
		"resource":      `{"type":"resource","resource":{"uri":"file:///a","text":"x"}}`,
		"video":         `{"type":"video","data":"AQ=="}`,
	}
	tests := []struct {
		options acp.PromptCapabilities
		takes   string
	}{
		{acp.PromptCapabilities{}, "text resource_link"},
		{acp.PromptCapabilities{Image: true}, "text resource_link image"},
		{acp.PromptCapabilities{Audio: true}, "text resource_link audio"},
		{acp.PromptCapabilities{EmbeddedContext: true}, "text resource_link resource"},
	}
	a := agent.PromptFunc(func(_ context.Context, turn *agent.Turn) (acp.StopReason, error) {
		return "", turn.Textf("%T", turn.Prompt()[0])
	})
	kinds := map[string]string{
		"text": "*acp.TextContent", "resource_link": "*acp.ResourceLink", "image": "*acp.ImageContent",
		"audio": "*acp.AudioContent", "resource": "*acp.EmbeddedResource",
	}
	taken := 0
	for _, test := range tests {
		o := options()
		o.Prompt = test.options
		p := start(t, a, o, `{}`)
		session := p.newSession()
		for kind, block := range blocks {
			id := p.ask("session/prompt", fmt.Sprintf(`{"sessionId":%q,"prompt":[%s]}`, session, block))
			if strings.Contains(" "+test.takes+" ", " "+kind+" ") {
				p.says(kinds[kind])
				p.stopped(id, "end_turn")
				taken++
			} else {
				p.failure(id, acp.CodeInvalidParams, kind)
			}
		}
	}
	if taken != 2+3+3+3 {
		t.Errorf("%d blocks were taken", taken)
	}
}

// S001.15: extension methods reach the agent, unknown ones are -32601, and custom capabilities are seen both ways.
func TestExtensions(t *testing.T) {
	a, o := &full{}, options()
	o.Meta = acp.Meta{"custom": acp.Raw(`{"x":1}`)}
	conn, p := connect(t, a, o)
	result := p.result(p.ask("initialize", `{"protocolVersion":1,"clientCapabilities":{"_custom":{"y":2},"_meta":{"z":3}}}`))
	if got := fmt.Sprint(result["agentCapabilities"]); !strings.Contains(got, "_meta:map[custom:map[x:1]]") {
		t.Errorf("the agent advertises %s", got)
	}
	can := conn.ClientCapabilities()
	if string(can.Unknown["_custom"]) != `{"y":2}` || string(can.Meta["z"]) != "3" {
		t.Errorf("the client can %+v", can)
	}
	if got := fmt.Sprint(p.result(p.ask("_echo", `{"a":1}`))); got != "map[a:1]" {
		t.Errorf("got %s", got)
	}
	p.failure(p.ask("_other", `{}`), acp.CodeMethodNotFound, "_other")
	p.send(notification("_tell", `{}`))
	p.silent()

	go func() { _ = conn.Notify(t.Context(), "_told", map[string]int{"b": 2}) }()
	if m := p.next(); m.Method != "_told" {
		t.Errorf("got %s", m.text)
	}
	answered := make(chan error, 1)
	go func() {
		var got map[string]int
		err := conn.Call(t.Context(), "_ask", nil, &got)
		if got["c"] != 3 {
			err = fmt.Errorf("got %v, %w", got, err)
		}
		answered <- err
	}()
	p.reply(p.asked("_ask"), `{"c":3}`)
	if err := <-answered; err != nil {
		t.Error(err)
	}
	p.closeInput()
	if err := conn.Wait(); err != nil {
		t.Error(err)
	}
	seen := a.notes()
	slices.Sort(seen) // a notification and a request don't wait for each other
	if got := fmt.Sprint(seen); got != "[extension _echo extension _other extension _tell extension no_such_method]" {
		t.Errorf("the agent saw %s", got)
	}
}

// MCP servers of the client's are called, and heard, where the agent says that it can.
func TestMCPOverACP(t *testing.T) {
	a, o := &full{}, options()
	o.MCP.ACP = true
	conn, p := connect(t, a, o)
	p.call("initialize", `{"protocolVersion":1}`)
	p.result(p.ask("session/new", `{"cwd":"/w","mcpServers":[{"type":"acp","name":"m","serverId":"m1"}]}`))
	answered := make(chan error, 1)
	go func() {
		answer, err := conn.CallMCP(t.Context(), acp.MessageMCPRequest{ServerID: "m1", RequestID: "r", Method: "tools/list"})
		if err == nil && string(answer.Outcome.(*acp.MCPResult).Result) != `{"tools":[]}` {
			err = fmt.Errorf("got %+v", answer)
		}
		answered <- err
	}()
	question := p.asked("mcp/message")
	p.send(notification("mcp/message", `{"serverId":"m1","requestId":"r","method":"progress"}`))
	p.reply(question, `{"result":{"tools":[]}}`)
	if err := <-answered; err != nil {
		t.Error(err)
	}
	p.closeInput()
	if err := conn.Wait(); err != nil {
		t.Error(err)
	}
	if got := fmt.Sprint(a.notes()); got != "[mcp progress]" {
		t.Errorf("the agent saw %s", got)
	}
}

// Input is asked for outside of sessions too, on behalf of the request that needs it, and the state of authentication
// is told when it changes.
func TestRequestsOutsideOfSessions(t *testing.T) {
	a, o := &asking{full: &full{}}, options()
	o.AuthMethods = []acp.AuthMethod{&acp.AuthMethodAgent{ID: "web", Name: "Web"}}
	p := start(t, a, o, everything)
	id := p.ask("authenticate", `{"methodId":"web"}`)
	question := p.asked("elicitation/create")
	if !strings.Contains(question.text, `"requestId":`+id) || !strings.Contains(question.text, `"url":"https://example.com"`) {
		t.Errorf("got %s", question.text)
	}
	p.reply(question, `{"action":"accept"}`)
	if m := p.next(); m.Method != "elicitation/complete" {
		t.Errorf("got %s", m.text)
	}
	if m := p.next(); m.Method != "auth/status_update" || !strings.Contains(m.text, `"authenticated"`) {
		t.Errorf("got %s", m.text)
	}
	p.result(id)
}

// asking is an agent that sends the user to a page to sign in.
type asking struct{ *full }

func (asking) Authenticate(ctx context.Context, _ *acp.AuthenticateRequest) error {
	c := agent.ConnOf(ctx)
	_, err := c.Elicit(ctx, acp.CreateElicitationRequest{
		Message: "Sign in", Mode: &acp.ElicitationURLMode{ElicitationID: "e", URL: "https://example.com"},
	})
	if err != nil {
		return err
	}
	if err := c.CompleteElicitation(ctx, "e"); err != nil {
		return err
	}
	return c.AuthStatusChanged(ctx, acp.AuthStatusUpdateNotification{State: acp.AuthStateAuthenticated})
}

// Providers are listed, set and disabled.
func TestProviders(t *testing.T) {
	a := &full{}
	p := start(t, a, options(), `{}`)
	if got := fmt.Sprint(p.result(p.ask("providers/list", `{}`))); got != "map[providers:[]]" {
		t.Errorf("got %s", got)
	}
	p.result(p.ask("providers/set", `{"providerId":"main","apiType":"openai","baseUrl":"http://x"}`))
	p.result(p.ask("providers/disable", `{"providerId":"main"}`))
	p.result(p.ask("session/unarchive", in("s")))
	if got := fmt.Sprint(a.notes()); got != "[set main openai http://x disable main unarchive s]" {
		t.Errorf("the agent saw %s", got)
	}
}
