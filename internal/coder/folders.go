package coder

import (
	"errors"
	"io/fs"
	"os"

	"github.com/patchbay-dev/patchbay/acp"
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
