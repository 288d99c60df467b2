package snippets

import (
	"context"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/policy"
)

var (
	ctx    context.Context
	dir    string
	c      *client.Client
	s      *client.Session
	prompt []acp.ContentBlock
	result *client.Result
	err    error
)

type handler struct{ policy policy.Policy }

func (*handler) Update(context.Context, *client.Session, acp.SessionUpdate) {}

func (*handler) RequestPermission(context.Context, *client.Session, *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	return nil, nil
}
