package policy

import (
	"maps"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
)

// The tools that rules speak of. Other agents' names for them, such as run_shell_command or str_replace, mean the same.
const (
	Bash      = "Bash"      // runs a shell line
	Read      = "Read"      // reads files; a rule for it is about all tools that do
	Edit      = "Edit"      // changes part of a file; a rule for it is about all tools that change files
	Write     = "Write"     // writes a file
	Delete    = "Delete"    // removes files
	Move      = "Move"      // moves or renames files
	Grep      = "Grep"      // looks for text in files
	Glob      = "Glob"      // looks for files by name
	List      = "List"      // lists folders
	WebFetch  = "WebFetch"  // gets something by its URL
	WebSearch = "WebSearch" // asks a search engine
	Task      = "Task"      // has a subagent do something, whose own calls are judged on their own
	Think     = "Think"     // thinks, plans or keeps a list of things to do: touches nothing
	Tool      = "Tool"      // any other tool, by the name that its agent gives it: Tool(deploy)
)

// aliases are the names that agents give to their tools, in lower case without punctuation.
var aliases = map[string]string{
	"bash": Bash, "shell": Bash, "shellcommand": Bash, "runshellcommand": Bash, "execcommand": Bash, "exec": Bash, "execute": Bash,
	"localshell": Bash, "runcommand": Bash, "runterminalcmd": Bash, "executecommand": Bash, "terminal": Bash, "runinterminal": Bash,
	"developershell": Bash,

	"read": Read, "readfile": Read, "readmanyfiles": Read, "viewfile": Read, "view": Read, "cat": Read, "readtextfile": Read,
	"notebookread": Read, "openfile": Read, "viewimage": Read,

	"edit": Edit, "editfile": Edit, "multiedit": Edit, "replace": Edit, "strreplace": Edit, "strreplaceeditor": Edit,
	"strreplacebasededittool": Edit, "applypatch": Edit, "patch": Edit, "applydiff": Edit, "notebookedit": Edit, "insert": Edit,
	"replaceinfile": Edit, "searchreplace": Edit, "texteditor": Edit,

	"write": Write, "writefile": Write, "createfile": Write, "create": Write, "writetofile": Write, "writetextfile": Write,

	"delete": Delete, "deletefile": Delete, "remove": Delete, "removefile": Delete,
	"move": Move, "movefile": Move, "rename": Move, "renamefile": Move,

	"grep": Grep, "search": Grep, "searchfiles": Grep, "searchfilecontent": Grep, "grepsearch": Grep, "ripgrep": Grep, "codebasesearch": Grep,
	"glob": Glob, "find": Glob, "findfiles": Glob, "filesearch": Glob, "globfilesearch": Glob,
	"list": List, "ls": List, "listfiles": List, "listdirectory": List, "listdir": List, "readfolder": List,

	"webfetch": WebFetch, "fetch": WebFetch, "httpfetch": WebFetch, "fetchurl": WebFetch, "readurl": WebFetch,
	"websearch": WebSearch, "googlewebsearch": WebSearch,

	"task": Task, "agent": Task, "subagent": Task, "delegate": Task, "spawnagent": Task,
	"think": Think, "todo": Think, "todowrite": Think, "todoread": Think, "writetodos": Think, "updateplan": Think, "plan": Think,
	"tool": Tool,
}

// toolNamed returns the tool that an agent's name means, or "".
func toolNamed(name string) string {
	return aliases[strings.Map(func(r rune) rune {
		if strings.ContainsRune("_-. ", r) {
			return -1
		}
		return r
	}, strings.ToLower(name))]
}

// toolNames are the names that a rule may begin with, for people.
func toolNames() []string {
	names := slices.Collect(maps.Values(aliases))
	slices.Sort(names)
	return slices.Compact(names)
}

// kindTools are the tools that a kind of work stands for, where no name is known.
var kindTools = map[acp.ToolKind]string{
	acp.ToolKindRead: Read, acp.ToolKindEdit: Edit, acp.ToolKindDelete: Delete, acp.ToolKindMove: Move, acp.ToolKindSearch: Grep,
	acp.ToolKindExecute: Bash, acp.ToolKindFetch: WebFetch, acp.ToolKindThink: Think,
}

func readsFiles(tool string) bool  { return slices.Contains([]string{Read, Grep, Glob, List}, tool) }
func looksAround(tool string) bool { return slices.Contains([]string{Grep, Glob, List}, tool) }
func changesFiles(tool string) bool {
	return slices.Contains([]string{Edit, Write, Delete, Move}, tool)
}
