//go:build race

package jsonrpc_test

// raceEnabled is whether the race detector watches every byte, which makes the largest messages take half a minute.
const raceEnabled = true
