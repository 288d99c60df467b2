package main

import (
	"context"
	"iter"
	"os"
	"path/filepath"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// sessionsIn returns the sessions that an agent has of a folder. Agents compare paths as text, so that one which was reached through
// a link is asked for by its real path too, and, if there are none, all sessions are looked at. Not every agent looks at the folder
// that it is asked for.
func sessionsIn(ctx context.Context, c *client.Client, req acp.ListSessionsRequest, folder string) iter.Seq2[*acp.SessionInfo, error] {
	return func(yield func(*acp.SessionInfo, error) bool) {
		found, asked := map[acp.SessionID]bool{}, map[string]bool{}
		for _, req.CWD = range []string{folder, realPath(folder), ""} {
			if asked[req.CWD] || req.CWD == "" && len(found) > 0 {
				continue
			}
			asked[req.CWD] = true
			for info, err := range listSessions(ctx, c, req) {
				if err != nil {
					yield(nil, err)
					return
				}
				if found[info.SessionID] || !sameFolder(info.CWD, folder) {
					continue
				}
				if found[info.SessionID] = true; !yield(info, nil) {
					return
				}
			}
		}
	}
}

// realPath resolves the links in a path, as far as it can.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

// sameFolder reports whether two paths lead to one folder.
func sameFolder(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	one, err := os.Stat(a)
	if err != nil || !filepath.IsAbs(a) {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
