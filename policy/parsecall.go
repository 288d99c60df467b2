package policy

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
)

// lenient reads JSON as the wire does.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// ParseCall reads a call as people write it, for tests of a policy and to have one explained:
//
//	Bash(git push --force)      a shell line
//	Edit(src/main.go)           a file, from the place's folder on, or by its absolute path, or by ~/
//	Grep                        a tool without anything to say about it
//	WebFetch(https://go.dev/)   an address
//	mcp__github__create_issue   a tool of an MCP server
//	Tool(deploy)                a tool that only this agent has
//
// What stands between the parentheses is what the call does, so that a * is a *. Text that begins with { is what crosses
// the wire: a session/request_permission, fs/read_text_file, fs/write_text_file or terminal/create, either the whole
// message or its params, or a tool call.
func ParseCall(p Place, text string) (Call, error) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "{") {
		return callOfJSON(p, []byte(text))
	}
	name, arg, open := strings.Cut(text, "(")
	switch {
	case name == "" || strings.ContainsFunc(name, unicode.IsSpace) && !strings.HasPrefix(name, mcpPrefix):
		return Call{}, fmt.Errorf("call %q: no tool: a call looks like Bash(git status), Edit(src/main.go) or mcp__server__tool", text)
	case open && !strings.HasSuffix(arg, ")"):
		return Call{}, fmt.Errorf("call %q: the parenthesis is not closed at the end", text)
	}
	c, err := callOf(p, name, strings.TrimSuffix(arg, ")"))
	if err != nil {
		return Call{}, fmt.Errorf("call %q: %w", text, err)
	}
	return c, nil
}

func callOf(p Place, name, arg string) (Call, error) {
	c := Call{Place: p, Name: name}
	if strings.HasPrefix(name, mcpPrefix) {
		if rest := strings.TrimPrefix(name, mcpPrefix); arg != "" || !strings.Contains(strings.Trim(rest, "_"), "__") {
			return Call{}, errors.New("a tool of an MCP server looks like mcp__server__tool")
		}
		return c, nil
	}
	c.Tool = toolNamed(name)
	takes := readsFiles(c.Tool) || changesFiles(c.Tool)
	switch {
	case c.Tool == "":
		return Call{}, fmt.Errorf("unknown tool %q: it is one of %s, or mcp__server__tool", name, join(toolNames()))
	case arg == "" && !looksAround(c.Tool) && (takes || c.Tool == Bash || c.Tool == WebFetch || c.Tool == Tool):
		return Call{}, fmt.Errorf("%s of what? write it between parentheses", c.Tool)
	case c.Tool == Tool:
		c.Tool, c.Name = "", arg
	case c.Tool == Bash:
		c.Command = arg
	case c.Tool == WebFetch:
		c.URL = arg
	case takes && arg != "":
		c.Paths = []string{c.file(arg)}
	case arg != "":
		return Call{}, fmt.Errorf("%s has nothing between parentheses that a rule can know", c.Tool)
	}
	return c, nil
}

// callOfJSON reads a message, or its params.
func callOfJSON(p Place, text []byte) (Call, error) {
	var message struct {
		Method string         `json:"method"`
		Params jsontext.Value `json:"params"`
	}
	if err := json.Unmarshal(text, &message, lenient); err != nil {
		return Call{}, fmt.Errorf("read the call: %w", err)
	}
	if message.Method == "" {
		return callOfParams(p, text)
	}
	read, ok := wires[message.Method]
	if !ok {
		return Call{}, fmt.Errorf("read the call: %s asks for nothing that a policy decides", message.Method)
	}
	return read(p, message.Params)
}

// wires are the requests that a policy decides about.
var wires = map[string]func(Place, []byte) (Call, error){
	acp.MethodSessionRequestPermission: wire(func(p Place, r acp.RequestPermissionRequest) Call { return FromPermission(p, r) }),
	acp.MethodFSReadTextFile:           wire(FromReadTextFile),
	acp.MethodFSWriteTextFile:          wire(FromWriteTextFile),
	acp.MethodTerminalCreate:           wire(FromCreateTerminal),
}

func wire[R any](from func(Place, R) Call) func(Place, []byte) (Call, error) {
	return func(p Place, text []byte) (Call, error) {
		var r R
		if err := json.Unmarshal(text, &r, lenient); err != nil {
			return Call{}, fmt.Errorf("read the call: %w", err)
		}
		return from(p, r), nil
	}
}

// callOfParams tells params from a tool call by what they have.
func callOfParams(p Place, text []byte) (Call, error) {
	var has map[string]jsontext.Value
	if err := json.Unmarshal(text, &has, lenient); err != nil {
		return Call{}, fmt.Errorf("read the call: %w", err)
	}
	method := ""
	switch {
	case has["toolCall"] != nil:
		method = acp.MethodSessionRequestPermission
	case has["command"] != nil:
		method = acp.MethodTerminalCreate
	case has["path"] != nil && has["content"] != nil:
		method = acp.MethodFSWriteTextFile
	case has["path"] != nil:
		method = acp.MethodFSReadTextFile
	case has["toolCallId"] != nil:
		return wire(FromToolCall)(p, text)
	default:
		return Call{}, errors.New("read the call: it is no permission request, no tool call, and no request for a file or a terminal")
	}
	return wires[method](p, text)
}
