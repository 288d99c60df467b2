//go:build unix

package coder_test

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// alive reports whether a process runs. One that nobody has reaped does not.
func alive(pid string) bool {
	if stat, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil {
		_, state, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(state, "Z")
	}
	n, err := strconv.Atoi(pid)
	return err == nil && unix.Kill(n, 0) == nil
}
