package coder

import (
	"context"
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/tool"
)

// permit asks the user whether a call may be carried out, unless that is decided for the session. It returns errRejected if
// not, and agent.ErrCancelled if the user cancelled instead of answering.
func (x *exchange) permit(ctx context.Context, w *work) error {
	covered := w.covers()
	if allowed, decided := x.session.decision(covered); decided {
		if !allowed {
			return fmt.Errorf("%w: %s is rejected for this session", errRejected, covered)
		}
		return nil
	}
	answer, err := x.turn.RequestPermission(ctx, w.shown, permissionOptions(covered)...)
	switch {
	case err != nil:
		return err
	case answer.Kind == acp.PermissionOptionKindAllowAlways:
		x.session.decide(covered, true)
		err = x.session.keepGrants()
	case answer.Kind == acp.PermissionOptionKindRejectAlways:
		x.session.decide(covered, false)
		err = x.session.keepGrants()
	}
	if err != nil {
		return err
	}
	if !answer.Kind.Allows() {
		return errRejected
	}
	return nil
}

// covers says what an "always" of the user's covers: the tool, or a part of what it does (F59).
func (w *work) covers() string {
	if w.job.Scope == "" {
		return w.tool.Name
	}
	return w.tool.Name + " `" + w.job.Scope + "`"
}

// maxCovered is how much an answer's name says of what it covers, in bytes. The call is shown beside it.
const maxCovered = 120

// permissionOptions are the answers to choose from. Those that last say what they last for (F59).
func permissionOptions(covered string) []acp.PermissionOption {
	options := acp.PermissionOptions(acp.PermissionOptionKindAllowOnce, acp.PermissionOptionKindAllowAlways,
		acp.PermissionOptionKindRejectOnce, acp.PermissionOptionKindRejectAlways)
	for i := range options {
		switch options[i].Kind {
		case acp.PermissionOptionKindAllowAlways, acp.PermissionOptionKindRejectAlways:
			options[i].Name += fmt.Sprintf(" %s in this session", tool.OneLine(covered, maxCovered))
		}
	}
	return options
}
