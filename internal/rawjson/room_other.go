//go:build !linux

package rawjson

import "unsafe"

func preferLargePages(unsafe.Pointer, int) {}
