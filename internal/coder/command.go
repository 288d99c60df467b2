package coder

import (
	"context"
	"fmt"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// commandList is what the client may offer to the user after a slash.
func commandList() []acp.AvailableCommand {
	return []acp.AvailableCommand{
		{
			Name: "demo", Description: "Show a feature of the protocol; without a name, list them",
			Input: &acp.UnstructuredCommandInput{Hint: "name"},
		},
		{Name: "help", Description: "Say what this agent can do"},
	}
}

// isCommandName tells a command, even an unknown one, from a path that begins a prompt.
func isCommandName(name string) bool {
	return name != "" && !strings.ContainsAny(name, `/\.:`)
}

// command carries out a slash command. Each says something (F160), and none goes to the model.
func (c *Coder) command(ctx context.Context, t *agent.Turn, s *session, name, input string) (acp.StopReason, error) {
	switch name {
	case "help":
		return "", t.Text(c.help(s))
	case "demo":
		return c.demo(ctx, t, input)
	}
	var known []string
	for _, command := range commandList() {
		known = append(known, "/"+command.Name)
	}
	return "", t.Textf("There is no command /%s. There are %s.\n", name, strings.Join(known, " and "))
}

// help says what the agent is, what it can do and what the user has decided (F59).
func (c *Coder) help(s *session) string {
	var b strings.Builder
	info := c.model.Info()
	fmt.Fprintf(&b, "This is `patchbay agent` %s with the model \"%s\" (%s).\n\n", c.version, info.Name, info.Title)
	if _, offline := c.model.(model.Offline); offline {
		b.WriteString(model.Help())
	}
	b.WriteString("\nCommands:\n\n")
	for _, command := range commandList() {
		fmt.Fprintf(&b, "* `/%s` %s\n", command.Name, command.Description)
	}
	b.WriteString("\nReading inside the session's folders is not asked. Writing files and running commands is.\n")
	for _, always := range []struct {
		verb    string
		allowed bool
	}{{"allowed", true}, {"rejected", false}} {
		if names := s.decisions(always.allowed); len(names) > 0 {
			fmt.Fprintf(&b, "You have always %s in this session: %s.\n", always.verb, strings.Join(names, ", "))
		}
	}
	b.WriteString("\nTokens are estimated: one for each four bytes of text.\n")
	return b.String()
}
