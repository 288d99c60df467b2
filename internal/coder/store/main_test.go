package store_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// children are what this test binary does when a test runs it as another process, by name.
var children = map[string]func(dir string) error{}

// The variables that make a child of the test binary.
const (
	childName = "PATCHBAY_STORE_CHILD"
	childDir  = "PATCHBAY_STORE_DIR"
)

func TestMain(m *testing.M) {
	if name := os.Getenv(childName); name != "" {
		if err := children[name](os.Getenv(childDir)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
