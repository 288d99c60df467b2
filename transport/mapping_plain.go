//go:build unix && !linux

package transport

func preferLargePages([]byte) {}
