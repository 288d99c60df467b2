package registry

import (
	"fmt"
	"strings"
)

// An UnknownError says that there is no agent of a name.
type UnknownError struct {
	Name string
	Near string   // what was probably meant, or ""
	All  []string // the names that there are, sorted
}

// Error suggests what was meant.
func (e *UnknownError) Error() string {
	hint := "there are " + strings.Join(e.All, ", ")
	switch {
	case len(e.All) == 0:
		hint = "there is none at all"
	case e.Near != "":
		hint = fmt.Sprintf("did you mean %q? `patchbay agents` lists them all", e.Near)
	}
	return fmt.Sprintf("there is no agent %q; %s", e.Name, hint)
}

// A MissingError says that an agent is known, and not on this computer.
type MissingError struct {
	Agent     *Agent
	Looked    []Place   // the folders in which its program is not
	Installed *Manifest // what was installed and is gone; nil if nothing was
}

// Error says how it is installed.
func (e *MissingError) Error() string {
	a := e.Agent
	switch {
	case e.Installed != nil:
		return fmt.Sprintf("the agent %s was installed, and its program is gone from %s; to install it again: patchbay agents install %[1]s", a.ID, e.Looked[0].Dir)
	case a.added:
		return fmt.Sprintf("the agent %s was added, and there is no program %s; to change that: patchbay agents add %[1]s -- COMMAND", a.ID, a.Program)
	}
	return fmt.Sprintf("the agent %s is not installed: there is no program %s; to install it: %s; `patchbay agents doctor %[1]s` says where it was looked for",
		a.ID, a.Program, a.HowToInstall())
}

// A ChangedError says that the program of an installed agent is not the one that was installed: an agent is pinned (F100).
type ChangedError struct {
	Installed *Manifest
	Path      string
}

// Error says what to do about it.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("the agent %s has changed since it was installed: %s; to install it again: patchbay agents install %[1]s", e.Installed.ID, e.Path)
}
