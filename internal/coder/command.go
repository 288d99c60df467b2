package coder

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/model/offline"
)

// A command is what a user can ask for after a slash. It says something itself (F160), or puts words to the model.
type command struct {
	name, description, hint string

	run    func(c *Coder, ctx context.Context, t *agent.Turn, s *session, input string) (acp.StopReason, error)
	prompt func(input string) string
}

// ownCommands are the commands that there always are.
func ownCommands() []command {
	return []command{
		{name: "help", description: "Say what this agent can do", run: (*Coder).helpCommand},
		{name: "clear", description: "Forget the conversation", run: (*Coder).clearCommand},
		{name: "compact", description: "Put a summary in the place of the conversation", run: (*Coder).compactCommand},
		{name: "model", description: "Say which model is used, or use another one", hint: "provider/name", run: (*Coder).modelCommand},
		{name: "mode", description: "Say which tools there are, or change to another set of them", hint: "full, read-only, plan, …", run: (*Coder).modeCommand},
		{name: "permissions", description: "Say what may be done without asking, or take an answer back", hint: "revoke ID", run: (*Coder).permissionsCommand},
		{name: "cost", description: "Say what the session has used", run: (*Coder).costCommand},
		{name: "init", description: "Write an AGENTS.md for the project", hint: "what matters most", prompt: initPrompt},
		{name: "review", description: "Review changes for mistakes", hint: "what to review; default: what is not committed", prompt: reviewPrompt},
		{name: "demo", description: "Show a feature of the protocol; without a name, list them", hint: "name", run: (*Coder).demoCommand},
	}
}

// available is a command as clients know it.
func (c command) available() acp.AvailableCommand {
	a := acp.AvailableCommand{Name: c.name, Description: c.description}
	if c.hint != "" {
		a.Input = &acp.UnstructuredCommandInput{Hint: c.hint}
	}
	return a
}

// isCommandName tells a command, even an unknown one, from a path or a comment that begins a prompt.
func isCommandName(name string) bool { return commandName.MatchString(name) }

var commandName = regexp.MustCompile(`^[\pL\pN][\pL\pN_:-]*$`)

// command carries out a slash command.
func (c *Coder) command(ctx context.Context, t *agent.Turn, s *session, name, input string) (acp.StopReason, error) {
	var known []string
	for _, command := range s.allCommands() {
		if command.name != name {
			known = append(known, "/"+command.name)
			continue
		}
		if command.run != nil {
			return command.run(c, ctx, t, s, input)
		}
		if s.chosen().engine.scripted() {
			return "", t.Textf("/%s needs a language model, and the offline interpreter is none. `/model` says how to get one.\n", name)
		}
		return c.exchange(ctx, t, s, withWords(t.Prompt(), command.prompt(input)))
	}
	return "", t.Textf("There is no command /%s. There are %s.\n", name, listed(known))
}

// withWords is a prompt whose text is replaced: what came with the command, such as files, stays.
func withWords(prompt []acp.ContentBlock, words string) []acp.ContentBlock {
	blocks := []acp.ContentBlock{acp.Text(words)}
	for _, block := range forModel(prompt) {
		if _, text := block.(*acp.TextContent); !text {
			blocks = append(blocks, block)
		}
	}
	return blocks
}

func (c *Coder) helpCommand(_ context.Context, t *agent.Turn, s *session, _ string) (acp.StopReason, error) {
	return "", t.Text(c.help(s))
}

func (c *Coder) demoCommand(ctx context.Context, t *agent.Turn, _ *session, input string) (acp.StopReason, error) {
	return c.demo(ctx, t, input)
}

func (c *Coder) clearCommand(_ context.Context, t *agent.Turn, s *session, _ string) (acp.StopReason, error) {
	s.replace(nil)
	s.forgetFiles()
	if err := s.keepConversation(nil, count{}, true); err != nil {
		return "", err
	}
	s.desk.local.Seen().Forget()
	if err := newExchange(c, t, s).showTokens(0); err != nil {
		return "", err
	}
	return "", t.Text("The conversation is forgotten. What you have decided about permissions still counts.\n")
}

func (c *Coder) compactCommand(ctx context.Context, t *agent.Turn, s *session, _ string) (acp.StopReason, error) {
	if s.chosen().engine.scripted() {
		return "", t.Text("/compact needs a language model, and the offline interpreter is none.\n")
	}
	x := newExchange(c, t, s)
	x.before = s.messages()
	if len(x.before) == 0 {
		return "", t.Text("There is nothing to compact.\n")
	}
	err := x.compact(ctx)
	t.SetUsage(x.usage)
	switch {
	case ctx.Err() != nil:
		return acp.StopReasonCancelled, nil
	case err != nil:
		return "", failure(err)
	}
	s.replace(x.before)
	return "", t.Text("The conversation is now a summary.\n")
}

func (c *Coder) modelCommand(_ context.Context, t *agent.Turn, s *session, input string) (acp.StopReason, error) {
	name := strings.TrimSpace(input)
	if name == "" {
		return "", t.Text(c.modelHelp(s))
	}
	if err := c.setModel(s, name); err != nil {
		return "", t.Textf("%s\n", plain(err))
	}
	if err := errors.Join(s.keepSettings(), t.ConfigOptions(c.options(s)...)); err != nil {
		return "", err
	}
	info := s.chosen().engine.Info()
	return "", t.Textf("The model is now %s (%s).\n", info.Name, info.Title)
}

// modelHelp says which models there are.
func (c *Coder) modelHelp(s *session) string {
	var b strings.Builder
	info := s.chosen().engine.Info()
	fmt.Fprintf(&b, "The model is %s (%s). These can be used now:\n\n", info.Name, info.Title)
	for _, option := range c.modelNames(s) {
		fmt.Fprintf(&b, "* `%s` %s\n", option.Value, option.Name)
	}
	b.WriteString("\n`/model PROVIDER/NAME` changes to another one, also to one that is not listed. More appear when their provider has a key: " +
		"`patchbay login PROVIDER` stores one, and `patchbay config` shows what is set up.\n")
	return b.String()
}

func (c *Coder) costCommand(_ context.Context, t *agent.Turn, s *session, _ string) (acp.StopReason, error) {
	spent := s.spent()
	u := spent.usage
	var b strings.Builder
	fmt.Fprintf(&b, "The session has made %d requests: %d tokens in, %d out.", spent.requests, u.InputTokens, u.OutputTokens)
	if u.CachedReadTokens != nil {
		fmt.Fprintf(&b, " Of those that went in, %d came from the provider's cache.", *u.CachedReadTokens)
	}
	switch {
	case s.chosen().engine.scripted() && spent.usd == 0:
		b.WriteString(" The offline interpreter costs nothing; its tokens are estimated.")
	case spent.unknown:
		b.WriteString(" What that costs is not known: there is no price for the model. It can be set in patchbay.toml.")
	default:
		fmt.Fprintf(&b, " That has cost about $%.4f.", spent.usd)
	}
	return "", t.Text(b.String() + "\n")
}

// help says what the agent is, what it can do and what the user has decided (F59).
func (c *Coder) help(s *session) string {
	var b strings.Builder
	now := s.chosen()
	info := now.engine.Info()
	fmt.Fprintf(&b, "This is `patchbay agent` %s with the model \"%s\" (%s).\n\n", c.version, info.Name, info.Title)
	if now.engine.scripted() {
		b.WriteString(offline.Help())
	}
	b.WriteString("\nCommands:\n\n")
	for _, command := range s.allCommands() {
		fmt.Fprintf(&b, "* `/%s` %s\n", command.name, command.description)
	}
	b.WriteString(serversHelp(s.mcpServers()))
	fmt.Fprintf(&b, "\nThe mode is `%s`; `/mode` says what that means.\n\n%s", now.mode.id, s.permissionsHelp())
	if now.engine.scripted() {
		b.WriteString("\nTokens are estimated: one for each four bytes of text.\n")
	}
	return b.String()
}

func initPrompt(input string) string {
	return withRemark(`Write the file AGENTS.md in the working directory, for agents that will work on this project. Look around first: what it is,
how it is built, tested and checked (find the real commands and try those that are harmless), how it is laid out, which conventions its code
follows that a newcomer would get wrong. If there is an AGENTS.md or CLAUDE.md already, keep what is right in it and improve the rest. At most a
page; nothing that is obvious from the names of the files; no advice that holds for every project.`, input)
}

func reviewPrompt(input string) string {
	if strings.TrimSpace(input) == "" {
		input = "what is not committed: git status, git diff, git diff --staged, and files that git doesn't know yet"
	}
	return `Review changes and change nothing. To review: ` + input + `

Read the changes, and as much of the code around them as it takes to judge them. Look for what is wrong: mistakes in logic, cases that are forgotten,
errors that are swallowed, races, leaks, holes in security, tests that can't fail, docs that have become false. For each finding: the file and
line, what happens and when, and what would be right; the worst first. Say how sure you are. Don't praise, and leave out matters of taste. If
there is nothing wrong, say so in a sentence.`
}

func withRemark(prompt, input string) string {
	if input = strings.TrimSpace(input); input != "" {
		prompt += "\n\nThe user says about it: " + input
	}
	return prompt
}
