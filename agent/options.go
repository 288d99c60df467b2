package agent

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// Options describe an agent to its clients and adjust its connections. Only Info has to be set.
type Options struct {
	// Info names the agent's program: Name and Version have to be there.
	Info acp.Implementation

	// Prompt is the content that Prompt takes beyond text and links. A prompt with anything else is refused with
	// CodeInvalidParams, naming the kind (F141).
	Prompt acp.PromptCapabilities

	// MCP is the kinds of MCP servers that the agent can connect to beyond stdio. A session with any other kind is
	// refused with CodeInvalidParams.
	MCP acp.MCPCapabilities

	// AdditionalDirectories says that sessions may have more roots than their working directory. A session with such is
	// refused otherwise.
	AdditionalDirectories bool

	// SystemPrompt says that sessions follow a system prompt of the client's, and in which modes. Nil means that they
	// don't: one with a system prompt is refused.
	//
	// Unstable: not part of the specification yet.
	SystemPrompt *acp.SessionSystemPromptCapabilities

	// AuthMethods are the ways to sign in, in order of preference. An acp.AuthMethodAgent needs an Authenticator; an
	// acp.AuthMethodTerminal is only offered to clients that can run it. Each has an id of its own and a name.
	AuthMethods []acp.AuthMethod

	// Meta is the _meta of the capabilities, for custom ones.
	Meta acp.Meta

	// KeepHistory makes Session.History and Session.Replay work: turns are kept in memory with their updates.
	KeepHistory bool

	// HistoryBytes limits what is kept of a session: above it, the oldest turns are forgotten, but never the last one.
	// Default 16 MiB, counted as JSON text.
	HistoryBytes int

	// OnStart, if set, is called with each connection before its first message is handled.
	OnStart func(c *Conn)

	// Grace is how long handlers may go on after the client has gone, once their turns have been cancelled (F80); Serve
	// returns then whatever they do. Default 5 s.
	Grace time.Duration

	// Logger gets what is nobody's error: stray input, handlers that panic, answers to no request. Default
	// slog.Default(), which writes to standard error.
	Logger *slog.Logger

	// MaxMessageBytes limits a message in either direction. Default 64 MiB.
	MaxMessageBytes int

	// Budget limits the bytes of messages that wait to be handled, as jsonrpc.Options.Budget. Default 64 MiB.
	Budget int

	// Observe, if set, sees every frame in both directions, in the order of the wire. It must be quick, must not call
	// the connection, and must neither change nor keep the bytes.
	Observe func(jsonrpc.Traffic)
}

const (
	defaultGrace        = 5 * time.Second
	defaultHistoryBytes = 16 << 20
)

func (o *Options) setDefaults() {
	if o.Grace <= 0 {
		o.Grace = defaultGrace
	}
	if o.HistoryBytes <= 0 {
		o.HistoryBytes = defaultHistoryBytes
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
}

// check reports a claim that nothing stands behind, and what is missing. It is an error at start rather than a surprise
// to some client later.
func (o *Options) check(a Agent) error {
	switch {
	case a == nil:
		return errors.New("start agent: there is no Agent")
	case o.Info.Name == "" || o.Info.Version == "":
		return fmt.Errorf("start agent: Options.Info has name %q and version %q, want both", o.Info.Name, o.Info.Version)
	}
	seen := map[acp.AuthMethodID]bool{}
	for i, method := range o.AuthMethods {
		id, name := labelOf(method)
		switch {
		case id == "" || seen[id]:
			return fmt.Errorf("start agent: Options.AuthMethods[%d] has id %q, want one of its own", i, id)
		case name == "":
			return fmt.Errorf("start agent: Options.AuthMethods offers %q without a name, which clients show", id)
		}
		seen[id] = true
		if _, needed := method.(*acp.AuthMethodAgent); !needed {
			continue
		}
		if _, ok := a.(Authenticator); !ok {
			return fmt.Errorf("start agent: Options.AuthMethods offers %q, but %T is no Authenticator", id, a)
		}
	}
	if _, ok := a.(Archiver); ok {
		if _, ok := a.(Lister); !ok {
			return fmt.Errorf("start agent: %T is an Archiver, which has to be a Lister too", a)
		}
	}
	return nil
}

// labelOf returns what every way to sign in must have (F119); a kind that package acp doesn't know has neither.
func labelOf(method acp.AuthMethod) (id acp.AuthMethodID, name string) {
	switch m := method.(type) {
	case *acp.AuthMethodAgent:
		return m.ID, m.Name
	case *acp.AuthMethodTerminal:
		return m.ID, m.Name
	}
	return "", ""
}
