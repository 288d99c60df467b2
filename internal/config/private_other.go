//go:build !unix

package config

import "io/fs"

// private accepts any file: what protects it here is the user's profile that it is in.
func private(string, fs.FileInfo) error { return nil }
