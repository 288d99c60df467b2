package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/trace"
)

// A tracer is the file of --trace; nil if there is none.
type tracer struct {
	writer *trace.Writer
	file   *os.File
}

// tracer opens the file of --trace. Others may not read it, since it has in it what was said.
func (c *runCmd) tracer() (*tracer, error) {
	if c.Trace == "" {
		return nil, nil
	}
	file, err := os.OpenFile(c.Trace, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("--trace: %w", err)
	}
	if err := private(file); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("--trace: %w", err)
	}
	return &tracer{trace.NewWriter(file, trace.Options{Program: "patchbay run " + version(), Raw: c.TraceRaw}), file}, nil
}

// private takes a file that was there from others. What is no file, such as /dev/stderr, stays as it is.
func private(file *os.File) error {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	return file.Chmod(0o600)
}

// observe is what a client calls for each frame.
func (t *tracer) observe() func(jsonrpc.Traffic) {
	if t == nil {
		return nil
	}
	return t.writer.Observe
}

func (t *tracer) close() error {
	if t == nil {
		return nil
	}
	if err := errors.Join(t.writer.Close(), t.file.Close()); err != nil {
		return fmt.Errorf("write the trace: %w", err)
	}
	return nil
}
