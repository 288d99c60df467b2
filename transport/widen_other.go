//go:build !linux

package transport

import "syscall"

// A width would have a pipe hold more while a long message goes through it. Only Linux can.
type width struct{}

func (*width) widen(syscall.RawConn)  {}
func (*width) narrow(syscall.RawConn) {}
