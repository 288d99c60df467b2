package coder

import (
	"context"
	"errors"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// An env is where the tools of one call work: the client's file system and terminals, so that an editor's unsaved text
// counts and its views stay fresh (F158), or else those of this machine. There is no method to list or search folders, so
// that is always done here.
type env struct {
	*tool.Local
	turn *agent.Turn
	call *agent.ToolCall
}

func (e *env) client() acp.ClientCapabilities {
	return e.turn.Session().Conn().ClientCapabilities()
}

// ReadFile asks the client for the text, if it serves files.
func (e *env) ReadFile(ctx context.Context, path tool.Path) (string, error) {
	if !e.client().FS.ReadTextFile {
		return e.Local.ReadFile(ctx, path)
	}
	text, err := e.turn.ReadTextFile(ctx, path.Abs, 0, 0)
	if err == nil {
		return text, nil
	}
	// Clients tell a missing file by any code they like, so the disk is asked whether it is one.
	if sent := (*acp.Error)(nil); errors.As(err, &sent) && (sent.Code == acp.CodeResourceNotFound || !e.Exists(path)) {
		return "", tool.ErrNotExist
	}
	return "", err
}

// WriteFile has the client write the text, if it serves files.
func (e *env) WriteFile(ctx context.Context, path tool.Path, text string) error {
	if !e.client().FS.WriteTextFile {
		return e.Local.WriteFile(ctx, path, text)
	}
	return e.turn.WriteTextFile(ctx, path.Abs, text)
}

// Plan shows a plan to the client.
func (e *env) Plan(entries []acp.PlanEntry) error { return e.turn.Plan(entries...) }

// Run runs a command line in a terminal of the client's, if it has any, which shows the output while it comes.
func (e *env) Run(ctx context.Context, line string) (*tool.Output, error) {
	if !e.client().Terminal {
		return e.Local.Run(ctx, line)
	}
	shell, args := tool.Shell(line)
	limit := uint64(tool.MaxOutput)
	t, err := e.turn.CreateTerminal(ctx, acp.CreateTerminalRequest{
		Command: shell, Args: args, CWD: e.turn.Session().Cwd(), OutputByteLimit: &limit,
	})
	if err != nil {
		return nil, err
	}
	defer release(ctx, t)
	if err := e.call.Terminal(t); err != nil { // before it is released, or it will not be shown
		return nil, err
	}
	status, err := t.Wait(ctx)
	if err != nil {
		return nil, err
	}
	out, err := t.Output(ctx)
	if err != nil {
		return nil, err
	}
	result := &tool.Output{Text: out.Output, Truncated: out.Truncated, Signal: status.Signal, Shown: true}
	if status.ExitCode != nil {
		code := int(*status.ExitCode)
		result.ExitCode = &code
	}
	return result, nil
}

// release frees a terminal, also when the turn has been cancelled, but waits no longer than a client may reasonably take
// (F44).
func release(ctx context.Context, t *agent.Terminal) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer stop()
	_ = t.Release(ctx) // the command is done with; nothing is lost but memory of the client's
}
