package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
	"github.com/patchbay-dev/patchbay/internal/registry"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// slowStart is what people notice.
const slowStart = 5 * time.Second

// find finds the agent, and notes where, or where it is not.
func (c *agentsDoctorCmd) find(ctx context.Context, dir string, d *diagnosis) (*transport.Command, error) {
	f := agentFlags{Agent: c.Name, Words: c.Words, EnvAllow: c.EnvAllow}
	name, called, err := f.choose(dir)
	d.Agent = called
	if err != nil || name == "" || name == registry.BuiltIn {
		l, err := f.launch(ctx, dir, startSettings{})
		if err != nil {
			return nil, err
		}
		d.Found = &foundAgent{Path: l.Path, Args: l.Args}
		return &l.Command, nil
	}
	r, err := registry.Open(registry.Options{})
	if err != nil {
		return nil, &exitError{exitStart, err}
	}
	found, err := r.Find(ctx, name)
	if missing, ok := errors.AsType[*registry.MissingError](err); ok {
		for _, p := range missing.Looked {
			d.Looked = append(d.Looked, lookedInto(p))
		}
	}
	if unknown, ok := errors.AsType[*registry.UnknownError](err); ok {
		return nil, &exitError{exitUsage, unknown}
	}
	if err != nil {
		return nil, &exitError{exitStart, err}
	}
	d.known = found.Agent
	d.Found = &foundAgent{Path: found.Path, Args: found.Args, Source: found.Source, Place: found.Place.Why, Version: found.Version(ctx)}
	if found.Installed != nil {
		d.Found.Hash = found.Installed.Hash
	}
	command := found.Command(c.EnvAllow...)
	return &command, nil
}

// A patient is an agent that is being examined. It is allowed nothing.
type patient struct {
	mu    sync.Mutex // guards what follows
	noise int        // stray lines so far
	first string     // the first of them
}

// Update ignores what the agent says.
func (*patient) Update(context.Context, *client.Session, acp.SessionUpdate) {}

// RequestPermission permits nothing.
func (*patient) RequestPermission(_ context.Context, _ *client.Session, req *acp.RequestPermissionRequest) (acp.RequestPermissionOutcome, error) {
	return client.Select(req.Options, acp.PermissionOptionKindRejectOnce), nil
}

func (p *patient) diagnose(d jsonrpc.Diagnostic) {
	if d.Kind != jsonrpc.Noise {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.noise++; p.noise == 1 {
		p.first = strings.TrimSpace(d.Text)
	}
}

// examine starts the agent, shakes hands, starts a session, and ends it all.
func (c *agentsDoctorCmd) examine(ctx context.Context, dir string, command *transport.Command, d *diagnosis) error {
	command.Dir, command.Guarded = dir, true
	if c.Verbose {
		command.OnStderr = func(line string) { fmt.Fprintln(os.Stderr, clean(line)) }
	}
	p := &patient{}
	start := time.Now()
	a, err := client.Spawn(ctx, *command, p, client.Options{
		Info:      acp.Implementation{Name: "patchbay", Title: "Patchbay", Version: version()},
		Files:     &client.Files{},
		Terminals: &client.Terminals{},
		Guard: func(context.Context, *client.Session, *client.Access) error {
			return errors.New("this is an examination")
		},
		Logger:      slog.New(slog.DiscardHandler),
		Diagnose:    p.diagnose,
		InitTimeout: -1, // all of it has a limit
	})
	if err != nil {
		return &exitError{exitStart, because(ctx, err)}
	}
	d.Hello = helloOf(a, time.Since(start))
	if !c.NoSession {
		d.Session, err = openOne(ctx, a, dir)
	}
	closing := time.Now()
	_ = a.Close()
	_ = a.Wait()
	d.note(p, time.Since(closing))
	if err != nil {
		return d.explain(ctx, err)
	}
	return nil
}

// because adds that the time was over, where that is why something failed.
func because(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), errTimeout) {
		return fmt.Errorf("%w: %w", errTimeout, err)
	}
	return err
}

// explain says what a session that could not be started needs.
func (d *diagnosis) explain(ctx context.Context, err error) error {
	sent, ok := errors.AsType[*acp.Error](err)
	if !ok || sent.Code != acp.CodeAuthRequired {
		return because(ctx, fmt.Errorf("start a session: %w", err))
	}
	var ways []string
	if d.known != nil && len(d.known.Needs) > 0 {
		ways = append(ways, "set "+strings.Join(d.known.Needs, " or "))
	}
	for _, s := range d.Hello.SignIns {
		if s.ID != "" {
			ways = append(ways, "run with --auth "+s.ID)
		}
	}
	if len(ways) == 0 {
		ways = []string{"start the agent by itself and sign in there"}
	}
	return &exitError{exitAuth, fmt.Errorf("the agent wants you to sign in: %w; %s", err, strings.Join(ways, ", or "))}
}

// note notes what a user should know.
func (d *diagnosis) note(p *patient, closing time.Duration) {
	say := func(format string, args ...any) { d.Notes = append(d.Notes, fmt.Sprintf(format, args...)) }
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.noise > 0 {
		say("it prints what is no message to its standard output (lines: %d), such as: %s", p.noise, cleanLine(p.first))
	}
	if ms := d.Hello.Milliseconds; ms > slowStart.Milliseconds() {
		say("it takes %d s to start", ms/1000)
	}
	if v := d.Found.Version; v != "" && d.Hello.Version != "" && !strings.Contains(d.Hello.Version, v) {
		say("the program is version %s, and what it says of itself is %s", v, d.Hello.Version)
	}
	if closing > time.Second {
		say("it does not end with its input: it was killed after %.1f s", closing.Seconds())
	}
	d.noteNeeds(say)
	if s := d.Session; s != nil && d.known != nil && s.Mode != "" && d.known.Quirks.AsksInMode != "" && s.Mode != d.known.Quirks.AsksInMode {
		say("it begins in the mode %s, and asks for permission in the mode %s", s.Mode, d.known.Quirks.AsksInMode)
	}
	if d.known != nil && d.known.Quirks.NoFileReads {
		say("it fails to write new files through a client that lets it read files")
	}
	if d.known != nil && d.known.Quirks.ShellLines {
		say("it gives whole shell lines as commands to run")
	}
}

// noteNeeds notes which variables are missing, if that may matter.
func (d *diagnosis) noteNeeds(say func(format string, args ...any)) {
	if d.known == nil || len(d.known.Needs) == 0 || d.Session != nil && d.Session.Error == "" {
		return
	}
	for _, name := range d.known.Needs {
		if os.Getenv(name) != "" {
			return
		}
	}
	say("it may need %s, which isn't set", strings.Join(d.known.Needs, " or "))
}
