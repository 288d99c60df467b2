package process

import "os/exec"

// StartGuarded is Start: the system closes our job objects when we end, however we end, and with them the families.
func StartGuarded(cmd *exec.Cmd) (*Family, error) { return Start(cmd) }
