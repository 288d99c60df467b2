package coder

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/mcp"
	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// serverCommands are the prompts of a session's MCP servers. Their names all begin with mcp__; a command of the same name
// that is a file wins.
func serverCommands(set *mcp.Set, files []command) []command {
	if set == nil {
		return nil
	}
	var found []command
	for _, p := range set.Prompts() {
		if slices.ContainsFunc(files, func(c command) bool { return c.name == p.Name }) {
			continue
		}
		found = append(found, command{
			name: p.Name, hint: tool.OneLine(p.Hint(), maxCovered),
			description: tool.OneLine(cmp.Or(p.Description, p.Title, "A prompt of the MCP server "+p.Server), maxServerTitle),
			run: func(c *Coder, ctx context.Context, t *agent.Turn, s *session, input string) (acp.StopReason, error) {
				return c.serverPrompt(ctx, t, s, set, p, input)
			},
		})
	}
	return found
}

// serversHelp says how a session's MCP servers are.
func serversHelp(set *mcp.Set) string {
	if set == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString("\nMCP servers:\n\n")
	for _, s := range set.Status() {
		fmt.Fprintf(&b, "* %s: %s", tool.OneLine(s.Server, maxServerTitle), s.State)
		if s.State == mcp.StateReady {
			fmt.Fprintf(&b, ", tools: %d, prompts: %d", s.Tools, s.Prompts)
		}
		if s.Reason != "" {
			fmt.Fprintf(&b, " (%s)", tool.OneLine(s.Reason, maxServerTitle))
		}
		b.WriteString("\n")
		for _, w := range s.Warnings {
			fmt.Fprintf(&b, "  * %s\n", tool.OneLine(w, maxServerTitle))
		}
	}
	return b.String()
}

// serverPrompt has a server fill in a prompt, and puts it to the model as the user's words.
func (c *Coder) serverPrompt(ctx context.Context, t *agent.Turn, s *session, set *mcp.Set, p *mcp.Prompt, input string) (acp.StopReason, error) {
	if s.chosen().engine.scripted() {
		return "", t.Textf("/%s needs a language model, and the offline interpreter is none. `/model` says how to get one.\n", p.Name)
	}
	if now := s.mode(); !now.servers {
		return "", t.Textf("The mode `%s` has no MCP servers, and /%s is one's. `/mode` changes it.\n", now.id, p.Name)
	}
	arguments, err := p.Fill(input)
	if err != nil {
		return "", t.Textf("%s\n", err)
	}
	messages, err := set.Prompt(ctx, p.Name, arguments)
	switch {
	case ctx.Err() != nil:
		return acp.StopReasonCancelled, nil
	case err != nil:
		return "", t.Textf("%s\n", err)
	}
	words := promptWords(messages)
	if isEmpty(words) {
		return "", t.Textf("The MCP server %q has left the prompt empty.\n", p.Server)
	}
	for _, block := range forModel(t.Prompt()) { // what came with the command, such as files, stays
		if _, text := block.(*acp.TextContent); !text {
			words = append(words, block)
		}
	}
	taken := s.chosen().engine.taken(model.Message{Content: words})
	return c.exchange(ctx, t, s, taken.Content)
}

// promptWords are the messages of a prompt in the user's mouth. What the server has the assistant say is marked as that.
func promptWords(messages []mcp.Message) []acp.ContentBlock {
	var words []acp.ContentBlock
	for _, m := range messages {
		if m.Role == acp.RoleAssistant {
			words = append(words, acp.Text("(In your own words:)"))
		}
		words = append(words, m.Content...)
	}
	return forModel(words)
}
