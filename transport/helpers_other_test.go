//go:build !unix

package transport_test

var helpers map[string]func()
