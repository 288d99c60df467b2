package sandbox_test

import (
	"fmt"
	"os/exec"

	"github.com/patchbay-dev/patchbay/internal/sandbox"
)

// A command that may change a project, and reaches nobody.
func Example() {
	if s := sandbox.Supported(); !s.OK {
		fmt.Println("no sandbox:", s.Reason)
		return
	}
	temp, err := sandbox.MakeTemp() // once for a session
	if err != nil {
		fmt.Println(err)
		return
	}
	defer sandbox.RemoveTemp(temp)
	policy := sandbox.Workspace(temp, "/home/ann/project")

	cmd := exec.Command("sh", "-c", "go test ./...")
	cmd.Dir = "/home/ann/project"
	if err := policy.Wrap(cmd); err != nil {
		fmt.Println(err) // it never runs without its sandbox
		return
	}
	out, err := cmd.CombinedOutput()
	fmt.Printf("%s%v\n", out, err)
}

// A whole agent keeps its own settings, and the network for its model, but changes only the project.
func ExamplePolicy_agent() {
	policy := sandbox.Workspace("/tmp/private", "/home/ann/project")
	policy.Network, policy.KeepHome = true, true
	policy.Write = append(policy.Write, "/home/ann/.agent")

	cmd := exec.Command("some-agent", "acp")
	if err := policy.Wrap(cmd); err != nil {
		fmt.Println(err)
	}
}
