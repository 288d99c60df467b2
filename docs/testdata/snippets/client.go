package snippets

import (
	"context"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

var (
	ctx     context.Context
	dir     string
	session *client.Session
)

type handler struct{}

func (handler) Update(context.Context, *client.Session, acp.SessionUpdate) {}

func (handler) RequestPermission(context.Context, *client.Session, *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	return nil, nil
}
