package confine

import "strings"

// samePath reports whether two real paths are the same, as far as spelling tells.
func samePath(a, b string) bool { return strings.EqualFold(a, b) }
