package registry

import (
	"slices"
	"strings"
)

// An Agent is one that is known by name, and how it is started.
type Agent struct {
	ID      string   // what a user types: "claude"
	Aliases []string // what else it answers to: its names in other tools and in the public registry
	Title   string   // for people: "Claude Code"
	Site    string   // where it is described

	// Program is the name of the program that speaks the protocol when it is given Args, with Env set. Older are names and
	// arguments that earlier versions had, in the order in which they are tried where Program isn't found.
	Program string
	Args    []string
	Env     map[string]string
	Older   []Start

	// Package is the npm package that has the program, and Extra are packages that it needs beside it. Both are empty for
	// what does not come from npm; Hint then says how it is installed.
	Package string
	Extra   []string
	Hint    string

	// Environment are the names of the variables that the agent may have beside those of every program: the keys of the
	// providers that it speaks with and its own settings. A name that ends in * stands for all that begin so. It is what
	// transport.AllowEnv takes (F175).
	Environment []string

	// Needs are variables of which it needs one to work without signing in; empty where it keeps an account of its own
	// or has a file for it.
	Needs []string

	Quirks Quirks

	added bool // by the user
}

// A Start is a program with arguments.
type Start struct {
	Program string
	Args    []string

	// Before is set where this is how versions before that one are started, and the program has the same name.
	Before string
}

// Quirks are what a client should know of an agent that the protocol does not tell.
type Quirks struct {
	// AsksInMode is the mode in which the agent asks for permission, where it begins in one that doesn't.
	AsksInMode string

	// NoFileReads is set where writing a new file fails if the client lets the agent read files: an error in answer to
	// reading what isn't there stops it.
	NoFileReads bool

	// ShellLines is set where the agent gives terminal/create a whole shell line as the command.
	ShellLines bool

	// Lingers is set where it does not end when its input does.
	Lingers bool

	// Serves is set where any argument, --version too, has it serve: it must not be asked for its version.
	Serves bool
}

// starts are the ways to start the agent, the usual one first.
func (a *Agent) starts() []Start {
	return append([]Start{{Program: a.Program, Args: a.Args}}, a.Older...)
}

// argsOf are the arguments for a version, "" for one that isn't known.
func (a *Agent) argsOf(s Start, version string) []string {
	for _, older := range a.Older {
		if older.Program == s.Program && older.Before != "" && version != "" && compareVersions(version, older.Before) < 0 {
			return older.Args
		}
	}
	return s.Args
}

// answers reports whether a name is the agent's.
func (a *Agent) answers(name string) bool {
	return a.ID == name || slices.Contains(a.Aliases, name)
}

// HowToInstall says, for people, how the agent gets here.
func (a *Agent) HowToInstall() string {
	if a.Package != "" {
		return "patchbay agents install " + a.ID + ", or npm install -g " + strings.Join(append([]string{a.Package}, a.Extra...), " ")
	}
	return a.Hint
}

// Known returns the known agents by their ids, sorted. The built-in one is not among them.
func Known() []Agent {
	all := slices.Clone(known)
	slices.SortFunc(all, func(a, b Agent) int { return strings.Compare(a.ID, b.ID) })
	return all
}
