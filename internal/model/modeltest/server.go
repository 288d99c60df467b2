package modeltest

import (
	"cmp"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
)

// A Server is every provider at once, on one local address: it streams the same scripted answers in the wire format in
// which it is asked.
type Server struct {
	// URL is where it listens: "http://127.0.0.1:1234". The formats' base URLs are at AnthropicURL, OpenAIURL and GeminiURL.
	URL string

	// Keyless is set before the first request if the server is to want no key, as those at home do.
	Keyless bool

	// Foreign is set before the first request if it comes from agents of others: what a vendor would refuse but no
	// agent of ours may send is let pass, and answers need not be streams.
	Foreign bool

	answer func(*Heard) Answer
	end    chan struct{} // closed when the test is over; whoever waits for nothing ends then

	mu    sync.Mutex
	heard []*Heard
}

// A Heard is a request as the server has understood it.
type Heard struct {
	Format string // "anthropic", "responses", "chat" or "gemini"
	Path   string
	Header http.Header
	Body   acp.Raw // as it came

	Model    string
	System   string
	Messages []Said
	Tools    []string // names
	Schemas  map[string]acp.Raw

	keyless bool // the server wants no key
	foreign bool // it is Foreign
	whole   bool // the answer is to be no stream
}

// Said is a message of a request.
type Said struct {
	Role    string // "user" or "assistant"
	Text    string
	Images  int
	Audio   int
	Calls   []Called
	Results []Returned
}

// Called is a call that the model has made, or is to make.
type Called struct {
	ID    string // made up by the server if it is empty
	Name  string
	Input string // JSON
}

// Returned is what became of a call.
type Returned struct {
	ID, Text string
	Images   int
	Failed   bool // only where the format can say it
}

// An Answer is what the model says, or how it fails.
type Answer struct {
	Thought string
	Text    string // streamed word by word
	Calls   []Called
	Stop    string // "end", "max_tokens" or "refusal"; default "end", or "calls" when there are some

	Input, Output, Thoughts, CacheRead, CacheWrite int // tokens; a default of 100 in and 10 out

	Fault Fault
}

// A Fault is what goes wrong.
type Fault struct {
	Status     int         // answer with it, and Message in the provider's words, instead of a stream
	RetryAfter string      // a header that goes with Status
	Message    string      // default "stub says no"
	At         int         // after so many pieces of Text or of calls' inputs the next ones happen
	Cut        bool        // the connection ends
	Garbage    bool        // a line that is no event, and the connection ends
	Silent     bool        // nothing more comes, until the client goes
	Error      bool        // an error event of the format, in mid-stream
	Endless    Endless     // something that has no end is sent, until the client goes
	Piece      func(n int) // called before the piece n is sent, from 0; may wait
}

// An Endless is what has no end.
type Endless string

// What may have no end.
const (
	EndlessText Endless = "text" // the words of Text are said again and again, an event each
	EndlessLine Endless = "line" // an event has a line without an end
	EndlessBody Endless = "body" // instead of a stream comes JSON, or with Status an error
)

// New returns a server that is closed when the test ends. It asks answer, one request at a time, what to say.
func New(t testing.TB, answer func(*Heard) Answer) *Server {
	s := &Server{answer: answer, end: make(chan struct{})}
	web := httptest.NewServer(s)
	s.URL = web.URL
	t.Cleanup(func() {
		close(s.end)
		web.CloseClientConnections()
		web.Close()
	})
	return s
}

// Script returns an answer function that says one thing after the other, and the last one again and again.
func Script(answers ...Answer) func(*Heard) Answer {
	var mu sync.Mutex
	n := 0
	return func(*Heard) Answer {
		mu.Lock()
		defer mu.Unlock()
		a := answers[min(n, len(answers)-1)]
		n++
		return a
	}
}

// Heard returns the requests so far.
func (s *Server) Heard() []*Heard {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Heard(nil), s.heard...)
}

// Last returns the last request.
func (s *Server) Last() *Heard {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.heard) == 0 {
		return &Heard{}
	}
	return s.heard[len(s.heard)-1]
}

// A format is one provider's wire: it reads a request and streams an answer.
type format interface {
	// takes reports whether a path is one of the format's.
	takes(path string) bool

	// read understands a request.
	read(r *http.Request, body acp.Raw, h *Heard) error

	// fail answers with Fault.Status.
	fail(w http.ResponseWriter, f Fault)

	// write streams an answer. It returns when the stream is over, or f.stopped says that it has to break off.
	write(st *stream, h *Heard, a Answer)
}

// ServeHTTP answers a request of any format.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || s.Foreign && aside(w, r) {
		return
	}
	for _, f := range formats {
		if f.takes(r.URL.Path) {
			s.serve(w, r, f, body)
			return
		}
	}
	http.NotFound(w, r)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request, f format, body acp.Raw) {
	h := &Heard{Path: r.URL.Path, Header: r.Header, Body: body, Schemas: map[string]acp.Raw{}, keyless: s.Keyless, foreign: s.Foreign}
	if err := f.read(r, body, h); err != nil {
		f.fail(w, Fault{Status: http.StatusBadRequest, Message: err.Error()})
		return
	}
	s.mu.Lock()
	s.heard = append(s.heard, h)
	s.mu.Unlock()
	a := s.answer(h).withDefaults()
	if a.Fault.Endless == EndlessBody {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(cmp.Or(a.Fault.Status, http.StatusOK))
		forever(w, `{"error":"`)
	}
	if a.Fault.Status != 0 {
		if a.Fault.RetryAfter != "" {
			w.Header().Set("Retry-After", a.Fault.RetryAfter)
		}
		f.fail(w, a.Fault)
		return
	}
	if h.whole {
		whole(w, h, a)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	f.write(&stream{w: w, r: r, fault: a.Fault, end: s.end}, h, a)
}

func (a Answer) withDefaults() Answer {
	if a.Input == 0 && a.Output == 0 {
		a.Input, a.Output = 100, 10
	}
	if a.Stop == "" {
		a.Stop = "end"
		if len(a.Calls) > 0 {
			a.Stop = "calls"
		}
	}
	if a.Fault.Message == "" {
		a.Fault.Message = "stub says no"
	}
	return a
}
