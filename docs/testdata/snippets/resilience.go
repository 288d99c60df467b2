package snippets

import (
	"context"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/transport"
)

var (
	ctx     context.Context
	dir     string
	err     error
	command transport.Command
	session *client.Session
)

func show(client.SupervisorEvent) {}

type handler struct{}

func (handler) Update(context.Context, *client.Session, acp.SessionUpdate) {}

func (handler) RequestPermission(context.Context, *client.Session, *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	return nil, nil
}
