// Package promises holds docs/requirements.md to its word.
//
// The document lists what Patchbay promises, a row each: the rules of the design (W5, T3), what the seeds ask (S002.14)
// and the faults it is immune to (F23). A promise that is kept, wholly or in part, names its tests, and each of these
// says in its name or in a comment which promise it proves:
//
//	| id | promise | state | tests |
//	|---|---|---|---|
//	| F23 | Streamed text arrives in the order it was written. | kept | jsonrpc: TestOrder |
//
// Check compares the two sides and returns what doesn't fit: a kept promise without a test, a test that has lost its
// promise, a planned promise that tests prove already. It runs as a test of this package, so that the list can't drift
// from the code. After tests were added or renamed, this brings the last column up to date:
//
//	go test ./internal/promises -update
package promises
