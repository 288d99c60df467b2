package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-dev/patchbay/acp"
)

// initializes is the version of the protocol that we ask for at first. Servers of the next one have no handshake, and refuse
// it in a way that is told from other errors; asking the other way round would end some servers that do have one.
const initializes = "2025-11-25"

// lastAnswers is the time in which the answers to open questions go out: the SDK sends none when it has begun to close, and a
// server might wait for them.
const lastAnswers = 50 * time.Millisecond

// unkillable is how long the kernel is waited for.
const unkillable = 5 * time.Second

// A live is a server that is up: a connection of the SDK, and what is below it.
type live struct {
	session   *sdk.ClientSession
	stdio     *stdio          // nil for a server behind HTTP
	web       *web            // nil for a process
	over      context.Context // its end ends questions to the user
	end       context.CancelFunc
	questions atomic.Int32  // to the user that are open
	stale     chan struct{} // has a token if the server's lists have changed
	dead      chan struct{} // closed when the session is over
	broken    error         // why it is, if not nil; set before dead is closed
}

// connect brings a server up.
func (s *server) connect(ctx context.Context) (*live, error) {
	l, err := s.dial(ctx, initializes)
	var refusal *jsonrpc.Error
	if errors.As(err, &refusal) && (refusal.Code == jsonrpc.CodeMethodNotFound || refusal.Code == sdk.CodeUnsupportedProtocolVersion) {
		l, err = s.dial(ctx, "") // the newest
	}
	return l, err
}

// dial makes a connection, and shakes hands in a version of the protocol.
func (s *server) dial(ctx context.Context, version string) (*live, error) {
	l := &live{stale: make(chan struct{}, 1), dead: make(chan struct{})}
	l.over, l.end = context.WithCancel(context.Background())
	t, err := s.reach(l)
	if err != nil {
		l.end()
		return nil, err
	}
	l.session, err = s.client(l).Connect(ctx, t, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		err = l.explain(ctx, err)
		close(l.dead)
		l.close()
		return nil, err
	}
	go func() {
		defer close(l.dead)
		l.broken = l.session.Wait()
	}()
	return l, nil
}

// reach starts a process, or gets ready to reach a server behind HTTP.
func (s *server) reach(l *live) (t sdk.Transport, err error) {
	switch c := s.config.(type) {
	case *acp.MCPServerStdio:
		if l.stdio, err = startProcess(s.set.over, c, &s.set.options, s.noise); err != nil {
			return nil, err
		}
		return connected{l.stdio}, nil
	case *acp.MCPServerHTTP:
		l.web, err = newWeb(c.URL, c.Headers, true)
		return l.web, err
	case *acp.MCPServerSSE:
		l.web, err = newWeb(c.URL, c.Headers, false)
		return l.web, err
	case *acp.MCPServerACP:
		return nil, errors.New(`servers of the type "acp", which are reached through the client, are not supported; stdio, http and sse are`)
	case *acp.UnknownMCPServer:
		return nil, fmt.Errorf("servers of the type %q are not supported; stdio, http and sse are", c.Type)
	}
	return nil, errors.New("it has no configuration")
}

// A connected is a transport of the SDK whose connection is there already.
type connected struct{ sdk.Connection }

func (c connected) Connect(context.Context) (sdk.Connection, error) { return c.Connection, nil }

// client is our side of the connection, as the SDK sees it.
func (s *server) client(l *live) *sdk.Client {
	o := &s.set.options
	stale := func() {
		select {
		case l.stale <- struct{}{}:
		default:
		}
	}
	options := &sdk.ClientOptions{
		//lint:ignore SA1019 the next version of the protocol has no roots; the servers that there are have
		Capabilities:             &sdk.ClientCapabilities{RootsV2: &sdk.RootCapabilities{}},
		ToolListChangedHandler:   func(context.Context, *sdk.ToolListChangedRequest) { stale() },
		PromptListChangedHandler: func(context.Context, *sdk.PromptListChangedRequest) { stale() },
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			s.progress(r.Params)
		},
	}
	if o.Elicit != nil {
		options.ElicitationHandler = func(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return s.elicit(ctx, l, r.Params)
		}
		options.Capabilities.Elicitation = &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}}
		if o.ElicitURL {
			options.Capabilities.Elicitation.URL = &sdk.URLElicitationCapabilities{}
		}
	}
	client := sdk.NewClient(&sdk.Implementation{Name: o.Client.Name, Title: o.Client.Title, Version: o.Client.Version}, options)
	if o.Elicit == nil {
		client.AddReceivingMiddleware(declining)
	}
	for _, path := range o.Roots {
		//lint:ignore SA1019 see above
		client.AddRoots(&sdk.Root{URI: fileURI(path)})
	}
	return client
}

// noise is told of what a process prints that is no message.
func (s *server) noise(line []byte) {
	s.warn("it prints on its standard output what is no message, and only messages belong there: " + cut(s.set.redactor.text(string(line)), 80))
}

// explain says why a server could not be brought up.
func (l *live) explain(ctx context.Context, err error) error {
	if l.stdio == nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return plain(err)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("%w%s", context.Cause(ctx), l.stdio.words.said())
	}
	if ended := l.stdio.ended(); ended != nil {
		return ended
	}
	return fmt.Errorf("%w%s", err, l.stdio.words.said())
}

// plain returns what is at the bottom of an error of the SDK, where that says all that is of use.
func plain(err error) error {
	var refused *unauthorizedError
	if errors.As(err, &refused) {
		return refused
	}
	var request *url.Error
	if errors.As(err, &request) {
		return request.Err
	}
	return err
}

// fileURI is the URI of a root.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// why says why a server that was up is not any more.
func (l *live) why() error {
	if l.stdio != nil {
		if ended := l.stdio.ended(); ended != nil {
			return ended
		}
	}
	if l.broken != nil {
		return plain(l.broken)
	}
	return errors.New("it closed the connection")
}

func (l *live) isDead() bool {
	select {
	case <-l.dead:
		return true
	default:
		return false
	}
}

// close ends a server, whatever its state, and waits until nothing is left of it.
func (l *live) close() {
	asking := l.questions.Load() > 0
	l.end()
	if l.web != nil && asking {
		time.Sleep(lastAnswers)
	}
	if l.stdio != nil {
		_ = l.stdio.Close()
	}
	said := make(chan struct{})
	go func() {
		defer close(said)
		if l.session != nil {
			_ = l.session.Close()
		}
	}()
	if l.web != nil {
		parting := time.NewTimer(goodbye)
		defer parting.Stop()
		select {
		case <-said:
		case <-parting.C:
		}
		l.web.close()
	}
	<-said
	<-l.dead
	if l.stdio != nil {
		grace := l.stdio.grace
		ctx, cancel := context.WithTimeout(context.Background(), 2*grace+unkillable)
		defer cancel()
		l.stdio.wait(ctx)
	}
}
