package policy

import (
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/patchbay-dev/patchbay/acp"
)

// FromPermission makes a Call of a permission request. The place's session is the request's if it has none.
func FromPermission(p Place, r acp.RequestPermissionRequest) Call {
	if p.Session == "" {
		p.Session = r.SessionID
	}
	return FromToolCall(p, r.ToolCall)
}

// FromToolCall makes a Call of what an agent says about a tool call: best of all that it has said so far, since updates
// change what came before.
//
// Agents say little in the same way. What a call does is taken from the tool's name and its input, then from its kind,
// its diffs and its locations, and from its title last, as some send nothing else. If these contradict each other, or
// say too little, the call is Unclear.
func FromToolCall(p Place, u acp.ToolCallUpdate) Call {
	in := readInput(u.RawInput.Or(nil))
	c := Call{Place: p, Kind: u.Kind.Or(""), Name: nameOf(u)}
	if in.dir != "" {
		c.Dir = filepath.Clean(absolute(p.CWD, in.dir))
	}
	if server, tool, ok := mcpOf(u, in, c.Name); ok {
		c.Server, c.ServerTool = server, tool
		return c
	}
	if c.mcp() {
		return c
	}
	c.Tool = toolNamed(c.Name)
	if c.Tool == Tool {
		c.Tool = ""
	}
	c.fill(u, in)
	return c
}

// FromReadTextFile makes a Call of an agent's fs/read_text_file.
func FromReadTextFile(p Place, r acp.ReadTextFileRequest) Call {
	p.Session = r.SessionID
	return Call{Place: p, Tool: Read, Name: "fs/read_text_file", Kind: acp.ToolKindRead, Paths: []string{r.Path}}
}

// FromWriteTextFile makes a Call of an agent's fs/write_text_file.
func FromWriteTextFile(p Place, r acp.WriteTextFileRequest) Call {
	p.Session = r.SessionID
	return Call{Place: p, Tool: Write, Name: "fs/write_text_file", Kind: acp.ToolKindEdit, Paths: []string{r.Path}}
}

// FromCreateTerminal makes a Call of an agent's terminal/create. A command without arguments is a line, as some agents
// send it; a program whose name has a blank reads as one, too. Variables stand before the line, for rules to see, save those
// that only keep a command from paging and drawing, such as PAGER=cat.
func FromCreateTerminal(p Place, r acp.CreateTerminalRequest) Call {
	p.Session = r.SessionID
	c := Call{Place: p, Tool: Bash, Name: "terminal/create", Kind: acp.ToolKindExecute, Command: r.Command, Dir: r.CWD}
	if len(r.Args) > 0 {
		c.setArgv(append([]string{r.Command}, r.Args...))
	} else {
		c.Foreign = systemShell(runtime.GOOS, "")
	}
	env := slices.DeleteFunc(slices.Clone(r.Env), drawsNothing)
	if c.Unclear == "" && c.Foreign == "" && len(env) > 0 {
		c.setEnv(env)
	}
	return c
}

// setEnv puts variables before the line, where rules see them. More than one command can't have them so.
func (c *Call) setEnv(env []acp.EnvVariable) {
	var b strings.Builder
	b.WriteString("env ")
	for _, v := range env {
		word, err := syntax.Quote(v.Name+"="+v.Value, syntax.LangBash)
		if err != nil || !isAssignment(plain(v.Name+"=")) {
			c.Unclear = "runs a command with a variable that can't be written"
			return
		}
		b.WriteString(word + " ")
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(c.Command), "")
	if err != nil || len(file.Stmts) != 1 {
		c.Unclear = "runs several commands with variables"
		return
	}
	if call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr); !ok || len(call.Assigns) > 0 || len(call.Args) == 0 {
		c.Unclear = "runs several commands with variables"
		return
	}
	c.Command = b.String() + c.Command
}

// nameOf is the tool's name for programs, from where agents put it.
func nameOf(u acp.ToolCallUpdate) string {
	if name := u.Name.Or(""); name != "" {
		return name
	}
	if name := text(u.Meta["toolName"]); name != "" { // Qwen
		return name
	}
	if name := text(members(u.Meta["claudeCode"])["toolName"]); name != "" {
		return name
	}
	if name, _, ok := strings.Cut(string(u.ToolCallID), "__"); ok && toolNamed(name) != "" { // Gemini: write_file__write_file_17_0
		return name
	}
	title := u.Title.Or("")
	if title != "" && !strings.ContainsFunc(title, func(r rune) bool {
		return r != '_' && r != '-' && r != '.' && (r < '0' || '9' < r) && (r < 'a' || 'z' < r) && (r < 'A' || 'Z' < r)
	}) && (u.Kind.Or("") == "" || u.Kind.Or("") == acp.ToolKindOther || agrees(toolNamed(title), u.Kind.Or(""))) {
		return title // OpenCode: read, everything_echo
	}
	return ""
}

// mcpOf finds the MCP server and its tool, where agents say them apart.
func mcpOf(u acp.ToolCallUpdate, in input, name string) (server, tool string, ok bool) {
	if in.server != "" && in.tool != "" && toolNamed(name) == "" { // Codex
		return in.server, in.tool, true
	}
	// Gemini: id mcp_SERVER_TOOL__…, title "TOOL (SERVER MCP Server)". Both must say the same.
	id, _, _ := strings.Cut(string(u.ToolCallID), "__")
	tool, rest, _ := strings.Cut(u.Title.Or(""), " (")
	server, ok = strings.CutSuffix(rest, " MCP Server)")
	if ok && server != "" && tool != "" && id == "mcp_"+server+"_"+tool {
		return server, tool, true
	}
	return "", "", false
}

// fill finds out what the call does.
func (c *Call) fill(u acp.ToolCallUpdate, in input) {
	editor := c.Tool == Edit && in.line != "" && len(in.argv) == 0 && toolNamed(in.line) != ""
	if editor { // one tool for several things: {"command":"view","path":…}
		c.Tool = toolNamed(in.line)
		in.line = ""
	}
	lined := in.line != "" || len(in.argv) > 0
	switch {
	case in.odd != "":
		c.Unclear = in.odd
		return
	case lined && (c.Tool == "" || c.Tool == Bash):
		c.Tool = Bash // whatever the kind: Codex calls "echo x && ls" a search
	case lined:
		c.Unclear = "has a command, and the name of another tool: " + c.Name
		return
	case c.Tool == "" && (c.Name == "" || c.Kind != "" && c.Kind != acp.ToolKindOther):
		c.Tool = kindTools[c.Kind]
	}
	if c.Tool != "" && !agrees(c.Tool, c.Kind) {
		c.Unclear = "is named " + c.Name + ", and of kind " + string(c.Kind)
		return
	}
	switch {
	case c.Tool == Bash:
		c.fillLine(u, in)
	case readsFiles(c.Tool) || changesFiles(c.Tool):
		c.fillPaths(u, in)
	case c.Tool == WebFetch:
		c.URL = in.url
	case c.Tool == Think && (in.url != "" || len(in.paths) > 0):
		c.Unclear = "is said to think, and has a file or an address"
	case c.Tool == "" && c.Name == "" && c.Kind != acp.ToolKindSwitchMode:
		c.Unclear = "can't be understood: " + u.Title.Or("it has no name, no input and no title")
	}
}

// agrees reports whether a kind can be that of a tool, which is asked where the two come from different places.
func agrees(tool string, kind acp.ToolKind) bool {
	switch kind {
	case "", acp.ToolKindOther:
		return true
	case acp.ToolKindEdit, acp.ToolKindDelete, acp.ToolKindMove:
		return changesFiles(tool)
	case acp.ToolKindRead, acp.ToolKindSearch:
		return readsFiles(tool) || tool == Bash || tool == WebFetch || tool == WebSearch
	case acp.ToolKindExecute:
		return tool == Bash || tool == Task
	case acp.ToolKindFetch:
		return tool == WebFetch || tool == WebSearch
	}
	return tool == Think || tool == Task || kind == acp.ToolKindSwitchMode && tool == ""
}

func (c *Call) fillLine(u acp.ToolCallUpdate, in input) {
	switch {
	case len(in.argv) > 0:
		c.setArgv(in.argv)
	case in.line != "":
		c.Command = in.line
	default:
		c.Command = lineOfTitle(u.Title.Or(""))
	}
	if strings.TrimSpace(c.Command) == "" && c.Unclear == "" {
		c.Unclear = "runs a command that it doesn't say"
	}
	if len(in.argv) == 0 {
		c.Foreign = systemShell(runtime.GOOS, c.Name)
	}
}

// systemShell names the shell that a tool gives its lines to, if that is none whose language is understood. On Windows
// that is one of two with languages of their own, unless the tool's name says otherwise.
func systemShell(system, tool string) string {
	tool = strings.ToLower(tool)
	switch {
	case strings.Contains(tool, "powershell"), strings.Contains(tool, "pwsh"):
		return "PowerShell"
	case system == "windows" && !strings.Contains(tool, "bash"):
		return "cmd.exe or PowerShell"
	}
	return ""
}

// lineOfTitle is the line in the title of an agent that sends it nowhere else, such as Gemini. A title that was cut is
// none, and neither is the name of the tool.
func lineOfTitle(title string) string {
	title = strings.TrimSpace(title)
	if strings.HasSuffix(title, "…") || strings.HasSuffix(title, "...") || toolNamed(title) != "" {
		return ""
	}
	if inner := strings.Trim(title, "`"); len(inner) == len(title)-2 && !strings.Contains(inner, "`") {
		return inner
	}
	return title
}

// foreign are shells whose lines are not understood.
var foreign = map[string]string{"cmd": "cmd.exe", "powershell": "PowerShell", "pwsh": "PowerShell", "nu": "Nushell", "xonsh": "xonsh"}

// setArgv takes a program with its arguments. If that is a shell with a line, the line is the command.
func (c *Call) setArgv(argv []string) {
	program := strings.TrimSuffix(strings.ToLower(path.Base(strings.ReplaceAll(argv[0], `\`, "/"))), ".exe")
	if name := foreign[program]; name != "" {
		c.Foreign = name
		c.Command = strings.Join(argv, " ")
		return
	}
	if len(argv) == 3 && slices.Contains([]string{"sh", "bash", "zsh"}, program) && slices.Contains([]string{"-c", "-lc"}, argv[1]) &&
		(path.Dir(argv[0]) == "/bin" || path.Dir(argv[0]) == "/usr/bin" || argv[0] == program) {
		c.Command = argv[2]
		return
	}
	words := make([]string, len(argv))
	for i, arg := range argv {
		word, err := syntax.Quote(arg, syntax.LangBash)
		if err != nil {
			c.Unclear = "runs a command with an argument that can't be written: " + err.Error()
			return
		}
		words[i] = word
	}
	c.Command = strings.Join(words, " ")
}

// fillPaths gathers all files that the call names anywhere.
func (c *Call) fillPaths(u acp.ToolCallUpdate, in input) {
	paths := in.paths
	for _, content := range u.Content.Or(nil) {
		if diff, ok := content.(*acp.Diff); ok {
			paths = append(paths, diff.Path)
		}
	}
	for _, location := range u.Locations.Or(nil) {
		paths = append(paths, location.Path)
	}
	for _, name := range paths {
		name = fromURI(name)
		if isAddress(name) {
			c.Unclear = "names a file by an address: " + name
			return
		}
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			name = c.home() + "/" + rest
		}
		if name = absolute(c.dir(), name); name != "" && !slices.Contains(c.Paths, name) {
			c.Paths = append(c.Paths, name)
		}
	}
	if len(c.Paths) == 0 && !looksAround(c.Tool) {
		c.Unclear = "names no file"
	}
}
