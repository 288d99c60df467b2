package policy

// SystemShell is systemShell, for tests.
var SystemShell = systemShell
