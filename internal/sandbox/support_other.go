//go:build !linux

package sandbox

import "runtime"

func probe() Support {
	return Support{Reason: "only Linux has what the sandbox is made of, and this is " + runtime.GOOS}
}
