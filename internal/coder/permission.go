package coder

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/tool"
	"github.com/patchbay-dev/patchbay/policy"
)

// errNobodyToAsk is what the model is told where the client can't ask its user: what would be asked is rejected (F52).
var errNobodyToAsk = errors.New("it was rejected and nothing was done: it needs the user's permission, and this client can't ask for it. " +
	"A rule for it in the list \"allow\" of patchbay.toml, or the option of permissions, lets it pass")

// reasonMeta is the member of _meta that says why a permission is asked for.
const reasonMeta = "patchbay.dev/reason"

// permit asks the user whether a call may be carried out. It returns errRejected if not, and agent.ErrCancelled if the user
// cancelled instead of answering. What is to last is kept as it was shown (F59).
func (x *exchange) permit(ctx context.Context, w *work) error {
	user := x.session.user()
	covered := coveredBy(user.policy(), w.wants)
	answer, err := w.env.question(ctx, w.decision.Reason, permissionOptions(covered, w.wants.Sandboxed))
	if err != nil {
		return err
	}
	if rule, lasts := covered[answer.Kind]; lasts {
		allow := answer.Kind.Allows()
		given := policy.Grant{Rule: rule, Allow: allow, Sandboxed: allow && w.wants.Sandboxed, Shown: w.job.Title}
		if err := user.grant(given); err != nil {
			return err
		}
	}
	if !answer.Kind.Allows() {
		return errRejected
	}
	return nil
}

// question asks about the call, and says why. No answer in time is a rejection: the user may have gone (F62).
func (e *env) question(ctx context.Context, why string, options []acp.PermissionOption) (*acp.PermissionOption, error) {
	limit := e.session.config.PermissionTimeout.Value
	timed, stop := within(ctx, limit)
	defer stop()
	var meta acp.Meta
	if reason, err := json.Marshal(why, jsontext.AllowInvalidUTF8(true)); err == nil {
		meta = acp.Meta{reasonMeta: reason}
	}
	answer, err := e.turn.RequestPermissionWith(timed, meta, e.call, options...)
	switch {
	case err == nil:
		return answer, nil
	case errors.Is(err, acp.ErrUnsupported):
		return nil, errNobodyToAsk
	case timed.Err() != nil && ctx.Err() == nil:
		return nil, fmt.Errorf("nobody has answered within %s, which is a rejection; nothing was done", roundly(limit))
	}
	return nil, err
}

// within returns a context that ends after a time; 0 is never.
func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, limit)
}

// covers are the rules that answers stand for which last.
type covers map[acp.PermissionOptionKind]policy.Rule

// coveredBy says what an "always" would cover. It is nothing where no rule would do, or one has the call asked about each
// time.
func coveredBy(p *policy.Policy, wants policy.Call) covers {
	c := covers{}
	if rule, ok := p.Suggest(wants); ok {
		c[acp.PermissionOptionKindAllowAlways] = rule
	}
	if rule, ok := p.SuggestReject(wants); ok {
		c[acp.PermissionOptionKindRejectAlways] = rule
	}
	return c
}

// maxCovered is how much an answer's name says of what it covers, in bytes. The call is shown beside it.
const maxCovered = 120

// permissionOptions are the answers to choose from. Those that last say what they cover (F59): a permission for a command in the
// sandbox is for the sandbox alone.
func permissionOptions(covered covers, sandboxed bool) []acp.PermissionOption {
	options := acp.PermissionOptions(acp.PermissionOptionKindAllowOnce, acp.PermissionOptionKindAllowAlways,
		acp.PermissionOptionKindRejectOnce, acp.PermissionOptionKindRejectAlways)
	var offered []acp.PermissionOption
	for _, o := range options {
		rule, lasts := covered[o.Kind]
		switch {
		case lasts && sandboxed && o.Kind.Allows():
			o.Name += fmt.Sprintf(" %s in this session's sandbox", tool.OneLine(rule.String(), maxCovered))
		case lasts:
			o.Name += fmt.Sprintf(" %s in this session", tool.OneLine(rule.String(), maxCovered))
		case o.Kind == acp.PermissionOptionKindAllowAlways, o.Kind == acp.PermissionOptionKindRejectAlways:
			continue
		}
		offered = append(offered, o)
	}
	return offered
}
