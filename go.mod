module github.com/patchbay-dev/patchbay

go 1.26.0

require github.com/go-json-experiment/json v1.27.2

require (
	github.com/google/go-cmp v0.7.0 // indirect
	go.uber.org/goleak v1.3.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)
