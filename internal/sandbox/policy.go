package sandbox

import "slices"

// A Policy is what a process may touch. What it does not name is refused. The zero Policy refuses so much that no program
// starts.
type Policy struct {
	// Read lists files and folders that may be read and executed, with all below them. They are absolute. What is missing
	// is left out. A file that is reached only by links which the process could change itself is left out as well.
	Read []string

	// Write lists files and folders that may be read, executed and changed, with all below them. They are absolute and
	// have to be there. If there are none, modes, owners, times and attributes can't be changed either, nowhere.
	Write []string

	// Temp is a folder that may be changed, made by MakeTemp. Programs get it as TMPDIR, and a folder in it as HOME.
	// Without one, there is nowhere to write temporary files.
	Temp string

	// KeepHome leaves the environment as it is, for programs that need their own settings: name those in Read and Write.
	// Otherwise HOME becomes a folder in Temp, or one that isn't there, and toolchains are pointed back to where they are.
	KeepHome bool

	// Network allows the Internet. Unix sockets stay refused: who reaches those of a container engine, a message bus or an
	// agent of keys has left the sandbox.
	Network bool
}

// ReadOnly returns the policy of a program that may look at folders, and change nothing at all.
func ReadOnly(roots ...string) Policy {
	return Policy{Read: slices.Concat(system(), toolchains(), roots)}
}

// Workspace returns the policy of a program that may change folders, and a private one for what is temporary.
func Workspace(temp string, roots ...string) Policy {
	return Policy{Read: slices.Concat(system(), toolchains()), Write: slices.Clone(roots), Temp: temp}
}

// writes returns all that may be changed.
func (p Policy) writes() []string {
	if p.Temp == "" {
		return p.Write
	}
	return append(slices.Clone(p.Write), p.Temp)
}
