package coder

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// An env is where the tools of one call work: the client's file system and terminals, so that an editor's unsaved text
// counts and its views stay fresh (F158), or else those of this machine. There is no method to list or search folders, so
// that is always done here.
type env struct {
	*tool.Local
	coder   *Coder
	session *session
	turn    *agent.Turn
	call    *agent.ToolCall
	remote  bool // the call has a terminal of the client's
	asked   bool // the user has allowed the call, which a rule has them asked about

	exchange *exchange
}

// newLocal returns where the tools of a session work on this machine. Commands there don't get the keys of providers (F175).
func newLocal(s *agent.Session, cfg *config.Config) *tool.Local {
	local := tool.NewLocal(s.CWD(), s.Roots())
	local.Withhold = cfg.Withhold()
	return local
}

func (e *env) client() acp.ClientCapabilities {
	return e.turn.Session().Conn().ClientCapabilities()
}

// ReadFile asks the client for the text, if it serves files. What is not UTF-8 comes from the disk, since a client would
// have to leave bytes out or to refuse (F152).
func (e *env) ReadFile(ctx context.Context, path tool.Path) (string, error) {
	if !e.client().FS.ReadTextFile {
		return e.Local.ReadFile(ctx, path)
	}
	if err := e.Check(path); err != nil {
		return "", err // a client might send it all, or wait at a pipe
	}
	text, err := e.readByClient(ctx, path)
	if err == nil {
		err = tool.CheckSize(int64(len(text)))
	}
	if err == nil && !strings.ContainsRune(text, utf8.RuneError) {
		return text, nil
	}
	if content, odd := e.notUTF8(ctx, path); odd {
		return content, nil
	}
	if err == nil {
		return text, nil
	}
	// Clients tell a missing file by any code they like, so the disk is asked whether it is one.
	if sent := (*acp.Error)(nil); errors.As(err, &sent) && (sent.Code == acp.CodeResourceNotFound || !e.Exists(path)) {
		return "", tool.ErrNotExist
	}
	return "", err
}

// clientReads is how long a client may take to read a file: one that doesn't answer what it doesn't know would hold the
// turn up for ever (F54). Writing has no such limit, since some clients ask their users first.
const clientReads = time.Minute

func (e *env) readByClient(ctx context.Context, path tool.Path) (string, error) {
	timed, stop := context.WithTimeout(ctx, clientReads)
	defer stop()
	text, err := e.turn.ReadTextFile(timed, path.Abs, 0, 0)
	if err != nil && timed.Err() != nil && ctx.Err() == nil {
		return "", fmt.Errorf("the client has not read it within %s", clientReads)
	}
	return text, err
}

// WriteFile has the client write the text, if it serves files and the file is one that it can serve.
func (e *env) WriteFile(ctx context.Context, path tool.Path, text string) error {
	if !e.client().FS.WriteTextFile {
		return e.Local.WriteFile(ctx, path, text)
	}
	if err := e.Check(path); err != nil {
		return err
	}
	if _, odd := e.notUTF8(ctx, path); odd {
		return e.Local.WriteFile(ctx, path, text)
	}
	_ = e.MakeFolder(path) // not every client makes what is missing; if there is something wrong, it will say so
	return e.turn.WriteTextFile(ctx, path.Abs, text)
}

// notUTF8 returns what a file on the disk holds if it is not UTF-8.
func (e *env) notUTF8(ctx context.Context, path tool.Path) (content string, odd bool) {
	content, err := e.Local.ReadFile(ctx, path)
	return content, err == nil && !utf8.ValidString(content)
}
