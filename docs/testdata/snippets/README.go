package snippets

import (
	"context"
	"io"

	"github.com/patchbay-dev/patchbay/client"
)

var (
	ctx     context.Context
	file    io.WriteCloser
	allowed []string
	policy  client.Handler
	session *client.Session
	task    string
)
