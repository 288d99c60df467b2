package policy

import (
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
)

// An input is what the raw input of a tool call says, under whichever names.
type input struct {
	line, dir, url, server, tool string

	argv, paths []string

	odd string // why it can't be understood, if it has a member of importance that is of no use
}

// The members that agents use, without case and underscores.
var (
	lineMembers = []string{"command", "cmd", "shellcommand", "commandline", "script"}
	dirMembers  = []string{"cwd", "workdir", "workingdirectory", "workingdir"}
	urlMembers  = []string{"url", "uri"}
	pathMembers = []string{
		"path", "paths", "file", "files", "filepath", "filepaths", "filename", "abspath", "absolutepath", "notebookpath", "targetfile", "directory",
		"dirpath", "folder", "source", "destination", "src", "dst", "dest", "from", "to", "oldpath", "newpath", "target", "sourcepath",
		"destinationpath", "relativeworkspacepath",
	}
)

// readInput reads raw input.
func readInput(raw acp.Raw) input {
	var in input
	all := members(raw)
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		in.read(strings.ReplaceAll(strings.ToLower(name), "_", ""), all[name])
	}
	return in
}

func (in *input) read(name string, value acp.Raw) {
	one, many := text(value), texts(value)
	switch {
	case value.Kind() == 'n':
	case slices.Contains(lineMembers, name):
		switch {
		case in.line != "" || in.argv != nil:
			in.odd = "has more than one command"
		case one != "":
			in.line = one
		case len(many) > 0:
			in.argv = many
		case value.Kind() != '"':
			in.odd = "has a command that is no text"
		}
	case slices.Contains(dirMembers, name):
		in.dir = one
	case slices.Contains(urlMembers, name):
		if in.url != "" && in.url != one {
			in.odd = "has more than one address"
		}
		in.url = one
	case slices.Contains(pathMembers, name):
		if one != "" {
			in.paths = append(in.paths, one)
		}
		in.paths = append(in.paths, many...)
	case name == "changes": // Codex: {"changes":{"/path":{…}}}
		for file, change := range members(value) {
			in.paths = append(in.paths, file)
			if to := text(members(members(change)["update"])["move_path"]); to != "" {
				in.paths = append(in.paths, to)
			}
		}
		slices.Sort(in.paths)
	case name == "server" || name == "servername":
		in.server = one
	case name == "tool" || name == "toolname":
		in.tool = one
	}
}

// members are those of an object, or none.
func members(raw acp.Raw) map[string]acp.Raw {
	var all map[string]acp.Raw
	if raw.Kind() != '{' || json.Unmarshal(raw, &all, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return nil
	}
	return all
}

// text is a string, or "".
func text(raw acp.Raw) string {
	var s string
	if raw.Kind() != '"' || json.Unmarshal(raw, &s, jsontext.AllowInvalidUTF8(true)) != nil {
		return ""
	}
	return s
}

// texts is a list of strings, or nil.
func texts(raw acp.Raw) []string {
	var list []string
	if raw.Kind() != '[' || json.Unmarshal(raw, &list, jsontext.AllowInvalidUTF8(true)) != nil {
		return nil
	}
	return list
}

// fromURI is the path of a file's URI, and any other text as it is: one that doesn't say a path alone is not understood.
func fromURI(name string) string {
	if !isFileURI(name) {
		return name
	}
	u, err := url.Parse(name)
	if err != nil || u.Host != "" && u.Host != "localhost" || u.RawQuery != "" || u.Fragment != "" || u.ForceQuery {
		return name
	}
	return u.Path
}

func isFileURI(name string) bool {
	const begin = "file:/"
	return len(name) >= len(begin) && strings.EqualFold(name[:len(begin)], begin)
}

// isAddress reports whether what fromURI has left is no path.
func isAddress(name string) bool { return strings.Contains(name, "://") || isFileURI(name) }
