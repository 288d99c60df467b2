package main

import (
	"context"
	"slices"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/policy"
)

// A consent is a yes of the user's to a question of the agent's, as the question was then: what an agent says of its call later
// changes nothing about what was allowed. What the policy itself has allowed is none, since it is asked anew, and may have
// learned otherwise.
type consent struct {
	asked *acp.RequestPermissionRequest
	wants policy.Call
	diffs []*acp.Diff
	done  []string // what was done of it: each thing is allowed once
}

// maxConsents bounds how many are remembered: the newest.
const maxConsents = 256

// consents are those of a run. Run.mu guards them.
type consents []*consent

func (all *consents) add(c *consent) {
	if len(*all) == maxConsents {
		*all = (*all)[1:]
	}
	*all = append(*all, c)
}

// take reports whether an open call that the user has allowed is about this, and uses that up. Reading is allowed as often as
// it is done. The calls that are open are those of the client; same says whether a write is the change that was shown.
func (all consents) take(open []*acp.RequestPermissionRequest, wants *policy.Call, same func([]*acp.Diff) bool) bool {
	what := string(wants.Operation()) + " " + wants.Resource()
	for _, c := range all {
		if !slices.Contains(open, c.asked) || !wants.Within(c.wants) || slices.Contains(c.done, what) || !same(c.diffs) {
			continue
		}
		if wants.Operation() != policy.OperationFileRead {
			c.done = append(c.done, what)
		}
		return true
	}
	return false
}

// consented is take for what an agent does.
func (r *run) consented(ctx context.Context, s *client.Session, a *client.Access, wants *policy.Call) bool {
	var before *string
	if a.Write != nil {
		before = r.textOf(ctx, s, a.Write.Path)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.consents.take(a.Allowed, wants, func(diffs []*acp.Diff) bool { return a.Write == nil || changesSo(diffs, before, a.Write) })
}

// textOf returns what is in a file; nil if there is none that can be read.
func (r *run) textOf(ctx context.Context, s *client.Session, path string) *string {
	resp, err := r.files.ReadTextFile(ctx, s, &acp.ReadTextFileRequest{SessionID: s.ID(), Path: path})
	if err != nil {
		return nil
	}
	return &resp.Content
}

// changesSo reports whether writing a file does what was shown of it: a diff has all of the file, or the pieces that change, once
// or wherever they are. Where nothing was shown, the user has allowed the file.
func changesSo(diffs []*acp.Diff, before *string, w *acp.WriteTextFileRequest) bool {
	diffs = slices.DeleteFunc(slices.Clone(diffs), func(d *acp.Diff) bool { return d.Path != w.Path })
	if len(diffs) == 0 {
		return true
	}
	content := lines(w.Content)
	if slices.ContainsFunc(diffs, func(d *acp.Diff) bool { return lines(d.NewText) == content }) {
		return true
	}
	if before == nil {
		return false
	}
	for _, times := range []int{1, -1} {
		text := lines(*before)
		for _, d := range diffs {
			if d.OldText == nil || *d.OldText == "" {
				return false
			}
			text = strings.Replace(text, lines(*d.OldText), lines(d.NewText), times)
		}
		if text == content {
			return true
		}
	}
	return false
}

// lines is a text without what agents change on the way: the ends of lines, and that of the last.
func lines(text string) string {
	return strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
}
