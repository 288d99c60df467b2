//go:build unix && !linux

package process

import "os/exec"

// markFamily does nothing: there is no way to look at the environment of other processes that every system has, so a
// descendant that has left the group can't be found.
func markFamily(*exec.Cmd) string { return "" }

// AwaitDeath waits for the leader and reaps it: there is no way to wait without that works on every system. Its number
// is not given away while members of its group live; if there are none, the few steps from here to the kill are fewer
// than the system needs to come round to the same number.
func (f *Family) AwaitDeath() { _ = f.cmd.Wait() }

// Finish kills what is left of the family when its leader is dead.
func (f *Family) Finish() {
	f.Kill()
	f.dismissGuard()
}
