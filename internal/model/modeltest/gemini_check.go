package modeltest

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
)

// geminiName is what a function may be called.
var geminiName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$`)

// check refuses what the API refuses.
func (r *geminiRequest) check(model string) error {
	if len(r.Contents) == 0 {
		return geminiSays("* GenerateContentRequest.contents: contents is not specified")
	}
	if s := r.SystemInstruction; s != nil {
		if err := s.check("system_instruction"); err != nil {
			return err
		}
	}
	for i, c := range r.Contents {
		if err := c.check(fmt.Sprintf("contents[%d]", i)); err != nil {
			return err
		}
		if c.Role != "user" && c.Role != "model" {
			return geminiSays("Please use a valid role: user, model.")
		}
		if n, before := c.responses(), r.callsBefore(i); n != before {
			return geminiSays("Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.")
		}
	}
	for _, tool := range r.Tools {
		for _, f := range tool.FunctionDeclarations {
			if !geminiName.MatchString(f.Name) || f.ParametersJSONSchema != nil && f.ParametersJSONSchema.Kind() != '{' {
				return geminiSays("* GenerateContentRequest.tools[0].function_declarations: invalid function %q", f.Name)
			}
		}
	}
	if c := r.GenerationConfig.ThinkingConfig; c != nil {
		if c.ThinkingBudget != nil && c.ThinkingLevel != "" {
			return geminiSays("You can only set only one of thinking budget and thinking level.")
		}
		if c.ThinkingLevel != "" && strings.HasPrefix(model, "gemini-2") {
			return geminiSays("Thinking level is not supported for this model.")
		}
	}
	if !strings.HasPrefix(model, "gemini-2") {
		return r.signed()
	}
	return nil
}

// check refuses parts that say nothing.
func (c geminiContent) check(where string) error {
	if len(c.Parts) == 0 {
		return geminiSays("* GenerateContentRequest.%s.parts: contents.parts must not be empty.", where)
	}
	for i, p := range c.Parts {
		n := 0
		for _, has := range []bool{p.Text != nil, p.InlineData != nil, p.FileData != nil, p.FunctionCall != nil, p.FunctionResponse != nil} {
			if has {
				n++
			}
		}
		if n != 1 {
			return geminiSays("* GenerateContentRequest.%s.parts[%d].data: required oneof field 'data' must have one initialized field", where, i)
		}
		if p.FunctionCall != nil && !geminiName.MatchString(p.FunctionCall.Name) {
			return geminiSays("Invalid function name %q.", p.FunctionCall.Name)
		}
		if _, err := base64.StdEncoding.DecodeString(p.ThoughtSignature); err != nil {
			return geminiSays("Corrupted thought signature.")
		}
	}
	return nil
}

func (c geminiContent) responses() int {
	n := 0
	for _, p := range c.Parts {
		if p.FunctionResponse != nil {
			n++
		}
	}
	return n
}

// callsBefore is how many calls the content before i has, each of which wants its result in i.
func (r *geminiRequest) callsBefore(i int) int {
	n := 0
	if i > 0 {
		for _, p := range r.Contents[i-1].Parts {
			if p.FunctionCall != nil {
				n++
			}
		}
	}
	return n
}

// signed refuses calls of the present turn whose first has no signature.
func (r *geminiRequest) signed() error {
	turn := 0
	for i, c := range r.Contents {
		if c.Role == "user" && c.responses() == 0 {
			turn = i
		}
	}
	for _, c := range r.Contents[turn:] {
		for _, p := range c.Parts {
			if p.FunctionCall == nil {
				continue
			}
			if p.ThoughtSignature == "" {
				return geminiSays("Function call is missing a thought_signature in functionCall parts. Additional data, function call `default_api:%s`.", p.FunctionCall.Name)
			}
			break // only the first of them has one
		}
	}
	return nil
}

// geminiSays is an error in Google's words, which are written otherwise than ours.
func geminiSays(format string, args ...any) error { return geminiRefusal(fmt.Sprintf(format, args...)) }

type geminiRefusal string

func (r geminiRefusal) Error() string { return string(r) }
