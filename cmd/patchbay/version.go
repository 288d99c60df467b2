package main

import "fmt"

// versionCmd is `patchbay version`.
type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run() error {
	fmt.Println(version())
	return nil
}
