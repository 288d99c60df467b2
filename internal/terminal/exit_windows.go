package terminal

import "os"

// exitOf reads how a process ended.
func exitOf(state *os.ProcessState) Exit {
	if state == nil {
		return Exit{}
	}
	code := uint32(state.ExitCode())
	return Exit{Code: &code}
}
