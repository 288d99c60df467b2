package client

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// A task is what a tool call says of the subagent that it started. What it has said once counts until it says something
// else: agents repeat the input in some updates and leave it out of others.
type task struct {
	call acp.ToolCallID
	said Subagent

	// Where the id of the child session came from. What people read counts least, since a model may have quoted another
	// subagent there.
	inMetadata, inOutput, inText acp.SessionID

	input, output acp.Raw // what was read last
}

func startsSubagent(c *ToolCall) bool {
	if _, ok := c.Unknown["subagent_type"]; ok {
		return true
	}
	return bytes.Contains(c.RawInput, []byte("subagent_type")) && stringIn(c.RawInput, "subagent_type") != ""
}

// read takes what the call says by now.
func (k *task) read(c *ToolCall) {
	b := &k.said
	b.Parent = or(c.Parent, b.Parent)
	b.Status = further(b.Status, c.Status)
	if !sameRaw(k.input, c.RawInput) || len(c.Unknown) > 0 {
		k.input = c.RawInput
		b.Type = c.said("subagent_type", b.Type)
		b.Description = c.said("description", b.Description)
		b.Prompt = c.said("prompt", b.Prompt)
		b.Continues = c.said("session_id", b.Continues)
		b.Command = c.said("command", b.Command)
	}
	if !sameRaw(k.output, c.RawOutput) {
		k.output = c.RawOutput
		k.inOutput = or(acp.SessionID(sessionInText(stringIn(c.RawOutput, "output"))), k.inOutput)
	}
	if c.Status.Final() {
		b.Failure = or(c.Failure(), b.Failure)
		k.inText = or(acp.SessionID(sessionInText(c.Text())), k.inText)
	}
	for _, raw := range []acp.Raw{c.Meta["sessionId"], c.Meta["patchbay.dev/subagent"], c.Unknown["metadata"], member(c.RawOutput, "metadata")} {
		k.readMetadata(raw)
	}
}

// session returns the id of the child session, empty as long as it is not known.
func (k *task) session() acp.SessionID {
	return or(k.inMetadata, or(k.inOutput, or(k.inText, acp.SessionID(k.said.Continues))))
}

func (k *task) subagent() Subagent {
	b := k.said
	b.Call, b.SessionID = k.call, k.session()
	return b
}

// further returns the status that is nearer to the end, or else the later one: the end of a subagent is an end, whatever
// arrives after it.
func further(before, now acp.ToolCallStatus) acp.ToolCallStatus {
	if before.Final() && !now.Final() || now == acp.ToolCallStatusPending && before != "" {
		return before
	}
	return now
}

// said returns a string from the input of a call or from beside it.
func (c *ToolCall) said(name, otherwise string) string {
	return cutText(or(stringIn(c.RawInput, name), or(asString(c.Unknown[name]), otherwise)))
}

// readMetadata takes the object that says how the subagent did, or the bare id of its session.
func (k *task) readMetadata(raw acp.Raw) {
	b := &k.said
	k.inMetadata = or(acp.SessionID(or(asString(raw), stringIn(raw, "sessionId"))), k.inMetadata)
	if model := stringIn(raw, "model", "modelID"); model != "" {
		b.Model = strings.TrimPrefix(stringIn(raw, "model", "providerID")+"/"+model, "/")
	}
	if member(raw, "truncated").Kind() == 't' {
		b.Truncated = true
	}
	if summary := member(raw, "summary"); summary.Kind() == '[' {
		tools, cut := toolsIn(summary)
		b.Tools, b.Truncated = tools, b.Truncated || cut
	}
}

// toolsIn returns the last tools of a summary, and whether there were more.
func toolsIn(summary acp.Raw) (tools []SubagentTool, cut bool) {
	tools = []SubagentTool{}
	for c := rawjson.Walk(summary); c.Next(); {
		if len(tools) == 2*maxSubagentTools {
			tools, cut = append(tools[:0], tools[maxSubagentTools:]...), true
		}
		tools = append(tools, SubagentTool{
			ID:     stringIn(c.Value(), "id"),
			Tool:   stringIn(c.Value(), "tool"),
			Status: stringIn(c.Value(), "state", "status"),
			Title:  stringIn(c.Value(), "state", "title"),
		})
	}
	if more := len(tools) - maxSubagentTools; more > 0 {
		tools, cut = tools[more:], true
	}
	return tools, cut
}

// sessionInText returns the id of the child session that the output of a task ends with:
//
//	<task_metadata>
//	session_id: ses_401a7c450ffe
//	</task_metadata>
func sessionInText(text string) string {
	i := strings.LastIndex(text, "<task_metadata>") // a subagent may have quoted its own subagent before
	if i < 0 {
		return ""
	}
	text, _, _ = strings.Cut(text[i:], "</task_metadata>")
	_, id, _ := strings.Cut(text, "session_id:")
	if fields := strings.Fields(id); len(fields) > 0 {
		return fields[0]
	}
	return ""
}

// readTitle takes the description and the type from a title such as "Read go.mod (@explore subagent)".
func (b *Subagent) readTitle() {
	rest, ok := strings.CutSuffix(b.Title, " subagent)")
	i := strings.LastIndex(rest, "(@")
	if !ok || i < 0 || strings.ContainsAny(rest[i:], " )") {
		return
	}
	b.Description = or(b.Description, strings.TrimSpace(rest[:i]))
	b.Type = or(b.Type, rest[i+len("(@"):])
}

// sameRaw reports whether two values are the same bytes in memory, so that there is nothing new to read.
func sameRaw(a, b acp.Raw) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// cutText bounds a text, without cutting a character in two.
func cutText(text string) string {
	if len(text) <= maxSubagentText {
		return text
	}
	end := maxSubagentText
	for end > maxSubagentText-utf8.UTFMax && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
