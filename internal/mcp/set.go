package mcp

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
)

// Options say how a session's servers are run. The zero value works.
type Options struct {
	// Client is who we are, as servers are told. Empty means Patchbay.
	Client acp.Implementation

	// Dir is the session's working directory, an absolute path, and that of servers that are processes of ours. Empty means
	// this process's own.
	Dir string

	// Roots are the session's roots, absolute paths, for servers that ask. Nil means Dir alone.
	Roots []string

	// StartTimeout is how long a server may take to start, say that it is there and list what it has. Zero means 60 s, since
	// npx and uvx may have to fetch it first (F94).
	StartTimeout time.Duration

	// CallTimeout is how long a call may go without an answer. Each report of progress starts the time anew, and while the
	// user is asked something it stands still. Zero means 10 minutes.
	CallTimeout time.Duration

	// Grace is how long a process may take to end by itself after its standard input was closed, and again after SIGTERM.
	// Then it is killed, with all that it has started. Zero means 2 s.
	Grace time.Duration

	// MaxText is how many bytes of text of a result or a prompt are kept, from its beginning. Zero means 100,000.
	MaxText int

	// OnStatus gets the state of a server whenever it changes; see Set.Status. OnChange is called when there are other tools
	// or prompts than before. They are called one at a time, and none after Close has returned: they must return soon, and
	// must not call Close.
	OnStatus func(Status)
	OnChange func()

	// Elicit asks the user something on behalf of a server. Its context ends when the server doesn't want to know any more.
	// Nil means that servers are told that nobody can be asked, and one that asks all the same gets a refusal.
	Elicit func(context.Context, Elicitation) (acp.ElicitationAction, error)

	// ElicitURL is set if Elicit can send the user to a web page, too.
	ElicitURL bool

	// Logger gets what may help to find out why a server doesn't work. Nil means that nothing is logged.
	Logger *slog.Logger
}

func (o Options) withDefaults() Options {
	o.Client.Name = cmp.Or(o.Client.Name, "patchbay")
	o.Client.Version = cmp.Or(o.Client.Version, "0")
	o.StartTimeout = cmp.Or(o.StartTimeout, time.Minute)
	o.CallTimeout = cmp.Or(o.CallTimeout, 10*time.Minute)
	o.Grace = cmp.Or(o.Grace, 2*time.Second)
	o.MaxText = cmp.Or(o.MaxText, 100_000)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Roots == nil && o.Dir != "" {
		o.Roots = []string{o.Dir}
	}
	return o
}

// ErrClosed is the error of a call that was made or under way when the set was closed.
var ErrClosed = errors.New("the session's MCP servers have been shut down")

// A Set is the servers of a session. Start makes one. Its methods may be called at any time from anywhere.
type Set struct {
	options  Options
	redactor *redactor
	servers  []*server
	over     context.Context // ends with Close
	end      context.CancelFunc
	running  sync.WaitGroup // a goroutine for each server
	news     *news

	mu    sync.Mutex
	names *names
}

// Start starts servers, all at once, and returns at once: Wait waits for them. When ctx ends, so do they, and Close
// must be called all the same.
func Start(ctx context.Context, servers []acp.MCPServer, o Options) *Set {
	s := &Set{options: o.withDefaults(), redactor: newRedactor(servers), names: newNames()}
	s.over, s.end = context.WithCancel(ctx)
	s.news = startNews(o.OnStatus, o.OnChange)
	shown := make([]string, len(servers))
	for i, config := range servers {
		shown[i] = s.redactor.reason(nameOfServer(config))
	}
	for i, p := range prefixes(shown) {
		s.servers = append(s.servers, newServer(s, servers[i], shown[i], p))
	}
	for _, server := range s.servers {
		s.running.Go(server.run)
	}
	return s
}

// Close ends all servers: their calls fail, processes are led out with all that they have started, sessions behind HTTP are
// said goodbye to. It waits for that, for about twice Options.Grace at most unless the kernel keeps a process alive.
func (s *Set) Close() {
	s.end()
	s.running.Wait()
	s.news.close()
}

// Wait waits until no server is starting for the first time: until each is ready or has failed. If ctx ends first, it
// returns the cause; what joins later is reported by Options.OnChange.
func (s *Set) Wait(ctx context.Context) error {
	for _, server := range s.servers {
		select {
		case <-server.settled:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// Status returns the state of each server, in the order of the configuration (F110, F113).
func (s *Set) Status() []Status {
	list := make([]Status, len(s.servers))
	for i, server := range s.servers {
		list[i] = server.status()
	}
	return list
}

// Tools returns the tools of all servers that have been ready, in the order of the configuration and of each server's list.
func (s *Set) Tools() []*Tool {
	var list []*Tool
	for _, server := range s.servers {
		list = append(list, server.has().tools...)
	}
	return list
}

// Prompts returns the prompts of all servers that have been ready.
func (s *Set) Prompts() []*Prompt {
	var list []*Prompt
	for _, server := range s.servers {
		list = append(list, server.has().prompts...)
	}
	return list
}

// find returns the server that has something by a name, and its own name for it.
func (s *Set) find(what kind, name string) (*server, string) {
	for _, server := range s.servers {
		has := server.has()
		switch what {
		case aTool:
			if i := slices.IndexFunc(has.tools, func(t *Tool) bool { return t.Name == name }); i >= 0 {
				return server, has.tools[i].own
			}
		case aPrompt:
			if i := slices.IndexFunc(has.prompts, func(p *Prompt) bool { return p.Name == name }); i >= 0 {
				return server, has.prompts[i].own
			}
		}
	}
	return nil, ""
}

// name gives something its name.
func (s *Set) name(what nameOf) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names.of(what, s.redactor.text(what.own))
}
