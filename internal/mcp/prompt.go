package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Prompt is a text that a server keeps, with blanks: a slash command for people.
type Prompt struct {
	// Name is the prompt's name for people to type, such as mcp__github__review; see Tool.Name.
	Name string

	// Server is the name of its server, and Title and Description say what it is, for people.
	Server, Title, Description string

	// Arguments are its blanks.
	Arguments []Argument

	own string // the server's name for it
}

// An Argument is a blank of a prompt.
type Argument struct {
	Name, Title, Description string
	Required                 bool
}

// Hint says what may follow the command: its arguments' names, in brackets where they may be left out.
func (p *Prompt) Hint() string {
	words := make([]string, len(p.Arguments))
	for i, a := range p.Arguments {
		words[i] = "<" + a.Name + ">"
		if !a.Required {
			words[i] = "[" + a.Name + "]"
		}
	}
	return strings.Join(words, " ")
}

// Fill reads what follows the command: the arguments in their order, with spaces between them. Quotes keep words together,
// name=value gives one by its name, and the last one gets all that is left. Anything is an error that says so if a required
// argument is missing, or if there are none at all and something follows.
func (p *Prompt) Fill(text string) (map[string]string, error) {
	given := make(map[string]string)
	text = strings.TrimSpace(text)
	for text != "" {
		if name, rest, ok := p.named(text); ok {
			given[name], text = nextWord(rest)
			continue
		}
		open := p.open(given)
		switch len(open) {
		case 0:
			return nil, fmt.Errorf("/%s has no place for %q: it takes %s", p.Name, cut(text, maxTitle), orNothing(p.Hint()))
		case 1:
			if word, rest := nextWord(text); rest == "" {
				text = word // without its quotes
			}
			given[open[0]], text = text, ""
		default:
			given[open[0]], text = nextWord(text)
		}
	}
	return given, p.check(given)
}

// named reports whether a text begins with an argument's name and an equals sign, and what follows that.
func (p *Prompt) named(text string) (name, rest string, ok bool) {
	name, rest, ok = strings.Cut(text, "=")
	for _, a := range p.Arguments {
		if ok && a.Name == name {
			return name, rest, true
		}
	}
	return "", "", false
}

// open are the names of the arguments that have not been given.
func (p *Prompt) open(given map[string]string) []string {
	var names []string
	for _, a := range p.Arguments {
		if _, ok := given[a.Name]; !ok {
			names = append(names, a.Name)
		}
	}
	return names
}

// check finds required arguments that are missing.
func (p *Prompt) check(given map[string]string) error {
	for _, a := range p.Arguments {
		if _, ok := given[a.Name]; a.Required && !ok {
			return fmt.Errorf("/%s needs %s: it takes %s", p.Name, a.Name, p.Hint())
		}
	}
	return nil
}

// nextWord cuts off a word, or what is in quotes.
func nextWord(text string) (word, rest string) {
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		if word, rest, ok := strings.Cut(text[1:], text[:1]); ok {
			return word, strings.TrimSpace(rest)
		}
	}
	word, rest, _ = strings.Cut(text, " ")
	return word, strings.TrimSpace(rest)
}

func orNothing(hint string) string {
	if hint == "" {
		return "nothing"
	}
	return hint
}

func (s *server) listPrompts(ctx context.Context, session *sdk.ClientSession) ([]*Prompt, error) {
	list, err := pages(func(cursor string) ([]*sdk.Prompt, string, error) {
		r, err := session.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return r.Prompts, r.NextCursor, nil
	})
	if errors.Is(err, errTooMany) {
		s.warn(fmt.Sprintf("it has more prompts than are taken: the first %d are", len(list)))
	} else if err != nil {
		return nil, err
	}
	var prompts []*Prompt
	seen := make(map[string]bool)
	for _, p := range list {
		if p.Name == "" || len(p.Name) > maxOwnName || seen[p.Name] {
			s.warn(fmt.Sprintf("its prompt %q is not offered: its name is empty, too long or not the only one", cut(s.set.redactor.text(p.Name), maxTitle)))
			continue
		}
		seen[p.Name] = true
		prompts = append(prompts, s.prompt(p))
	}
	return prompts, nil
}

func (s *server) prompt(p *sdk.Prompt) *Prompt {
	r := s.set.redactor
	prompt := &Prompt{
		Name: s.set.name(nameOf{s, aPrompt, p.Name}), Server: s.name, own: p.Name,
		Title: cut(r.text(p.Title), maxTitle), Description: cut(r.text(p.Description), maxDescription),
	}
	for _, a := range p.Arguments {
		if a != nil && a.Name != "" {
			prompt.Arguments = append(prompt.Arguments, Argument{
				Name: a.Name, Title: cut(r.text(a.Title), maxTitle), Description: cut(r.text(a.Description), maxTitle), Required: a.Required,
			})
		}
	}
	return prompt
}

// A Message is a part of a filled-in prompt.
type Message struct {
	Role    acp.Role
	Content []acp.ContentBlock
}

// Prompt has a server fill in a prompt, by the name in Prompts. All its texts together have at most Options.MaxText bytes.
// Its time limit is that of calls.
func (s *Set) Prompt(ctx context.Context, name string, arguments map[string]string) ([]Message, error) {
	server, own := s.find(aPrompt, name)
	if server == nil {
		return nil, fmt.Errorf("there is no prompt named %q", name)
	}
	var filled *sdk.GetPromptResult
	err := server.do(ctx, Call{}, func(ctx context.Context, l *live, _ string) (err error) {
		filled, err = l.session.GetPrompt(ctx, &sdk.GetPromptParams{Name: own, Arguments: arguments})
		return err
	})
	if err != nil {
		return nil, err
	}
	c := server.converter()
	var messages []Message
	for _, m := range filled.Messages {
		if m == nil {
			continue
		}
		c.add(m.Content)
		if blocks := c.take(); len(blocks) > 0 {
			messages = append(messages, Message{Role: acp.Role(m.Role), Content: blocks})
		}
	}
	return messages, nil
}
