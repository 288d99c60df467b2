package coder

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// A subagentType is what the agent can have a subagent be.
type subagentType struct {
	name, description string

	tools        []string // names, or patterns of them; nil for all that the session's mode has
	model        string   // empty for that of whoever starts it
	instructions string   // for the model, beside those that every subagent has
}

// The types that there always are.
var ownTypes = []*subagentType{
	{
		name:        "general",
		description: "Does a piece of work of several steps, with all the tools that you have.",
	},
	{
		name:        "explore",
		description: "Finds out how something is, or where, quickly: it looks at files and folders and can change nothing.",
		tools:       looking,
		instructions: "You look and change nothing. Search widely first, by several names and spellings, and read only what matters. Report where " +
			"things are, with paths and line numbers, and how sure you are.",
	},
}

// agentFolder is where a project keeps its own types of subagents, a Markdown file each, as it does its commands: see
// commandFolder.
var agentFolder = filepath.Join(".patchbay", "agents")

const maxTypes = 50

// subagentTypes are the types that can be used where a session works. A project's type wins over the user's, and those that
// there always are win over both. What can't be read, or has a name that a model might get wrong, is none.
func subagentTypes(cwd, userFile string, hides func(string) bool) []*subagentType {
	types := slices.Clone(ownTypes)
	for _, source := range sources(cwd, userFile, agentFolder, "agents") {
		source.hides = hides
		entries, err := os.ReadDir(source.folder)
		if err != nil {
			continue
		}
		for _, e := range entries {
			name, ok := strings.CutSuffix(e.Name(), ".md")
			if !ok || !isCommandName(name) || strings.ContainsAny(name, " \t") || typeNamed(types, name) != nil || len(types) == maxTypes {
				continue
			}
			if t, err := readType(filepath.Join(source.folder, e.Name()), source); err == nil {
				t.name = name
				types = append(types, t)
			}
		}
	}
	slices.SortStableFunc(types[len(ownTypes):], func(a, b *subagentType) int { return strings.Compare(a.name, b.name) })
	return types
}

func typeNamed(types []*subagentType, name string) *subagentType {
	i := slices.IndexFunc(types, func(t *subagentType) bool { return t.name == name })
	if i < 0 {
		return nil
	}
	return types[i]
}

// readType reads a type as it is written down: perhaps a head between lines of ---, with description, tools and model, and the
// instructions.
func readType(path string, from source) (*subagentType, error) {
	head, text, err := readHeaded(path, from)
	if err != nil {
		return nil, err
	}
	t := &subagentType{
		description: oneParagraph(cmp.Or(head["description"], firstLine(text))), model: head["model"], instructions: text,
	}
	if list, ok := head["tools"]; ok {
		t.tools = strings.FieldsFunc(strings.Trim(list, "[]"), func(r rune) bool { return strings.ContainsRune(", \t\"'", r) })
		if t.tools == nil {
			t.tools = []string{} // none is not all
		}
	}
	return t, nil
}

// maxTypeWords bounds what a type says of itself to the model, in bytes.
const maxTypeWords = 500

func oneParagraph(text string) string {
	return shortened(strings.Join(strings.Fields(text), " "), maxTypeWords)
}

// has reports whether subagents of the type can have a tool. The tools of the mode "sandbox" go by the names of those in whose
// places they are.
func (t *subagentType) has(tool string) bool {
	if t.tools == nil {
		return true
	}
	return slices.ContainsFunc(t.tools, func(pattern string) bool {
		fits, err := path.Match(strings.TrimPrefix(pattern, sandboxPrefix), strings.TrimPrefix(tool, sandboxPrefix))
		return err == nil && fits
	})
}

// describeTypes says which types there are, for the model.
func describeTypes(types []*subagentType) string {
	var b strings.Builder
	b.WriteString("\n\nThe types of subagents:\n")
	for _, t := range types {
		fmt.Fprintf(&b, "- %s: %s\n", t.name, t.description)
	}
	return b.String()
}

// typeNames lists the types, for who has asked for another one.
func typeNames(types []*subagentType) string {
	var names []string
	for _, t := range types {
		names = append(names, t.name)
	}
	return strings.Join(names, ", ")
}
