package modeltest

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
)

// Puppet answers as the user's words tell it, with whichever tools the agent has: it drives agents of others, whose tools have
// other names and inputs. The last message of the user's that has some of these in it counts:
//
//	puppet:shell=`touch here`   a command is run
//	puppet:write=`/some/file`   a file is written, with the text "written by a puppet\n"
//	puppet:slow                 a few words are said, and nothing after them until the client goes
//	puppet:fail                 the provider refuses, with the status 400
//	puppet:talk                 nothing of what was said before this counts
//
// Calls are made one after the other. After them, and without any of this, it says PuppetWords.
func Puppet(h *Heard) Answer {
	if form, ok := puppetForm(h); ok {
		return Answer{Text: form}
	}
	steps, done := puppetSteps(h)
	for _, s := range steps {
		switch {
		case s.name == "fail":
			return Answer{Fault: Fault{Status: 400, Message: "the puppet was told to fail"}}
		case s.name == "slow":
			return Answer{Text: "One word after the other, ever so slowly, and on.", Fault: Fault{At: 5, Silent: true}}
		case done > 0:
			done--
		default:
			if call, ok := s.call(h); ok {
				return Answer{Text: "I call " + call.Name + ".", Calls: []Called{call}}
			}
			return Answer{Text: "There is no tool to " + s.name + " with among " + strings.Join(h.Tools, ", ") + "."}
		}
	}
	return Answer{Text: PuppetWords}
}

// PuppetWords is what a Puppet says when there is nothing to do.
const PuppetWords = "That is all from the puppet."

// A puppetStep is something that the user wants done.
type puppetStep struct{ name, arg string }

var puppetWish = regexp.MustCompile("puppet:(shell|write|slow|fail|talk)(?:=`([^`]*)`)?")

// puppetSteps returns what the user wants, and how many calls have been made for it.
func puppetSteps(h *Heard) (steps []puppetStep, done int) {
	for _, m := range slices.Backward(h.Messages) {
		done += len(m.Calls)
		if m.Role != "user" {
			continue
		}
		for _, wish := range puppetWish.FindAllStringSubmatch(m.Text, -1) {
			steps = append(steps, puppetStep{wish[1], wish[2]})
		}
		if steps != nil {
			return sinceTalk(steps), done
		}
	}
	return nil, 0
}

// sinceTalk leaves out what was wanted before the user only wanted to talk: where an agent has lost the answer to a message,
// the next one seems to belong to it.
func sinceTalk(steps []puppetStep) []puppetStep {
	for i, s := range slices.Backward(steps) {
		if s.name == "talk" {
			return steps[i+1:]
		}
	}
	return steps
}

// puppetTools are the names that tools for a step have, the most telling first.
var puppetTools = map[string]*regexp.Regexp{
	"shell": regexp.MustCompile(`(?i)^(bash|shell|exec_command|run_shell_command|local_shell|shell_command|execute_command|execute|run_command)$`),
	"write": regexp.MustCompile(`(?i)^(write|write_file|create_file|write_to_file|create)$`),
}

func (s puppetStep) call(h *Heard) (Called, bool) {
	for _, name := range h.Tools {
		if !puppetTools[s.name].MatchString(name) {
			continue
		}
		input, err := json.Marshal(s.input(h.Schemas[name]), jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
		return Called{Name: name, Input: string(input)}, err == nil
	}
	return Called{}, false
}

// A puppetSchema is what a Puppet understands of a tool's schema.
type puppetSchema struct {
	Type       any                     `json:"type"`
	Enum       []any                   `json:"enum"`
	Required   []string                `json:"required"`
	Properties map[string]puppetSchema `json:"properties"`
}

// input fills in what the schema wants.
func (s puppetStep) input(schema acp.Raw) map[string]any {
	var top puppetSchema
	_ = json.Unmarshal(schema, &top) // of what is not understood, there is nothing
	input := map[string]any{}
	for name, p := range top.Properties {
		if value, ok := s.value(strings.ToLower(strings.ReplaceAll(name, "_", "")), p); ok {
			input[name] = value
		} else if slices.Contains(top.Required, name) {
			input[name] = p.any()
		}
	}
	return input
}

// value is what a member of this name wants to know, if that is known.
func (s puppetStep) value(name string, p puppetSchema) (any, bool) {
	switch name {
	case "command", "cmd":
		if p.Type == "array" {
			return []string{"sh", "-c", s.arg}, true
		}
		return s.arg, true
	case "path", "filepath", "absolutepath", "file":
		return s.arg, true
	case "content", "contents", "filecontent", "filetext":
		return "written by a puppet\n", true
	case "sandboxpermissions": // without this, Codex's sandbox refuses and nobody is asked
		return "require_escalated", true
	case "justification", "description":
		return "A puppet wants it.", true
	}
	return nil, false
}

// any is some value of the type.
func (p puppetSchema) any() any {
	if len(p.Enum) > 0 {
		return p.Enum[0]
	}
	switch p.Type {
	case "boolean":
		return false
	case "number", "integer":
		return 1
	case "array":
		return []any{}
	case "object":
		object := map[string]any{}
		for name, member := range p.Properties {
			object[name] = member.any()
		}
		return object
	}
	return "puppet"
}

// puppetForm fills in the form that the answer is to have, if the agent wants one: agents ask models, besides what the user
// wants, whether a command is safe, or who is to go on.
func puppetForm(h *Heard) (string, bool) {
	var request struct {
		Text struct {
			Format struct {
				Schema *puppetSchema `json:"schema"`
			} `json:"format"`
		} `json:"text"`
		ResponseFormat struct {
			JSONSchema struct {
				Schema *puppetSchema `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
		GenerationConfig struct {
			Schema *puppetSchema `json:"responseJsonSchema"`
		} `json:"generationConfig"`
	}
	if json.Unmarshal(h.Body, &request, jsontext.AllowInvalidUTF8(true)) != nil {
		return "", false
	}
	form := cmp.Or(request.Text.Format.Schema, request.ResponseFormat.JSONSchema.Schema, request.GenerationConfig.Schema)
	if form == nil {
		return "", false
	}
	text, err := json.Marshal(form.any(), json.Deterministic(true))
	return string(text), err == nil
}
