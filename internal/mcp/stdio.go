package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/transport"
)

const (
	// maxMessage is how long a server's message may be, in bytes. Of a longer one only the sender learns.
	maxMessage = 16 << 20

	// maxNoise is how much a server may print that is no message, in bytes, until it sends one again.
	maxNoise = 16 << 20

	// maxAsked is how many of a server's own requests may wait for an answer. Then nothing more is read from it, until it
	// has read some of its answers.
	maxAsked = 32
)

// A stdio is the connection to a server that is a process of ours. It takes the place of the SDK's own transport, which
// would end with the first line that is no message, and would leave the server's children behind.
type stdio struct {
	process *transport.Process
	grace   time.Duration
	words   *lastWords
	noise   func(line []byte) // gets what the server prints that is no message
	noisy   int               // bytes of it since the last message
	queue   []jsonrpc.Message // read and not yet taken; belongs to Read
	out     chan *outgoing    // write takes from it
	asked   chan struct{}     // a token for each request of the server's that waits for its answer
	closed  chan struct{}     // Close closes it
	once    sync.Once
	writing sync.WaitGroup
}

// An outgoing is a message that waits for the writer.
type outgoing struct {
	data []byte
	done chan error // holds one
}

var _ sdk.Connection = (*stdio)(nil)

// startProcess starts a server. When ctx ends, it is led out.
func startProcess(ctx context.Context, s *acp.MCPServerStdio, o *Options, noise func([]byte)) (*stdio, error) {
	env, err := environment(s.Env)
	if err != nil {
		return nil, err
	}
	path, err := program(s.Command, o.Dir, env)
	if err != nil {
		return nil, err
	}
	words := &lastWords{}
	p, err := transport.Start(ctx, transport.Command{
		Path: path, Args: s.Args, Dir: o.Dir, Env: env,
		CloseGrace: o.Grace, TermGrace: o.Grace, Guarded: true, OnStderr: words.add,
	})
	if err != nil {
		return nil, err
	}
	c := &stdio{
		process: p, grace: o.Grace, words: words, noise: noise,
		out: make(chan *outgoing), asked: make(chan struct{}, maxAsked), closed: make(chan struct{}),
	}
	c.writing.Go(c.write)
	return c, nil
}

// Read returns the next message that means something to us.
func (c *stdio) Read(context.Context) (jsonrpc.Message, error) {
	for len(c.queue) == 0 {
		frames, err := c.process.Read(maxMessage)
		if err != nil {
			return nil, err
		}
		for _, f := range frames {
			switch {
			case f.TooLarge != nil:
				c.tooLarge(f.TooLarge.ID, f.TooLarge.Method, f.TooLarge.Size)
			default:
				c.take(f.Data)
			}
		}
		if c.noisy > maxNoise {
			return nil, errors.New("it prints something other than messages without an end")
		}
	}
	m := c.queue[0]
	c.queue = c.queue[1:]
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		select {
		case c.asked <- struct{}{}:
		case <-c.closed:
			return nil, io.EOF
		}
	}
	return m, nil
}

// take sorts what has arrived: messages, several at once in old versions, and noise.
func (c *stdio) take(data []byte) {
	pieces := []json.RawMessage{data}
	if trimmed := bytes.TrimSpace(data); len(trimmed) > 0 && trimmed[0] == '[' {
		if json.Unmarshal(trimmed, &pieces) != nil {
			pieces = []json.RawMessage{data}
		}
	}
	for _, piece := range pieces {
		m, err := jsonrpc.DecodeMessage(piece)
		if err != nil {
			c.noisy += len(piece) + 1
			c.noise(piece)
			continue
		}
		c.noisy = 0
		if isOfUse(m) {
			c.queue = append(c.queue, m)
		}
	}
}

// isOfUse tells what is acted on from notifications that are not, such as log messages, of which there may be more than
// anyone can handle.
func isOfUse(m jsonrpc.Message) bool {
	r, ok := m.(*jsonrpc.Request)
	if !ok || r.IsCall() {
		return true
	}
	switch r.Method {
	case "notifications/cancelled", "notifications/progress", "notifications/tools/list_changed", "notifications/prompts/list_changed",
		"notifications/elicitation/complete", "notifications/subscriptions/acknowledged":
		return true
	}
	return false
}

// tooLarge lets a message that was skipped fail what it belongs to: the call that it answers.
func (c *stdio) tooLarge(id, method []byte, size int64) {
	var value any
	if len(method) > 0 || json.Unmarshal(id, &value) != nil {
		c.noise(fmt.Appendf(nil, "(a message of %d bytes)", size))
		return
	}
	if rpcID, err := jsonrpc.MakeID(value); err == nil && rpcID.IsValid() {
		c.queue = append(c.queue, &jsonrpc.Response{ID: rpcID, Error: &jsonrpc.Error{
			Code:    jsonrpc.CodeInternalError,
			Message: fmt.Sprintf("the answer has %d bytes, and at most %d are taken", size, maxMessage),
		}})
	}
}

// Write hands a message to the writer and waits until it is on its way. If ctx ends first, the message still goes as a
// whole or not at all.
func (c *stdio) Write(ctx context.Context, m jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	if _, ok := m.(*jsonrpc.Response); ok {
		defer c.answered()
	}
	o := &outgoing{data: data, done: make(chan error, 1)}
	select {
	case c.out <- o:
	case <-ctx.Done():
		return ctx.Err()
	case <-c.closed:
		return io.ErrClosedPipe
	}
	select {
	case err := <-o.done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-c.closed:
		return io.ErrClosedPipe
	}
}

func (c *stdio) answered() {
	select {
	case <-c.asked:
	default:
	}
}

// write writes until the connection is closed. A write that waits for the server ends with it, too.
func (c *stdio) write() {
	for {
		select {
		case o := <-c.out:
			o.done <- c.process.Write([][]byte{o.data})
		case <-c.closed:
			return
		}
	}
}

// Close ends the connection, and leads the process out in the background.
func (c *stdio) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.process.Close()
}

// SessionID returns nothing: only servers behind HTTP have one.
func (c *stdio) SessionID() string { return "" }

// wait waits after Close until nothing is left of the server, or ctx ends.
func (c *stdio) wait(ctx context.Context) {
	_ = c.process.Wait(ctx)
	c.writing.Wait()
}

// ended says how the process ended, and what it said last; nil while it runs.
func (c *stdio) ended() error {
	select {
	case <-c.process.Done():
	default:
		return nil
	}
	how := "it ended"
	var exit *transport.ExitError
	switch err := c.process.Wait(context.Background()); {
	case errors.As(err, &exit) && exit.State != nil:
		how += " with " + exit.State.String()
	case err == nil:
		how += " with exit status 0"
	}
	return errors.New(how + c.words.said())
}
