// Command typecheck reports what doesn't fit in the packages that are named, their tests included, for the system that GOOS
// and GOARCH name. Unlike go vet it compiles nothing: what the packages are built of is read as well, which takes seconds
// where compiling it takes minutes.
package main

import (
	"fmt"
	"os"

	"golang.org/x/tools/go/packages"
)

func main() {
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
		packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedTypesSizes | packages.NeedModule
	found, err := packages.Load(&packages.Config{Mode: mode, Tests: true}, os.Args[1:]...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	failed := false
	for _, p := range found {
		for _, e := range p.Errors {
			failed = true
			fmt.Fprintln(os.Stderr, e)
		}
	}
	if failed {
		os.Exit(1)
	}
}
