//go:build !race

package coder_test

const raceEnabled = false
