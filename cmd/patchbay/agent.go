package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"

	"github.com/patchbay-dev/patchbay/agent"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/config"
	"github.com/patchbay-dev/patchbay/trace"
	"github.com/patchbay-dev/patchbay/transport"
)

// agentCmd is `patchbay agent`: the built-in coding agent on standard input and output.
type agentCmd struct {
	settings `embed:""`
	Login    string `placeholder:"PROVIDER" help:"Store the key of a provider of models and end, as patchbay login does. A ? asks whose it is. It is what clients run to sign in."`
	Profile  string `default:"full" enum:"full,basic" help:"What the agent claims to be able to do: full, or basic for clients that take offence at more."`
	Trace    string `placeholder:"FILE" help:"Write every message, in both directions, to a file: one JSON object a line."`
	LogLevel string `default:"warn" enum:"debug,info,warn,error" help:"What to log to standard error: debug, info, warn or error."`
}

// Help is what `patchbay agent --help` adds.
func (*agentCmd) Help() string {
	return "It speaks the Agent Client Protocol and is started by an editor, or by `patchbay run`. It ends when its input does."
}

// crashStatus is the exit status of the demonstration of a crash.
const crashStatus = 3

// Run serves one client, until that goes away or a signal comes.
func (c *agentCmd) Run() (err error) {
	switch c.Login {
	case "":
	case coder.AskWhich:
		return (&loginCmd{}).Run()
	default:
		return (&loginCmd{Provider: c.Login}).Run()
	}
	cfg, err := c.check()
	if err != nil {
		return err
	}
	log, err := logger(os.Stderr, c.LogLevel)
	if err != nil {
		return err
	}
	wire := &noisyStream{}
	sessions := &sessionStore{off: !cfg.Sessions.Value, keep: cfg.KeepFor()}
	defer sessions.close()
	a, err := coder.New(coder.Options{
		Config: c.load, Version: version(), Sessions: sessions.opener(), Logger: log, Hooks: coder.Hooks{Stray: wire.stray, Crash: crash},
	})
	if err != nil {
		return err
	}
	var served agent.Agent = a
	o := a.AgentOptions()
	if c.Profile == "basic" {
		served, o = a.Basic()
	}
	o.Logger = log
	if c.Trace != "" {
		file, err := os.OpenFile(c.Trace, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600) // a trace may hold secrets
		if err != nil {
			return fmt.Errorf("open the trace: %w", err)
		}
		w := trace.NewWriter(file, trace.Options{Program: "patchbay agent " + version(), Agent: true})
		defer func() { err = errors.Join(err, w.Close(), file.Close()) }()
		o.Observe = w.Observe
	}
	if wire.ByteStream, err = transport.Stdio(); err != nil {
		return err
	}
	defer wire.Close()
	defer a.Close()
	return serve(wire, served, o)
}

// check reports what would be wrong with every session, here where people look first. A key that is missing is not: the
// client can have the user sign in.
func (c *agentCmd) check() (*config.Config, error) {
	cfg, err := c.load("")
	if err != nil {
		return nil, err
	}
	problem := cfg.Problem()
	if unknown := (*config.UnknownProviderError)(nil); errors.As(problem, &unknown) {
		return nil, problem
	}
	return cfg, nil
}

func serve(wire *noisyStream, a agent.Agent, o agent.Options) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	conn, err := agent.Connect(wire, a, o)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	return conn.Wait()
}

// logger writes records of a level and above.
func logger(w io.Writer, level string) (*slog.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("log level: %w", err)
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: l})), nil
}

// version is that of the module, as far as the build knows it.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "dev"
}

func crash() {
	fmt.Fprintln(os.Stderr, "patchbay agent: this crash is a demonstration")
	os.Exit(crashStatus)
}

// A noisyStream lets the demonstration of stray output write lines that are no messages between those that are. Everything
// else that is printed in the process goes to standard error.
type noisyStream struct {
	*transport.ByteStream
	mu sync.Mutex // held while something is written, which a stream does for only one at a time
}

// Write writes messages.
func (s *noisyStream) Write(messages [][]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ByteStream.Write(messages)
}

// WritePieces writes a message that comes in pieces.
func (s *noisyStream) WritePieces(pieces iter.Seq[[]byte]) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ByteStream.WritePieces(pieces)
}

// TryWrite writes what goes without waiting.
func (s *noisyStream) TryWrite(message []byte) (done bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ByteStream.TryWrite(message)
}

func (s *noisyStream) stray(line string) error { return s.Write([][]byte{[]byte(line)}) }
