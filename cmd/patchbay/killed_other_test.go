//go:build !linux

package main

import "testing"

func testKilledLeavesNothing(t *testing.T, _ string) {
	t.Skip("processes are found by their environment, on Linux")
}
