package coder

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/mcp"
	"github.com/patchbay-dev/patchbay/internal/tool"
	"github.com/patchbay-dev/patchbay/policy"
)

// serverTool returns the tool of an MCP server that has a name, made for one call, or nil if there is none.
//
// A policy knows it by its names alone, whatever the server says about it, and so is its kind nobody's claim: there are clients
// that allow what reads by themselves (S001.21).
func (e *env) serverTool(name string) *tool.Tool {
	servers := e.session.theServers()
	if servers == nil {
		return nil
	}
	tools := servers.set.Tools()
	i := slices.IndexFunc(tools, func(t *mcp.Tool) bool { return t.Name == name })
	if i < 0 {
		return nil
	}
	t := tools[i]
	var wants policy.Call
	wants.Server, wants.ServerTool, _ = strings.Cut(strings.TrimPrefix(t.Name, serverPrefix), "__")
	return tool.Foreign(tool.Tool{
		Name: t.Name, Description: t.Description, Schema: t.Schema, Kind: acp.ToolKindOther,
	}, tool.OneLine(t.Server+": "+t.Title, maxServerTitle), wants, func(ctx context.Context, input acp.Raw) (*tool.Result, error) {
		id := string(e.call.ID())
		defer servers.begin(id, e.turn)()
		result, err := servers.set.Call(ctx, mcp.Call{Tool: name, Input: input, ID: id, Progress: e.progress})
		if err != nil {
			return nil, err
		}
		return serverResult(result), nil
	})
}

// serverPrefix begins the names of all tools and prompts of MCP servers, and of nothing else.
const serverPrefix = "mcp__"

// maxServerTitle bounds the title of a call of an MCP server's, in bytes.
const maxServerTitle = 300

// progress shows how far a server is. The client may be gone, which the call will find out.
func (e *env) progress(p mcp.Progress) {
	text := tool.Visible(p.Message)
	switch {
	case p.Total > 0:
		text = strings.TrimSpace(fmt.Sprintf("%s (%g of %g)", text, p.Done, p.Total))
	case text == "":
		text = fmt.Sprintf("(%g)", p.Done)
	}
	_ = e.call.SetText(text)
}

// serverResult is what came of a call. Its text is never empty, nor is what people see.
func serverResult(r *mcp.Result) *tool.Result {
	result := &tool.Result{Text: r.Text, Images: r.Images, Failed: r.Failed}
	for _, block := range r.Blocks {
		result.Content = append(result.Content, acp.ToolContent(block))
	}
	if result.Content == nil {
		result.Content = []acp.ToolCallContent{acp.ToolContent(acp.Text(r.Text))}
	}
	return result
}

// noticeOf says what a user has to know about a server's state.
func noticeOf(s mcp.Status) (notice acp.Notice, ok bool) {
	name := fmt.Sprintf("%q", tool.OneLine(s.Server, maxServerTitle))
	notice = acp.Notice{Severity: acp.NoticeSeverityWarning, Description: tool.Visible(s.Reason)}
	switch {
	case s.State == mcp.StateFailed:
		notice.Title = "The MCP server " + name + " can't be used"
		notice.Description = cmp.Or(notice.Description, "It doesn't say why.") + "\nThe session goes on without it."
	case s.State == mcp.StateRestarting:
		notice.Title = "The MCP server " + name + " is started once more"
	case s.State == mcp.StateReady && len(s.Warnings) > 0:
		notice.Severity, notice.Title = acp.NoticeSeverityInfo, "The MCP server "+name+" works, but"
		notice.Description = tool.Visible(strings.Join(s.Warnings, "\n"))
	default:
		return acp.Notice{}, false
	}
	return notice, true
}
