module github.com/patchbay-dev/patchbay/bench

go 1.26.0

require (
	github.com/coder/acp-go-sdk v0.13.0
	github.com/patchbay-dev/patchbay v0.0.0
)

require (
	github.com/go-json-experiment/json v1.27.2 // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace github.com/patchbay-dev/patchbay => ../
