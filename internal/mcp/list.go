package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-dev/patchbay/acp"
)

// How much of what a server has is taken, of each kind.
const (
	maxItems       = 512
	maxPages       = 100
	maxDescription = 4 << 10  // bytes
	maxSchema      = 64 << 10 // bytes
	maxTitle       = 200      // bytes
	maxOwnName     = 256      // bytes
)

// A Tool is a tool of a server. What it says about itself is the server's word, without secrets, and no more than that.
type Tool struct {
	// Name is the tool's name for models, such as mcp__github__create_issue: at most 64 letters, digits, - and _. It is
	// the only one of the set, and means the same tool as long as the set is there.
	Name string

	// Server is the name of its server, and Title its own, for people.
	Server, Title string

	// Description is for the model; at most 4 KiB.
	Description string

	// Schema is the JSON Schema of its input: an object, at most 64 KiB.
	Schema acp.Raw

	// Hints are what the server says about it. Nothing may be allowed because of them: a server can say anything.
	Hints Hints

	own string // the server's name for it
}

// Hints are a server's claims about a tool. Nil and false are what is assumed where it makes none.
type Hints struct {
	ReadOnly    bool  // it changes nothing
	Destructive *bool // what it changes may be lost
	Idempotent  bool  // a second call with the same input changes nothing more
	OpenWorld   *bool // it deals with the world outside
}

// list finds out what a server has. Without its tools a server is of no use, so that is an error.
func (s *server) list(ctx context.Context, l *live) error {
	abilities := &sdk.ServerCapabilities{}
	if r := l.session.InitializeResult(); r != nil && r.Capabilities != nil {
		abilities = r.Capabilities
	}
	var has inventory
	var err error
	if abilities.Tools != nil {
		if has.tools, err = s.listTools(ctx, l.session); err != nil {
			return fmt.Errorf("its tools can't be listed: %w", err)
		}
	}
	if abilities.Prompts != nil {
		if has.prompts, err = s.listPrompts(ctx, l.session); err != nil {
			s.warn(fmt.Sprintf("its prompts can't be listed: %v", err))
		}
	}
	s.mu.Lock()
	s.listed = has
	s.mu.Unlock()
	s.set.news.change()
	return nil
}

func (s *server) listTools(ctx context.Context, session *sdk.ClientSession) ([]*Tool, error) {
	list, err := pages(func(cursor string) ([]*sdk.Tool, string, error) {
		r, err := session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return r.Tools, r.NextCursor, nil
	})
	if errors.Is(err, errTooMany) {
		s.warn(fmt.Sprintf("it has more tools than are taken: the first %d are", len(list)))
	} else if err != nil {
		return nil, err
	}
	var tools []*Tool
	seen := make(map[string]bool)
	for _, t := range list {
		tool, err := s.tool(t)
		switch {
		case err != nil:
			s.warn(fmt.Sprintf("its tool %q is not offered: %v", cut(s.set.redactor.text(t.Name), maxTitle), err))
		case seen[t.Name]:
			s.warn(fmt.Sprintf("its tool %q is listed twice", cut(s.set.redactor.text(t.Name), maxTitle)))
		default:
			seen[t.Name] = true
			tools = append(tools, tool)
		}
	}
	return tools, nil
}

// tool makes a tool of ours of a server's.
func (s *server) tool(t *sdk.Tool) (*Tool, error) {
	if t.Name == "" || len(t.Name) > maxOwnName {
		return nil, fmt.Errorf("its name has %d bytes, and can have 1 to %d", len(t.Name), maxOwnName)
	}
	schema, err := inputSchema(t.InputSchema)
	if err != nil {
		return nil, err
	}
	r := s.set.redactor
	tool := &Tool{
		Name: s.set.name(nameOf{s, aTool, t.Name}), Server: s.name, own: t.Name,
		Title: t.Title, Description: cut(r.text(t.Description), maxDescription), Schema: r.raw(schema),
	}
	if a := t.Annotations; a != nil {
		tool.Hints = Hints{a.ReadOnlyHint, a.DestructiveHint, a.IdempotentHint, a.OpenWorldHint}
		if tool.Title == "" {
			tool.Title = a.Title
		}
	}
	if tool.Title == "" {
		tool.Title = t.Name
	}
	tool.Title = cut(r.text(tool.Title), maxTitle)
	return tool, nil
}

// inputSchema makes of a tool's schema one that models' APIs take: an object with a type and properties. What has another
// type is no input that can be given by name.
func inputSchema(wire any) (acp.Raw, error) {
	schema, isObject := wire.(map[string]any)
	switch {
	case wire == nil:
		schema = map[string]any{}
	case !isObject:
		return nil, errors.New("the schema of its input is no object")
	}
	switch kind := schema["type"].(type) {
	case nil:
	case string:
		if kind != "object" {
			return nil, fmt.Errorf("its input is of the type %q rather than object", cut(kind, maxTitle))
		}
	case []any:
		if !slices.Contains(kind, any("object")) {
			return nil, errors.New("its input can't be an object")
		}
	default:
		return nil, errors.New("the type in the schema of its input is none")
	}
	schema["type"] = "object"
	if _, ok := schema["properties"].(map[string]any); !ok {
		schema["properties"] = map[string]any{}
	}
	if required, ok := schema["required"]; ok && !isNames(required) {
		delete(schema, "required")
	}
	text, err := json.Marshal(schema)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the schema of its input: %w", err)
	case len(text) > maxSchema:
		return nil, fmt.Errorf("the schema of its input has %d bytes, and can have %d", len(text), maxSchema)
	}
	return text, nil
}

// isNames reports whether a value is a list of texts.
func isNames(v any) bool {
	list, ok := v.([]any)
	return ok && !slices.ContainsFunc(list, func(item any) bool { _, isText := item.(string); return !isText })
}

// errTooMany is the error of a list that goes on and on.
var errTooMany = errors.New("the list has no end")

// pages reads a list page by page. One that is too long is cut, with errTooMany.
func pages[T any](page func(cursor string) (items []*T, next string, err error)) ([]*T, error) {
	var list []*T
	cursor := ""
	for range maxPages {
		items, next, err := page(cursor)
		if err != nil {
			return nil, err
		}
		for _, item := range items {
			if item == nil {
				continue
			}
			if len(list) == maxItems {
				return list, errTooMany
			}
			list = append(list, item)
		}
		if next == "" {
			return list, nil
		}
		if next == cursor {
			return list, errTooMany
		}
		cursor = next
	}
	return list, errTooMany
}
