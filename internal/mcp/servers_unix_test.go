//go:build unix

package mcp_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

func init() {
	otherKinds["stubborn"] = serveStubborn
	otherKinds["ignore"] = func([]string) {
		signal.Ignore(syscall.SIGTERM)
		select {}
	}
}

// serveStubborn ends neither with its input nor with SIGTERM. Its child doesn't either, and has left the process group.
func serveStubborn(args []string) {
	signal.Ignore(syscall.SIGTERM)
	child := exec.Command(os.Args[0], serveArgument, "ignore")
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := child.Start(); err != nil {
		panic(err)
	}
	if err := os.WriteFile(args[0], fmt.Appendf(nil, "%d %d", os.Getpid(), child.Process.Pid), 0o600); err != nil {
		panic(err)
	}
	_ = serveFull(nil)
	select {}
}
