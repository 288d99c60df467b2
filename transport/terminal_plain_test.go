//go:build unix && !linux

package transport_test

import (
	"os"
	"testing"
)

// openTerminal is only written for Linux.
func openTerminal(t *testing.T) (program, user *os.File) {
	t.Skip("needs the pseudo-terminals of Linux")
	return nil, nil
}
