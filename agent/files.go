package agent

import (
	"context"
	"fmt"
	"math"

	"github.com/patchbay-dev/patchbay/acp"
)

// ReadTextFile reads a file through the client, with what the user has not saved yet. Line is the first line to read,
// counted from 1, and limit the most lines; 0 means from the start, and all. A relative path is meant from the session's
// working directory. A client without the capability is an *acp.UnsupportedError.
//
// Spec: file-system#reading-files.
func (t *Turn) ReadTextFile(ctx context.Context, path string, line, limit int) (string, error) {
	return readTextFile(ctx, t.call, t.session, path, line, limit)
}

// ReadTextFile is like Turn.ReadTextFile, and does not end with a turn.
func (s *Session) ReadTextFile(ctx context.Context, path string, line, limit int) (string, error) {
	return readTextFile(ctx, s.call, s, path, line, limit)
}

// WriteTextFile writes a file through the client, as a whole. A relative path is meant from the session's working
// directory. A client without the capability is an *acp.UnsupportedError.
//
// Spec: file-system#writing-files.
func (t *Turn) WriteTextFile(ctx context.Context, path, content string) error {
	return writeTextFile(ctx, t.call, t.session, path, content)
}

// WriteTextFile is like Turn.WriteTextFile, and does not end with a turn.
func (s *Session) WriteTextFile(ctx context.Context, path, content string) error {
	return writeTextFile(ctx, s.call, s, path, content)
}

// A caller is Turn.call or Session.call.
type caller func(ctx context.Context, method string, params, result any) error

func readTextFile(ctx context.Context, call caller, s *Session, path string, line, limit int) (string, error) {
	req := &acp.ReadTextFileRequest{SessionID: s.address(), Path: s.resolve(path)}
	var err error
	if req.Line, err = count("line", line); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	if req.Limit, err = count("limit", limit); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	var answer acp.ReadTextFileResponse
	if err := call(ctx, acp.MethodFSReadTextFile, req, &answer); err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return answer.Content, nil
}

func writeTextFile(ctx context.Context, call caller, s *Session, path, content string) error {
	var answer acp.WriteTextFileResponse
	req := &acp.WriteTextFileRequest{SessionID: s.address(), Path: s.resolve(path), Content: content}
	if err := call(ctx, acp.MethodFSWriteTextFile, req, &answer); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// count turns a number of lines into what the protocol wants; 0 is absent.
func count(what string, n int) (*uint32, error) {
	switch {
	case n == 0:
		return nil, nil
	case n < 0 || n > math.MaxUint32:
		return nil, fmt.Errorf("%s is %d, want at least 1, or 0 for none", what, n)
	}
	lines := uint32(n)
	return &lines, nil
}
