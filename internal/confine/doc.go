// Package confine keeps file access inside the folders of a session.
//
// A [Space] is a working directory, roots, and explicit exceptions. It turns what a peer calls a file into a [Place], whose
// methods touch the file system, or into an error that says what is wrong with it:
//
//	space := confine.Space{Cwd: "/home/ann/project", Roots: []string{"/home/ann/project", "/home/ann/library"}}
//	place, err := space.Resolve("src/main.go") // an *OutsideError, for instance
//	...
//	file, info, err := place.Open()
//	...
//	text, err := confine.ReadText(ctx, file, confine.Lines{From: 10, Count: 50}, limit)
//	...
//	err = place.WriteFile([]byte(text))
//
// # What is guaranteed
//
// Real paths are compared, so that links, absolute ones too, may lead from one place inside to another, but never outside
// (F154). Every access then goes through an os.Root of the root that the real path is in: a folder or a file that is
// swapped for a link after the comparison is followed inside that root at most, and at the end of a path not at all. Only
// regular files are read and written, whatever takes their place meanwhile; opening one never waits, as it would for a
// pipe. A write is whole or not at all, and keeps the file's permissions (F156), except where its folder takes no other
// file: there it is written in place.
//
// # What is not
//
// A hard link and a mount inside a root count as inside. What lies above a root, its own name included, is trusted: who can
// swap that has no need to. A root or exception that is a file, or missing, is reached by the folder around it, which then
// bounds what a swapped link on the way can lead to. A file's access lists and extended attributes are lost in a write, its
// other hard links keep the old content, and bits such as setuid are dropped, as the kernel does when a file is written.
package confine
