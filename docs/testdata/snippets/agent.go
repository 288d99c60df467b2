package snippets

import (
	"context"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

var (
	ctx  context.Context
	t    *agent.Turn
	task acp.Raw
)

type Store struct{}

type conversation struct{}

func newConversation(cwd string, servers []acp.MCPServer) *conversation { return nil }

func scout(ctx context.Context, t *agent.Turn) (acp.StopReason, error) { return "", nil }
