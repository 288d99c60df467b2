package coder

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// commandFolder is where a project keeps its own commands, a Markdown file each; the file's name without .md is the
// command's. It may be in the working directory and in any folder above it up to the repository's root; the nearest wins.
// The user's own are in commands/ beside their patchbay.toml. A project's command wins over the user's, and those that
// there always are win over both.
var commandFolder = filepath.Join(".patchbay", "commands")

const (
	maxCommands    = 200
	maxCommandFile = 64 << 10 // bytes; a longer file is not taken
)

// allCommands are a session's commands.
func (s *session) allCommands() []command {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append(ownCommands(), s.commands...)
}

// refreshCommands reads the project's and the user's commands, and those of MCP servers, and tells the client if they have changed (F161).
func (c *Coder) refreshCommands(ctx context.Context, s *agent.Session, state *session, always bool) error {
	state.telling.Lock() // so that what is told last is what was found last
	defer state.telling.Unlock()
	found := fileCommands(s.CWD(), state.config.UserFile, state.hides)
	found = append(found, serverCommands(state.mcpServers(), found)...)
	state.mu.Lock()
	changed := !slices.EqualFunc(found, state.commands, sameCommand)
	state.commands = found
	state.mu.Unlock()
	if !changed && !always {
		return nil
	}
	return s.Commands(ctx, state.available()...)
}

// available are a session's commands as clients know them.
func (s *session) available() []acp.AvailableCommand {
	var list []acp.AvailableCommand
	for _, command := range s.allCommands() {
		list = append(list, command.available())
	}
	return list
}

// sameCommand reports whether a client would see no difference. What a command says is read when it is used.
func sameCommand(a, b command) bool {
	return a.name == b.name && a.description == b.description && a.hint == b.hint
}

// A source is a folder with files for the agent.
type source struct {
	folder, boundary string            // what its files must not lead out of; "" is nothing
	hides            func(string) bool // reports whether a file may not be read; nil hides none
}

// commandSources are the folders that may hold commands, the first counts. Most of them won't exist.
func commandSources(cwd, userFile string) []source {
	return sources(cwd, userFile, commandFolder, "commands")
}

// sources are the folders that may hold files for the agent: a project's, and the user's own.
func sources(cwd, userFile, ofProject, ofUser string) []source {
	var folders []source
	for _, dir := range foldersUp(cwd) {
		folders = append(folders, source{folder: filepath.Join(dir, ofProject), boundary: boundary(dir)})
	}
	if userFile != "" { // the user's own files may be links to wherever they keep them
		folders = append(folders, source{folder: filepath.Join(filepath.Dir(userFile), ofUser)})
	}
	return folders
}

// fileCommands reads the commands that are files, by name. What can't be read, or has a name that nobody could type, is
// none.
func fileCommands(cwd, userFile string, hides func(string) bool) []command {
	taken := map[string]bool{}
	for _, own := range ownCommands() {
		taken[own.name] = true
	}
	var found []command
	for _, folder := range commandSources(cwd, userFile) {
		folder.hides = hides
		entries, err := os.ReadDir(folder.folder)
		if err != nil {
			continue
		}
		for _, e := range entries {
			name, ok := strings.CutSuffix(e.Name(), ".md")
			if !ok || !isCommandName(name) || strings.ContainsAny(name, " \t") || taken[name] || len(found) == maxCommands {
				continue
			}
			path := filepath.Join(folder.folder, e.Name())
			file, err := readCommand(path, folder)
			if err != nil {
				continue
			}
			taken[name] = true
			found = append(found, command{
				name: name, hint: file.hint, description: cmp.Or(file.description, firstLine(file.text)),
				prompt: func(input string) string { return expand(path, folder, file, input) },
			})
		}
	}
	slices.SortFunc(found, func(a, b command) int { return strings.Compare(a.name, b.name) })
	return found
}

// A commandFile is a command as it is written down: perhaps a head between lines of ---, with description and
// argument-hint, and the words for the model.
type commandFile struct{ description, hint, text string }

func readCommand(path string, from source) (commandFile, error) {
	head, text, err := readHeaded(path, from)
	if err != nil {
		return commandFile{}, err
	}
	file := commandFile{head["description"], head["argument-hint"], text}
	if file.hint == "" && strings.Contains(file.text, arguments) {
		file.hint = "arguments"
	}
	return file, nil
}

// readHeaded reads a file for the agent: perhaps a head between lines of --- with a value for each key, and words for the
// model, which there have to be.
func readHeaded(path string, from source) (head map[string]string, text string, err error) {
	if from.boundary != "" && from.hides != nil && from.hides(path) { // the user's own files are theirs to write
		return nil, "", errHidden(path)
	}
	b, err := readInside(path, from.boundary, maxCommandFile+1)
	switch {
	case err != nil:
		return nil, "", err
	case len(b) > maxCommandFile:
		return nil, "", errors.New("the file is too long")
	}
	head = map[string]string{}
	text = strings.ReplaceAll(strings.ToValidUTF8(strings.TrimPrefix(string(b), "\ufeff"), "\ufffd"), "\r\n", "\n")
	if top, body, ok := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n"); ok && strings.HasPrefix(text, "---\n") {
		text = body
		for line := range strings.Lines(top) {
			key, value, _ := strings.Cut(line, ":")
			head[strings.TrimSpace(key)] = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	if text = strings.TrimSpace(text); text == "" {
		return nil, "", errors.New("the file has no words for the model")
	}
	return head, text, nil
}

// arguments is what a command's file has in the place of what the user types after the command.
const arguments = "$ARGUMENTS"

// expand is what a command puts to the model: what its file says now, or what it said when the client was told of it.
func expand(path string, from source, known commandFile, input string) string {
	if file, err := readCommand(path, from); err == nil {
		known = file
	}
	input = strings.TrimSpace(input)
	if strings.Contains(known.text, arguments) {
		return strings.ReplaceAll(known.text, arguments, input)
	}
	if input == "" {
		return known.text
	}
	return known.text + "\n\n" + input
}
