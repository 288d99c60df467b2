//go:build race

package acp

// raceEnabled is whether the race detector watches every byte, which makes the longest tests ten times as long.
const raceEnabled = true
