package main

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// helloOf says what an agent has said of itself.
func helloOf(a *client.Client, took time.Duration) *hello {
	h := &hello{Milliseconds: took.Milliseconds(), ProtocolVersion: int(a.ProtocolVersion())}
	if info := a.AgentInfo(); info != nil {
		h.Name, h.Title, h.Version = info.Name, info.Title, info.Version
	}
	caps, ours := a.Capabilities(), a.Advertised()
	for _, m := range acp.Methods {
		if m.Direction != acp.ToAgent || m.Gate.Path == "" {
			continue
		}
		if m.Check(caps, &ours) == nil {
			h.Has = append(h.Has, m.Name)
		} else if !m.Unstable {
			h.Lacks = append(h.Lacks, m.Name)
		}
	}
	for _, k := range []struct {
		name string
		has  bool
		to   *[]string
	}{
		{"image", caps.PromptCapabilities.Image, &h.Prompt},
		{"audio", caps.PromptCapabilities.Audio, &h.Prompt},
		{"embedded context", caps.PromptCapabilities.EmbeddedContext, &h.Prompt},
		{"http", caps.MCPCapabilities.HTTP, &h.MCP},
		{"sse", caps.MCPCapabilities.SSE, &h.MCP},
	} {
		if k.has {
			*k.to = append(*k.to, k.name)
		}
	}
	for _, m := range a.AuthMethods() {
		switch m := m.(type) {
		case *acp.AuthMethodAgent:
			h.SignIns = append(h.SignIns, signInKind{string(m.ID), m.Name, "agent"})
		case *acp.AuthMethodTerminal:
			h.SignIns = append(h.SignIns, signInKind{string(m.ID), m.Name, "terminal"})
		case *acp.UnknownAuthMethod:
			h.SignIns = append(h.SignIns, signInKind{Type: m.Type})
		}
	}
	return h
}

// openOne starts a session, and ends it: an agent that can delete it is asked to.
func openOne(ctx context.Context, a *client.Client, dir string) (*newSession, error) {
	start := time.Now()
	s, err := a.NewSession(ctx, acp.NewSessionRequest{CWD: dir, MCPServers: []acp.MCPServer{}})
	o := &newSession{Milliseconds: time.Since(start).Milliseconds()}
	if err != nil {
		o.Error = err.Error()
		if sent, ok := errors.AsType[*acp.Error](err); ok {
			o.ErrorCode = int(sent.Code)
		}
		return o, err
	}
	o.SignedIn = true
	state := s.State().Snapshot()
	o.Mode, o.Model = string(state.Mode), state.Models.Current
	for _, m := range state.Modes {
		o.Modes = append(o.Modes, string(m.ID))
	}
	for _, m := range state.Models.Available {
		o.Models = append(o.Models, m.ID)
	}
	for i := range state.Config {
		o.Options = append(o.Options, optionOf(&state.Config[i]))
	}
	// What is left of the session elsewhere does no harm, so that nothing depends on this.
	_ = s.Close(ctx)
	_ = a.DeleteSession(ctx, s.ID())
	return o, nil
}

func optionOf(o *acp.SessionConfigOption) option {
	p := option{ID: string(o.ID), Name: o.Name}
	switch v := o.Value.(type) {
	case *acp.SessionConfigBoolean:
		p.Value, p.Of = strconv.FormatBool(v.CurrentValue), []string{"true", "false"}
	case *acp.SessionConfigSelect:
		p.Value = string(v.CurrentValue)
		for choice := range v.Options.All() {
			p.Of = append(p.Of, string(choice.Value))
		}
	}
	return p
}
