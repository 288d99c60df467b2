package coder_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// The library for Gemini brings a package that starts a goroutine for good when it is imported.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == serveArgument {
		serveMCP(os.Args[2], os.Args[3:])
		return
	}
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"))
}
