package transport

import (
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// takeStdio keeps the files of standard input and output for the stream and puts others in their place, both in package
// os and in the process, which is where children get them from.
func takeStdio() (*ByteStream, error) {
	empty, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("replace standard input: %w", err)
	}
	for _, f := range []*os.File{os.Stdin, os.Stdout} {
		// Consoles of old systems refuse this; their handles aren't inherited anyway.
		_ = windows.SetHandleInformation(windows.Handle(f.Fd()), windows.HANDLE_FLAG_INHERIT, 0)
	}
	if err := windows.SetStdHandle(windows.STD_INPUT_HANDLE, windows.Handle(empty.Fd())); err != nil {
		return nil, fmt.Errorf("replace standard input: %w", err)
	}
	if err := windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, windows.Handle(os.Stderr.Fd())); err != nil {
		return nil, fmt.Errorf("point standard output at standard error: %w", err)
	}
	in, out := os.Stdin, os.Stdout
	os.Stdin, os.Stdout = empty, os.Stderr
	return New(newPump(in, false), out, Options{}), nil
}
