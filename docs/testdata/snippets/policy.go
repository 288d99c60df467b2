package snippets

import (
	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/policy"
)

var (
	path, cwd string
	rules     []policy.Rule
	request   acp.RequestPermissionRequest
	deny      error
)
