//go:build !windows

package confine

// samePath reports whether two real paths are the same, as far as spelling tells. Where a file system takes names in
// either case, one of a root in the wrong case is outside.
func samePath(a, b string) bool { return a == b }
