package client

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
	"github.com/patchbay-dev/patchbay/transport"
)

// Spawn starts an agent as a subprocess and shakes hands with it. If that fails, for whatever reason, nothing of the
// process is left, and the error says how it ended and what it last wrote to standard error.
//
// The process lives until Close, or until it ends by itself, and not only as long as ctx, which bounds the handshake.
func Spawn(ctx context.Context, cmd transport.Command, h Handler, o Options) (*Client, error) {
	process, err := transport.Start(context.WithoutCancel(ctx), cmd)
	if err != nil {
		return nil, fmt.Errorf("start the agent: %w", whereLooked(err, cmd))
	}
	c, err := newClient(process, h, o)
	if err != nil {
		_ = process.Close()
		return nil, err
	}
	c.process, c.command = process, &cmd
	return c.start(ctx, process)
}

// whereLooked adds to the error of a command with a relative path which file that was.
func whereLooked(err error, cmd transport.Command) error {
	var of *fs.PathError
	if !errors.As(err, &of) || of.Path != cmd.Path || filepath.IsAbs(cmd.Path) {
		return err // it is the name of a program, or about something else
	}
	file, absErr := filepath.Abs(filepath.Join(cmd.Dir, cmd.Path))
	if absErr != nil {
		return err
	}
	base := "this process's working directory"
	if cmd.Dir != "" {
		base = "the command's Dir"
	}
	return fmt.Errorf("%w; that is %s, since a relative path is relative to %s", err, file, base)
}

// Connect shakes hands with an agent over a stream, which the client owns from now on, also if that fails.
func Connect(ctx context.Context, stream jsonrpc.Stream, h Handler, o Options) (*Client, error) {
	c, err := newClient(stream, h, o)
	if err != nil {
		_ = stream.Close()
		return nil, err
	}
	return c.start(ctx, stream)
}

func newClient(stream jsonrpc.Stream, h Handler, o Options) (*Client, error) {
	if h == nil {
		return nil, errors.New("a client needs a Handler")
	}
	c := &Client{
		handler:  h,
		opts:     o.withDefaults(),
		closing:  make(chan struct{}),
		finished: make(chan struct{}),
		sessions: map[acp.SessionID]*Session{},
	}
	c.whole, _ = h.(NotificationHandler)
	c.hold.init()
	c.serve()
	return c, nil
}

func (o Options) withDefaults() Options {
	if o.CancelGrace == 0 {
		o.CancelGrace = DefaultCancelGrace
	}
	if o.InitTimeout == 0 {
		o.InitTimeout = DefaultInitTimeout
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.MaxMessageBytes <= 0 {
		o.MaxMessageBytes = jsonrpc.DefaultMaxMessageBytes
	}
	if o.Budget <= 0 {
		o.Budget = 64 << 20
	}
	o.Budget = max(o.Budget, o.MaxMessageBytes)
	return o
}

// start starts the connection and shakes hands.
func (c *Client) start(ctx context.Context, stream jsonrpc.Stream) (*Client, error) {
	options := jsonrpc.Options{
		KeyMember:       acp.SessionKeyMember,
		Key:             acp.SessionKey,
		MaxMessageBytes: c.opts.MaxMessageBytes,
		Budget:          c.opts.Budget,
		Observe:         c.observer(),
		Diagnose:        c.diagnose,
	}
	if c.opts.Shows.Subagents {
		options.Preempt = c.meetChild
	}
	// The connection handles nothing before c.conn is set: whoever reads from the stream, the handler comes later.
	started := make(chan struct{})
	c.conn = jsonrpc.NewConn(stream, jsonrpc.HandlerFunc(func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		<-started
		return c.handle(ctx, req)
	}), options)
	close(started)
	go c.supervise()
	if err := c.initialize(ctx); err != nil {
		_ = c.Close()
		if c.process != nil {
			c.process.Kill()
		}
		_ = c.Wait()
		return nil, err
	}
	return c, nil
}

// observer returns what sees the frames, nil if nobody wants to.
func (c *Client) observer() func(jsonrpc.Traffic) {
	if c.opts.IdleTimeout <= 0 {
		return c.opts.Observe
	}
	return func(t jsonrpc.Traffic) {
		c.active.Store(time.Now().UnixNano())
		if c.opts.Observe != nil {
			c.opts.Observe(t)
		}
	}
}

// errInitTimeout is why the context of initialize ended.
var errInitTimeout = errors.New("no answer in time")

func (c *Client) initialize(ctx context.Context) error {
	if c.opts.InitTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, c.opts.InitTimeout, errInitTimeout)
		defer cancel()
	}
	err := c.conn.Call(ctx, acp.MethodInitialize, &acp.InitializeRequest{
		ProtocolVersion:    acp.Version1,
		ClientCapabilities: c.caps,
		ClientInfo:         &c.opts.Info,
		Meta:               c.opts.Meta,
	}, &c.init)
	said := c.noise.stop()
	switch {
	case err == nil && c.init.ProtocolVersion != acp.Version1:
		return &VersionError{Agent: c.init.ProtocolVersion} // some agents echo whatever they are offered, but never less
	case err == nil:
		return nil
	case errors.Is(err, errInitTimeout):
		err = fmt.Errorf("no answer within %v: %w", c.opts.InitTimeout, err)
	}
	return c.explain(fmt.Errorf("initialize: %w", err), said)
}

// explain adds to the error of a failed handshake what the agent wrote instead of an answer (F93).
func (c *Client) explain(err error, said string) error {
	if said != "" {
		err = fmt.Errorf("%w; it wrote to its standard output what is no message:\n\t%s", err, indent(said))
	}
	var exit *transport.ExitError
	if c.process == nil || errors.As(err, &exit) {
		return err // an ExitError shows standard error itself
	}
	if tail := strings.TrimSpace(lastBytes(c.process.Stderr(), noiseBytes)); tail != "" {
		err = fmt.Errorf("%w; its standard error ends with:\n\t%s", err, indent(tail))
	}
	return err
}

func indent(text string) string { return strings.ReplaceAll(text, "\n", "\n\t") }

func lastBytes(text string, n int) string {
	if len(text) > n {
		text = strings.ToValidUTF8(text[len(text)-n:], "")
	}
	return text
}

// noiseBytes is how much of an agent's stray output an error shows.
const noiseBytes = 2 << 10

// noise is the end of what the agent wrote that was no message, until the handshake is over (F2).
type noise struct {
	mu   sync.Mutex
	text strings.Builder
	over bool
}

func (n *noise) add(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.over || text == "" {
		return
	}
	if n.text.Len() > 0 {
		n.text.WriteByte('\n')
	}
	n.text.WriteString(text)
	if n.text.Len() > 2*noiseBytes {
		rest := lastBytes(n.text.String(), noiseBytes)
		n.text.Reset()
		n.text.WriteString(rest)
	}
}

// stop ends the collection and returns what there is.
func (n *noise) stop() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.over = true
	return lastBytes(n.text.String(), noiseBytes)
}

func (c *Client) diagnose(d jsonrpc.Diagnostic) {
	if d.Kind == jsonrpc.Noise || d.Kind == jsonrpc.InvalidMessage {
		c.noise.add(d.Text)
	}
	if c.opts.Diagnose != nil {
		c.opts.Diagnose(d)
	}
	c.opts.Logger.Warn("diagnostic of the connection to the agent", "diagnostic", d.String())
}
