package main

import (
	"io"
	"os"
	"os/exec"
	"time"
)

// A subprocess is an agent that was started, for the stacks that don't start one themselves.
type subprocess struct {
	cmd *exec.Cmd
	in  io.WriteCloser // its standard input
	out io.ReadCloser  // its standard output
}

func start(argv []string) (*subprocess, error) {
	p := &subprocess{cmd: exec.Command(argv[0], argv[1:]...)}
	p.cmd.Stderr = os.Stderr
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if p.out, err = p.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return p, p.cmd.Start()
}

// stop closes the agent's standard input, which ends it.
func (p *subprocess) stop() {
	p.in.Close()
	force := time.AfterFunc(2*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer force.Stop()
	_ = p.cmd.Wait()
}

// A duct is one end of a connection within this process.
type duct struct {
	in  io.ReadCloser
	out io.WriteCloser
}

// ducts returns two ends that are connected, through the operating system or within the process.
func ducts(osPipes bool) (one, other duct, err error) {
	if !osPipes {
		r1, w1 := io.Pipe()
		r2, w2 := io.Pipe()
		return duct{r1, w2}, duct{r2, w1}, nil
	}
	r1, w1, err := os.Pipe()
	if err != nil {
		return one, other, err
	}
	r2, w2, err := os.Pipe()
	return duct{r1, w2}, duct{r2, w1}, err
}

func (d duct) close() {
	d.out.Close()
	d.in.Close()
}
