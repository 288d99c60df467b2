package client_test

import (
	"context"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/transport"
)

// A workshop is a user who serves everything there is.
type workshop struct {
	user
	completed chan acp.ElicitationID
}

func (*workshop) ReadTextFile(_ context.Context, _ *client.Session, req *acp.ReadTextFileRequest) (*acp.ReadTextFileResponse, error) {
	return &acp.ReadTextFileResponse{Content: "text of " + req.Path}, nil
}

func (*workshop) WriteTextFile(context.Context, *client.Session, *acp.WriteTextFileRequest) (*acp.WriteTextFileResponse, error) {
	return nil, nil
}

func (*workshop) CreateTerminal(context.Context, *client.Session, *acp.CreateTerminalRequest) (*acp.CreateTerminalResponse, error) {
	return &acp.CreateTerminalResponse{TerminalID: "term"}, nil
}

func (*workshop) TerminalOutput(context.Context, *client.Session, *acp.TerminalOutputRequest) (*acp.TerminalOutputResponse, error) {
	return &acp.TerminalOutputResponse{Output: "out"}, nil
}

func (*workshop) WaitForTerminalExit(context.Context, *client.Session, *acp.WaitForTerminalExitRequest) (*acp.WaitForTerminalExitResponse, error) {
	return &acp.WaitForTerminalExitResponse{}, nil
}

func (*workshop) KillTerminal(context.Context, *client.Session, *acp.KillTerminalRequest) (*acp.KillTerminalResponse, error) {
	return nil, nil
}

func (*workshop) ReleaseTerminal(context.Context, *client.Session, *acp.ReleaseTerminalRequest) (*acp.ReleaseTerminalResponse, error) {
	return nil, nil
}

func (*workshop) ElicitForm(_ context.Context, s *client.Session, req *acp.CreateElicitationRequest) (*acp.CreateElicitationResponse, error) {
	switch {
	case req.Message == "decline":
		return &acp.CreateElicitationResponse{Action: &acp.ElicitationDeclineAction{}}, nil
	case req.Message == "cancel":
		return nil, nil
	case s == nil:
		return nil, acp.ErrInternal("no session")
	}
	content := map[string]acp.ElicitationContentValue{"name": acp.StringValue("Ada")}
	return &acp.CreateElicitationResponse{Action: &acp.ElicitationAcceptAction{Content: content}}, nil
}

func (*workshop) ElicitURL(context.Context, *client.Session, *acp.CreateElicitationRequest) (*acp.CreateElicitationResponse, error) {
	return &acp.CreateElicitationResponse{Action: &acp.ElicitationAcceptAction{}}, nil
}

func (w *workshop) ElicitationComplete(_ context.Context, id acp.ElicitationID) { w.completed <- id }

func (*workshop) HandleExtension(_ context.Context, method string, params acp.Raw) (any, error) {
	if method != "_echo" {
		return nil, acp.ErrMethodNotFound(method)
	}
	return params, nil
}

// advertised returns what a client says that it can do.
func advertised(t *testing.T, h client.Handler, o client.Options) acp.ClientCapabilities {
	t.Helper()
	ours, theirs := transport.Pipe()
	a := &agent{t: t, stream: theirs}
	o.Logger = quiet
	var params acp.InitializeRequest
	done := make(chan struct{})
	go func() {
		defer close(done)
		m := a.expect("initialize")
		if err := json.Unmarshal(m.Params, &params); err != nil {
			t.Errorf("initialize %s: %v", m.Params, err)
		}
		if !strings.Contains(string(m.Params), `"protocolVersion":1`) { // F136
			t.Errorf("initialize is %s", m.Params)
		}
		a.send(outcome(m, noCapabilities))
	}()
	c, err := client.Connect(deadline(t), ours, h, o)
	if err != nil {
		t.Fatal(err)
	}
	<-done
	_ = c.Close()
	_ = theirs.Close()
	_ = c.Wait()
	if params.ClientInfo == nil || params.ClientInfo.Name != o.Info.Name || params.ClientInfo.Title != o.Info.Title {
		t.Errorf("the client's info is %+v", params.ClientInfo)
	}
	return params.ClientCapabilities
}

// S000.2
func TestW11_TheClientAdvertisesWhatItImplements(t *testing.T) {
	info := acp.Implementation{Name: "tester", Title: "The Tester", Version: "1"}
	none := advertised(t, &user{}, client.Options{Info: info})
	if none.FS.ReadTextFile || none.FS.WriteTextFile || none.Terminal || none.Elicitation != nil || none.Session != nil ||
		none.Plan != nil || none.Subagents != nil || none.Auth.Terminal {
		t.Errorf("a client that implements nothing advertises %+v", none)
	}
	all := advertised(t, &workshop{}, client.Options{Info: info, TerminalAuth: client.RunOnTerminal,
		Shows: client.Shows{Notices: true, Compactions: true, BooleanOptions: true, Plans: true, Subagents: true}})
	if !all.FS.ReadTextFile || !all.FS.WriteTextFile || !all.Terminal || all.Elicitation.Form == nil || all.Elicitation.URL == nil ||
		all.Session.Notices == nil || all.Session.Compaction == nil || all.Session.ConfigOptions.Boolean == nil ||
		all.Plan == nil || all.Subagents == nil || !all.Auth.Terminal {
		t.Errorf("a client that implements everything advertises %+v", all)
	}
	plugged := advertised(t, &user{}, client.Options{Info: info, Files: &client.Files{}, Terminals: &client.Terminals{}})
	if !plugged.FS.ReadTextFile || !plugged.FS.WriteTextFile || !plugged.Terminal || plugged.Elicitation != nil {
		t.Errorf("a client with Files and Terminals advertises %+v", plugged)
	}
}

// Every request that the agent can make is served where it is implemented, and refused where it is not (F142).
func TestTheAgentsRequestsAreServed(t *testing.T) {
	form := `{"sessionId":"s","mode":"form","message":"%s","requestedSchema":{"type":"object","properties":{}}}`
	requests := []struct{ method, params, want string }{
		{"fs/read_text_file", `{"sessionId":"s","path":"/a"}`, `{"content":"text of /a"}`},
		{"fs/write_text_file", `{"sessionId":"s","path":"/a","content":"b"}`, `{}`},
		{"terminal/create", `{"sessionId":"s","command":"ls"}`, `{"terminalId":"term"}`},
		{"terminal/output", `{"sessionId":"s","terminalId":"term"}`, `{"output":"out","truncated":false}`},
		{"terminal/wait_for_exit", `{"sessionId":"s","terminalId":"term"}`, `{}`},
		{"terminal/kill", `{"sessionId":"s","terminalId":"term"}`, `{}`},
		{"terminal/release", `{"sessionId":"s","terminalId":"term"}`, `{}`},
		{"elicitation/create", strings.Replace(form, "%s", "accept", 1), `{"action":"accept","content":{"name":"Ada"}}`},
		{"elicitation/create", strings.Replace(form, "%s", "decline", 1), `{"action":"decline"}`},
		{"elicitation/create", strings.Replace(form, "%s", "cancel", 1), `{"action":"cancel"}`},
		{"elicitation/create", `{"sessionId":"s","mode":"url","message":"m","url":"http://localhost","elicitationId":"e"}`, `{"action":"accept"}`},
		{"_echo", `{"a":1}`, `{"a":1}`},
	}
	w := &workshop{completed: make(chan acp.ElicitationID, 1)}
	c, a := connect(t, w, client.Options{}, noCapabilities)
	open(t, c, a)
	for i, r := range requests {
		a.send(asks(i, r.method, r.params))
		if m := a.next(); string(m.Result) != r.want {
			t.Errorf("%s %s: %s %v, want %s", r.method, r.params, m.Result, m.Error, r.want)
		}
	}
	a.send(`{"jsonrpc":"2.0","method":"elicitation/complete","params":{"elicitationId":"e"}}`)
	if id := within(t, "elicitation/complete", w.completed); id != "e" {
		t.Errorf("completed %q", id)
	}
	bare, b := connect(t, &user{}, client.Options{}, noCapabilities)
	open(t, bare, b)
	for i, r := range requests {
		b.send(`{"jsonrpc":"2.0","method":"_unknown"}`, asks(i, r.method, r.params))
		if m := b.next(); m.Error == nil || m.Error.Code != acp.CodeMethodNotFound {
			t.Errorf("%s without a handler: %s %v", r.method, m.Result, m.Error)
		}
	}
}

func TestAnElicitationOutsideOfSessionsHasNone(t *testing.T) {
	_, a := connect(t, &workshop{}, client.Options{}, noCapabilities)
	a.send(asks(1, "elicitation/create", `{"requestId":7,"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{}}}`))
	if m := a.next(); m.Error == nil || m.Error.Message != "no session" {
		t.Errorf("answered with %s %v", m.Result, m.Error)
	}
	a.send(asks(2, "elicitation/create", `{"sessionId":"ghost","mode":"telepathy","message":"m"}`))
	if m := a.next(); m.Error == nil || m.Error.Code != acp.CodeInvalidParams {
		t.Errorf("an unknown mode was answered with %s %v", m.Result, m.Error)
	}
}
