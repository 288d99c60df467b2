package mcp_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	logger "log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/mcp"
)

// serveWeb serves on a loopback port until the test is over.
func serveWeb(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

// served is the full server, whose sessions end with the test even if nobody says so.
func served(t *testing.T) *sdk.Server {
	s := full()
	t.Cleanup(func() {
		for session := range s.Sessions() {
			_ = session.Close()
		}
	})
	return s
}

// streamable and old are a server behind the two transports over HTTP.
func streamable(s *sdk.Server) http.Handler {
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
}

func old(s *sdk.Server) http.Handler {
	return sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return s }, nil)
}

var secretHeader = []acp.HTTPHeader{{Name: "Authorization", Value: "Bearer sesame-open"}, {Name: "X-Team", Value: "blue"}}

// guarded lets only those pass who bring the headers.
func guarded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer sesame-open" || r.Header.Get("X-Team") != "blue" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
}

func TestServersBehindHTTP(t *testing.T) {
	t.Parallel()
	for kind, configure := range map[string]func() acp.MCPServer{
		"http": func() acp.MCPServer {
			return &acp.MCPServerHTTP{Name: "s", URL: serveWeb(t, guarded(streamable(served(t)))).URL, Headers: secretHeader}
		},
		"sse": func() acp.MCPServer {
			return &acp.MCPServerSSE{Name: "s", URL: serveWeb(t, guarded(old(served(t)))).URL, Headers: secretHeader}
		},
	} {
		t.Run(kind, func(t *testing.T) {
			o := mcp.Options{Elicit: func(context.Context, mcp.Elicitation) (acp.ElicitationAction, error) {
				return &acp.ElicitationAcceptAction{Content: map[string]acp.ElicitationContentValue{"name": acp.StringValue("Ada")}}, nil
			}}
			s, _ := ready(t, o, configure())
			if r := call(t, s, "mcp__s__echo", `{"text":"over the wire"}`); r.Text != "over the wire" {
				t.Errorf("the result is %+v", r)
			}
			if r := call(t, s, "mcp__s__content", `{}`); len(r.Images) != 1 {
				t.Errorf("the images are %+v", r.Images)
			}
			if r := call(t, s, "mcp__s__ask", `{}`); r.Text != "accept Ada <nil>" {
				t.Errorf("the answer is %+v", r)
			}
			if m, err := s.Prompt(deadline(t), "mcp__s__review", map[string]string{"file": "a"}); err != nil || len(m) != 2 {
				t.Errorf("the prompt is %+v, %v", m, err)
			}
			call(t, s, "mcp__s__grow", `{"text":"branch"}`)
			eventually(t, "the list is read again", func() bool { return slices.Contains(toolNames(s), "mcp__s__branch") })
			ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
			defer cancel()
			if _, err := s.Call(ctx, mcp.Call{Tool: "mcp__s__slow", Input: acp.Raw(`{"text":""}`)}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the slow one: %v", err)
			}
			call(t, s, "mcp__s__echo", `{"text":"still there"}`)
		})
	}
}

func TestAServerBehindHTTPThatCannotBeUsedSaysWhy(t *testing.T) {
	elsewhere := serveWeb(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the other host is sent %v", r.Header)
	}))
	port := func(s *httptest.Server) string { return s.URL[strings.LastIndex(s.URL, ":"):] }
	redirect := func(to string, status int) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, status) })
	}
	encrypted := httptest.NewUnstartedServer(streamable(served(t)))
	encrypted.Config.ErrorLog = logger.New(io.Discard, "", 0) // of handshakes that fail
	encrypted.StartTLS()
	t.Cleanup(encrypted.Close)
	plain := serveWeb(t, streamable(served(t)))
	cases := []struct {
		name, url, want string
		headers         []acp.HTTPHeader
	}{
		{"no credentials", serveWeb(t, guarded(streamable(served(t)))).URL, "it refuses the credentials in its headers, or wants some: HTTP status 401 Unauthorized", nil},
		{"redirect", serveWeb(t, redirect("http://localhost"+port(elsewhere), 307)).URL, "it sends us on to http://localhost" + port(elsewhere), secretHeader},
		{"found", serveWeb(t, redirect("/other", 302)).URL, "it redirects in a way that loses the message", secretHeader},
		{"certificate", encrypted.URL, "its TLS certificate can't be trusted", nil},
		{"no TLS", strings.Replace(plain.URL, "http:", "https:", 1), "does not speak TLS", nil},
		{"nobody", "http://127.0.0.1:1/mcp", "connection refused", nil},
		{"header", plain.URL, "invalid header field value", []acp.HTTPHeader{{Name: "X", Value: "a\nb"}}},
		{"no host", "http:///mcp", "its URL names no host", nil},
		{"no URL", "http://a b%", "its URL can't be read", nil},
		{"page", serveWeb(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") })).URL, "unsupported content type", nil},
		{"endless", serveWeb(t, http.HandlerFunc(endless)).URL, "more than 16777216 bytes", nil},
	}
	for _, test := range cases {
		for _, config := range []acp.MCPServer{
			&acp.MCPServerHTTP{Name: "s", URL: test.url, Headers: test.headers}, &acp.MCPServerSSE{Name: "s", URL: test.url, Headers: test.headers},
		} {
			if _, isSSE := config.(*acp.MCPServerSSE); isSSE && (test.name == "page" || test.name == "endless" || test.name == "found") {
				continue // a GET that finds something else
			}
			t.Run(fmt.Sprintf("%s %T", test.name, config), func(t *testing.T) {
				s, _ := start(t, mcp.Options{}, config)
				if err := s.Wait(deadline(t)); err != nil {
					t.Fatal(err)
				}
				if status := s.Status()[0]; status.State != mcp.StateFailed || !strings.Contains(status.Reason, test.want) {
					t.Errorf("it is %+v", status)
				}
			})
		}
	}
}

// endless answers with JSON that does not end.
func endless(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	chunk := strings.Repeat(" ", 1<<20)
	for range 64 {
		if _, err := io.WriteString(w, chunk); err != nil {
			return
		}
	}
}

// An endpoint elsewhere, which the old transport lets a server name, would get the credentials.
func TestTheOldTransportsEndpointIsOnTheSameHost(t *testing.T) {
	elsewhere := serveWeb(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("the other host is sent %v", r.Header)
	}))
	s, _ := start(t, mcp.Options{}, &acp.MCPServerSSE{Name: "s", Headers: secretHeader, URL: serveWeb(t, http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "event: endpoint\ndata: %s/messages\n\n", elsewhere.URL)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		})).URL})
	if err := s.Wait(deadline(t)); err != nil {
		t.Fatal(err)
	}
	mustHold(t, s.Status()[0].Reason, "it sends us on to "+elsewhere.URL)
}

// Frameworks redirect to the address with a slash at its end.
func TestARedirectOnTheSameHostIsFollowed(t *testing.T) {
	inner := guarded(streamable(served(t)))
	web := serveWeb(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/mcp" {
			http.Redirect(w, r, "/mcp/", http.StatusTemporaryRedirect)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	s, _ := ready(t, mcp.Options{}, &acp.MCPServerHTTP{Name: "s", URL: web.URL + "/mcp", Headers: secretHeader})
	call(t, s, "mcp__s__echo", `{"text":"a"}`)
}

// A stream that is opened and says nothing, not even that it is open, is no reason to wait for ever.
func TestAServerWhoseOwnStreamNeverBeginsIsOfUse(t *testing.T) {
	t.Parallel()
	inner := streamable(served(t))
	web := serveWeb(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			<-r.Context().Done()
			return
		}
		inner.ServeHTTP(w, r)
	}))
	s, _ := ready(t, mcp.Options{}, &acp.MCPServerHTTP{Name: "s", URL: web.URL})
	call(t, s, "mcp__s__echo", `{"text":"a"}`)
}

// A server that has forgotten the session, say since it was started anew, gets a second one, and the call that finds out is
// made in that.
func TestASessionThatTheServerHasLostIsBegunAgain(t *testing.T) {
	var handler atomic.Pointer[http.Handler]
	fresh := func() { h := streamable(served(t)); handler.Store(&h) }
	fresh()
	web := serveWeb(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*handler.Load()).ServeHTTP(w, r) }))
	s, h := ready(t, mcp.Options{}, &acp.MCPServerHTTP{Name: "s", URL: web.URL})
	fresh()
	if r := call(t, s, "mcp__s__echo", `{"text":"again"}`); r.Text != "again" {
		t.Errorf("the result is %+v", r)
	}
	if !slices.Contains(h.of("s"), mcp.StateRestarting) {
		t.Errorf("the states are %v", h.of("s"))
	}
}

// A server that is busy is not dead.
func TestAServerThatIsBusyIsNotDead(t *testing.T) {
	var busy atomic.Bool
	inner := streamable(served(t))
	web := serveWeb(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if busy.Load() && r.Method == http.MethodPost {
			http.Error(w, "later", http.StatusServiceUnavailable)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	s, _ := ready(t, mcp.Options{}, &acp.MCPServerHTTP{Name: "s", URL: web.URL})
	busy.Store(true)
	_, err := s.Call(deadline(t), mcp.Call{Tool: "mcp__s__echo", Input: acp.Raw(`{"text":"a"}`)})
	if err == nil || !strings.Contains(err.Error(), "Service Unavailable") {
		t.Errorf("the error is %v", err)
	}
	busy.Store(false)
	call(t, s, "mcp__s__echo", `{"text":"a"}`)
	if status := s.Status()[0]; status.State != mcp.StateReady {
		t.Errorf("it is %+v", status)
	}
}

// The end of a session is told to the server, and doesn't wait for one that doesn't listen.
func TestAServerBehindHTTPHearsThatTheSessionIsOver(t *testing.T) {
	t.Parallel()
	for _, deaf := range []bool{false, true} {
		var mu sync.Mutex
		var deletes int
		inner := streamable(served(t))
		web := serveWeb(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodDelete {
				mu.Lock()
				deletes++
				mu.Unlock()
				if deaf {
					<-r.Context().Done()
					return
				}
			}
			inner.ServeHTTP(w, r)
		}))
		s, _ := ready(t, mcp.Options{}, &acp.MCPServerHTTP{Name: "s", URL: web.URL})
		begun := time.Now()
		s.Close()
		if took := time.Since(begun); took > 5*time.Second || !deaf && took > time.Second {
			t.Errorf("closing took %v, deaf: %v", took, deaf)
		}
		mu.Lock()
		if deletes != 1 {
			t.Errorf("%d requests say that it is over", deletes)
		}
		mu.Unlock()
	}
}
