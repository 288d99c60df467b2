package sandbox

import "sync"

// A Support says what can be held here.
type Support struct {
	// OK says that everything is held that a policy promises, save what is in Gaps.
	OK bool

	// ABI is the version of the kernel's Landlock, as far as its known mistakes are mended; 0 if there is none.
	ABI int

	// Reason says why not, in a line, if it is not OK.
	Reason string

	// Gaps lists what this kernel can't hold though it is OK, a line each: newer ones do.
	Gaps []string
}

// Supported tries for real, in a child, whether children can be bound here. It takes as long as starting this program once,
// and remembers the answer.
func Supported() Support { return supported() }

var supported = sync.OnceValue(probe)

// minABI is the first version of Landlock that keeps files from being truncated. Without that, nothing can be promised.
const minABI = 3

// gaps returns what a version of Landlock can't hold.
func gaps(abi int) []string {
	var gaps []string
	if abi < 5 {
		gaps = append(gaps, "devices that were opened before can be controlled (Linux 6.10 holds that)")
	}
	if abi < 6 {
		gaps = append(gaps, "signals reach the user's other processes (Linux 6.12 holds that)")
	}
	return gaps
}
