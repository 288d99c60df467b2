package coder

import (
	"fmt"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// serversShare is the part of the model's window, in percent, that the tools of MCP servers may take. They go with each
// request.
const serversShare = 50

// fitting are the tools that a request offers, and the names of those that are left out: with more tools than a model takes,
// providers refuse every request, and with too much text there is no room for the conversation. Our own are first, servers'
// follow in the order of the configuration.
func (x *exchange) fitting() (tools []model.Tool, left []string) {
	most := x.session.chosen().engine.facts.MaxTools
	room := x.window() * serversShare / 100
	var taken uint64
	for _, t := range x.allowed(x.offered()) {
		n := uint64(0)
		if strings.HasPrefix(t.Name, serverPrefix) {
			n = toolTokens(t)
		}
		if most > 0 && len(tools) == most || room > 0 && taken+n > room {
			left = append(left, t.Name)
			continue
		}
		taken += n
		tools = append(tools, t)
	}
	return tools, left
}

// maxNamed is how many of the tools that are left out the user is told by name.
const maxNamed = 20

// tellLeft tells the user which tools are left out, once for each.
func (x *exchange) tellLeft(left []string) error {
	left = x.session.news(left)
	if len(left) == 0 {
		return nil
	}
	info := x.session.chosen().engine.Info()
	named := strings.Join(left[:min(len(left), maxNamed)], ", ")
	if more := len(left) - maxNamed; more > 0 {
		named += fmt.Sprintf(" and %d more", more)
	}
	return x.turn.Notice(acp.Notice{
		Severity: acp.NoticeSeverityWarning,
		Title:    fmt.Sprintf("%d tools are not offered to %s, which can't take so many", len(left), tool.OneLine(info.Name, maxServerTitle)),
		Description: "Left out are " + named + ".\nGive the session fewer MCP servers, or put those that matter first. " +
			"If the model takes more tools than that, its max_tools in patchbay.toml can say so.",
	})
}

// news returns those of some tools of which the user doesn't know yet that they are left out.
func (s *session) news(left []string) (unknown []string) {
	s.mu.Lock()
	m := s.servers
	s.mu.Unlock()
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, name := range left {
		if !m.left[name] {
			unknown = append(unknown, name)
		}
	}
	if m.left == nil {
		m.left = map[string]bool{}
	}
	for _, name := range unknown {
		m.left[name] = true
	}
	return unknown
}

// fixed is how much goes with the messages of a request now, in tokens by estimate.
func (x *exchange) fixed() uint64 {
	tools, _ := x.fitting()
	return x.bounded(fixedTokens(x.system(), tools))
}

// bounded keeps what goes with the messages from filling a small model's window by estimate alone: a conversation of which
// nothing is left could not be compacted either. The provider has the last word.
func (x *exchange) bounded(fixed uint64) uint64 {
	if window := x.window(); window > 0 {
		return min(fixed, window/2)
	}
	return fixed
}

// room is how much of the model's window there is for messages, in tokens; 0 if nobody knows.
func (x *exchange) room() uint64 {
	if x.window() == 0 {
		return 0
	}
	return x.window() - x.fixed()
}

// fixedTokens estimates how many tokens the system prompt and the tools of a request have.
func fixedTokens(system string, tools []model.Tool) uint64 {
	total := model.Tokens(len(system))
	for _, t := range tools {
		total += toolTokens(t)
	}
	return total
}

func toolTokens(t model.Tool) uint64 {
	return model.Tokens(len(t.Name) + len(t.Description) + len(t.Schema))
}
