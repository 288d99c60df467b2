package gemini_test

import (
	"testing"

	"go.uber.org/goleak"
)

// The library brings a package that starts a goroutine for good when it is imported.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("go.opencensus.io/stats/view.(*worker).start"))
}
