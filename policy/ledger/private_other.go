//go:build !unix

package ledger

import "io/fs"

// private refuses nothing: the user's folder is the user's by its access list.
func private(string, fs.FileInfo) error { return nil }
