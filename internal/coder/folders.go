package coder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

// checkFolders refuses a session whose folders are not there: every tool would fail in it. The first is the working
// directory. A session whose folder was deleted can be loaded with another one (F69). That the paths are absolute has been
// seen to.
//
// Spec: session-setup#working-directory.
func checkFolders(roots []string) error {
	for i, root := range roots {
		problem := folderProblem(root)
		switch {
		case problem == "":
		case i == 0:
			return acp.ErrInvalidParams("cwd is %q, which %s", root, problem)
		default:
			return acp.ErrInvalidParams("additionalDirectories[%d] is %q, which %s", i-1, root, problem)
		}
	}
	return nil
}

// tellMove warns the user of a session that goes on elsewhere because its folder is not there any more: what was said of files
// in it holds no longer (F69).
func tellMove(ctx context.Context, s *agent.Session, before string) error {
	problem := folderProblem(before)
	if before == s.CWD() || problem == "" {
		return nil
	}
	return s.Notice(ctx, acp.Notice{
		Severity: acp.NoticeSeverityWarning, Title: "The session goes on in another folder",
		Description: fmt.Sprintf("It worked in %s, which %s. It works in %s now.", before, problem, s.CWD()),
	})
}

// folderProblem says what is wrong with a folder, after "which"; nothing if it is one.
func folderProblem(path string) string {
	info, err := os.Stat(path)
	var why *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "does not exist"
	case errors.As(err, &why):
		return "can't be used: " + why.Err.Error()
	case err != nil:
		return "can't be used: " + err.Error()
	case !info.IsDir():
		return "is no folder"
	}
	return ""
}
