// Package sandbox bounds what a child process, and all that it starts, may touch. The kernel enforces it: Landlock for files,
// TCP, signals and abstract sockets, a seccomp filter for all other ways to talk to someone. No privileges are needed.
//
//	if s := sandbox.Supported(); !s.OK {
//		return fmt.Errorf("no sandbox: %s", s.Reason)
//	}
//	temp, err := sandbox.MakeTemp() // once for a session
//	...
//	defer sandbox.RemoveTemp(temp)
//	policy := sandbox.Workspace(temp, "/home/ann/project")
//
//	cmd := exec.Command("sh", "-c", "go test ./...")
//	cmd.Dir = "/home/ann/project"
//	if err := policy.Wrap(cmd); err != nil {
//		return err // it never runs without its sandbox
//	}
//	err = cmd.Run()
//
// A [Policy] lists what may be read and what may be written; everything else is refused. [ReadOnly] and [Workspace] make the
// usual ones: with the system's programs and libraries, the toolchains in the home folder, and the roots of a session, but
// without the rest of the home folder, where the keys are.
//
// # How it works
//
// Landlock binds the thread that asks for it for good, so a child has to bind itself. [Policy.Wrap] has the command start
// this very program again, which binds itself and then becomes the program that was meant (see [execve(2)]): process number,
// group, signals, descriptors and exit status are the program's. The init function of this package does that, so that any
// program which links it can start sandboxed children, a test too. If something about the sandbox fails, the child says why
// on standard error and exits with status 126 ([ExitFailed]); the program is not started.
//
// # What is not held
//
// docs/sandbox.md has the list. The most important: names, sizes and times of all files can be seen; owners, modes and times
// of files can be changed where a policy writes at all; the command lines of other processes can be read; and a root that
// holds keys gives them away.
//
// [execve(2)]: https://man7.org/linux/man-pages/man2/execve.2.html
package sandbox
