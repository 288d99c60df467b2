package client

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"syscall"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/confine"
)

// DefaultMaxReadBytes is how much text one read of Files returns where Files.MaxBytes does not say, in bytes.
const DefaultMaxReadBytes = 16 << 20

// Files is the file system of this computer, for Options.Files or for a Handler to embed. What an agent can reach is
// confined to the roots of the session that asks. The zero value is ready to use; its fields must not change afterwards.
//
// Real paths are compared, so that no link leads out of the roots, and files are opened in a way that a link which is put
// in their place meanwhile does not matter (F154). Only regular files are read and written: a pipe or a device is refused
// at once. A path may be relative, against the protocol, and then starts at the session's working directory.
//
// The agent is told what is wrong: -32602 for a path outside the roots, for what is not a regular file, not UTF-8, or too
// long; -32002 for what does not exist; -32603 for what the system refuses.
//
// Spec: file-system.
type Files struct {
	// Exceptions are absolute paths of further files, or of folders with what is below them, that every session may
	// read and write although they are outside of its roots.
	Exceptions []string

	// MaxBytes is how much text one read returns at most, in bytes. More is an error, which says that line and limit
	// help. Zero means DefaultMaxReadBytes. In a message the text may take up to six times as much.
	MaxBytes int64

	// MissingIsEmpty has a read of a file that does not exist answered with an empty text rather than with -32002. Some
	// agents ask for a file before they make it, and fail on any error.
	MissingIsEmpty bool
}

// ReadTextFile reads lines of a file. Its bytes stay as they are: line ends, a byte order mark, a last line without an end
// (F152). A line ends with a line feed; lines beyond the end are an empty text, as is a limit of 0. A file that is not
// UTF-8 is refused, since a message can't hold its bytes; only the lines that are asked for are looked at.
func (f *Files) ReadTextFile(ctx context.Context, s *Session, req *acp.ReadTextFileRequest) (*acp.ReadTextFileResponse, error) {
	return f.read(ctx, f.space(s.CWD(), s.Roots()), req)
}

// WriteTextFile makes a file, and the folders above it, or replaces what it holds, byte for byte. The file is written
// whole or not at all and keeps its permissions (F156); where it is reached by a link, the link stays. Where its folder
// can't be written it is written in place.
func (f *Files) WriteTextFile(ctx context.Context, s *Session, req *acp.WriteTextFileRequest) (*acp.WriteTextFileResponse, error) {
	return f.write(ctx, f.space(s.CWD(), s.Roots()), req)
}

func (f *Files) space(cwd string, roots []string) confine.Space {
	return confine.Space{Cwd: cwd, Roots: roots, Exceptions: f.Exceptions}
}

func (f *Files) read(ctx context.Context, space confine.Space, req *acp.ReadTextFileRequest) (*acp.ReadTextFileResponse, error) {
	lines, err := linesOf(req)
	if err != nil {
		return nil, err
	}
	place, err := space.Resolve(req.Path)
	if err != nil {
		return nil, fileError(req.Path, err)
	}
	file, _, err := place.Open()
	if errors.Is(err, fs.ErrNotExist) && f.MissingIsEmpty {
		return &acp.ReadTextFileResponse{}, nil
	}
	if err != nil {
		return nil, fileError(req.Path, err)
	}
	defer file.Close()
	if req.Limit != nil && *req.Limit == 0 {
		return &acp.ReadTextFileResponse{}, nil
	}
	text, err := confine.ReadText(ctx, file, lines, f.maxBytes())
	if err != nil {
		return nil, fileError(req.Path, err)
	}
	return &acp.ReadTextFileResponse{Content: text}, nil
}

func (f *Files) maxBytes() int {
	if f.MaxBytes <= 0 {
		return DefaultMaxReadBytes
	}
	return int(min(f.MaxBytes, math.MaxInt))
}

// linesOf reads which lines are meant.
func linesOf(req *acp.ReadTextFileRequest) (confine.Lines, error) {
	lines := confine.Lines{From: 1}
	if req.Line != nil {
		if *req.Line == 0 {
			return lines, acp.ErrInvalidParams("read %s: line is 1-based, and can't be 0", req.Path)
		}
		lines.From = int(min(int64(*req.Line), math.MaxInt))
	}
	if req.Limit != nil {
		lines.Count = int(min(int64(*req.Limit), math.MaxInt))
	}
	return lines, nil
}

func (f *Files) write(ctx context.Context, space confine.Space, req *acp.WriteTextFileRequest) (*acp.WriteTextFileResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	place, err := space.Resolve(req.Path)
	if err != nil {
		return nil, fileError(req.Path, err)
	}
	if err := place.WriteFile([]byte(req.Content)); err != nil {
		return nil, fileError(req.Path, err)
	}
	return &acp.WriteTextFileResponse{}, nil
}

// fileError makes the error that the agent gets.
func fileError(path string, err error) error {
	var outside *confine.OutsideError
	var notRegular *confine.NotRegularError
	var tooLong *confine.TooLongError
	var notText *confine.NotTextError
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return acp.ErrResourceNotFound(path)
	case errors.As(err, &outside), errors.As(err, &notRegular), errors.Is(err, confine.ErrBadPath):
		return acp.ErrInvalidParams("%v", err)
	case errors.As(err, &tooLong), errors.As(err, &notText):
		return acp.ErrInvalidParams("%s: %v", path, err)
	case errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENAMETOOLONG):
		return acp.ErrInvalidParams("%v", err)
	default:
		return acp.ErrInternal("%v", err)
	}
}
