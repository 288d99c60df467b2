package mcp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-dev/patchbay/acp"
)

const (
	// goodbye is how long a server may take to hear that its session is over.
	goodbye = 2 * time.Second

	// firstStream is how long a server may take to begin its own stream of messages. One that says nothing until it has
	// something to say does without: waiting for it would be waiting for ever.
	firstStream = 2 * time.Second

	// A stream of messages may bring so many bytes at once, and then so many a second: what is not acted on costs time all
	// the same.
	streamBurst = 64 << 20
	streamRate  = 16 << 20
)

// A web is how a server behind HTTP is reached: every request of the SDK passes through it.
type web struct {
	endpoint *url.URL
	headers  []acp.HTTPHeader
	base     *http.Transport
	over     context.Context // its end ends all requests and what is read of their answers
	end      context.CancelFunc
	streams  atomic.Bool // the first stream has been asked for
	listens  bool        // the transport opens a stream of its own, which may be refused
}

// newWeb checks an address. Nothing is sent yet.
func newWeb(address string, headers []acp.HTTPHeader, listens bool) (*web, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, errors.New("its URL can't be read") // the error quotes it
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("its URL has the scheme %q rather than http or https", u.Scheme)
	case u.Host == "":
		return nil, errors.New("its URL names no host")
	}
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.MaxResponseHeaderBytes = 1 << 20
	w := &web{endpoint: u, headers: headers, base: base, listens: listens}
	w.over, w.end = context.WithCancel(context.Background())
	return w, nil
}

// Connect makes it a transport of the SDK. The old transport's only stream is part of connecting, so that what bounds the
// latter must not end the former.
func (w *web) Connect(ctx context.Context) (sdk.Connection, error) {
	stop := context.AfterFunc(ctx, w.end)
	defer stop()
	client := &http.Client{Transport: w, CheckRedirect: checkRedirect}
	if w.listens {
		t := &sdk.StreamableClientTransport{Endpoint: w.endpoint.String(), HTTPClient: client, MaxEventSize: maxMessage}
		return t.Connect(ctx)
	}
	t := &sdk.SSEClientTransport{Endpoint: w.endpoint.String(), HTTPClient: client, MaxEventSize: maxMessage}
	return t.Connect(w.over)
}

// checkRedirect refuses to go on as something else: a POST that turned into a GET would be answered by nonsense. RoundTrip
// refuses other hosts.
func checkRedirect(to *http.Request, via []*http.Request) error {
	switch {
	case len(via) >= 5:
		return errors.New("it redirects too often")
	case to.Method != via[0].Method:
		return errors.New("it redirects in a way that loses the message; give the address that it redirects to")
	}
	return nil
}

// An unauthorizedError is a server's refusal of the credentials, or of their lack.
type unauthorizedError struct{ status int }

func (e *unauthorizedError) Error() string {
	return fmt.Sprintf("it refuses the credentials in its headers, or wants some: HTTP status %d %s", e.status, http.StatusText(e.status))
}

// close ends all requests and gives up the connections.
func (w *web) close() {
	w.end()
	w.base.CloseIdleConnections()
}

// RoundTrip sends a request of the SDK with the server's headers, to the server only: neither a redirect nor the server's own
// word makes the credentials go elsewhere.
func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != w.endpoint.Scheme || !strings.EqualFold(r.URL.Host, w.endpoint.Host) {
		return nil, fmt.Errorf("it sends us on to %s, which is not followed since the credentials are not meant for it", origin(r.URL))
	}
	ctx, cancel := context.WithCancel(r.Context())
	stop := context.AfterFunc(w.over, cancel)
	release := func() { stop(); cancel() }
	r = r.Clone(ctx)
	w.addHeaders(r)
	response, err := w.send(r, cancel)
	if err != nil {
		release()
		return nil, explainTLS(err)
	}
	if response.StatusCode == http.StatusUnauthorized || response.StatusCode == http.StatusForbidden {
		_ = response.Body.Close()
		release()
		return nil, &unauthorizedError{response.StatusCode}
	}
	response.Body = w.bounded(response, ctx, release)
	return response, nil
}

// send sends a request. Some of them may not take as long as they like.
func (w *web) send(r *http.Request, cancel context.CancelFunc) (*http.Response, error) {
	listens := w.listens && r.Method == http.MethodGet && w.streams.CompareAndSwap(false, true)
	var limit time.Duration
	switch {
	case listens:
		limit = firstStream
	case r.Method == http.MethodDelete:
		limit = goodbye
	default:
		return w.base.RoundTrip(r)
	}
	timer := time.AfterFunc(limit, cancel)
	response, err := w.base.RoundTrip(r)
	if late := !timer.Stop(); late && listens && w.over.Err() == nil {
		if err == nil {
			_ = response.Body.Close()
		}
		return &http.Response{
			Status: "405 Method Not Allowed", StatusCode: http.StatusMethodNotAllowed, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{}, Body: http.NoBody, Request: r,
		}, nil
	}
	return response, err
}

// addHeaders adds the server's headers. Those that the protocol needs stay as they are.
func (w *web) addHeaders(r *http.Request) {
	for _, h := range w.headers {
		name := http.CanonicalHeaderKey(strings.TrimSpace(h.Name))
		switch {
		case name == "Host":
			r.Host = h.Value
		case name == "Content-Type" || name == "Accept" || name == "Last-Event-Id" || strings.HasPrefix(name, "Mcp-"):
		default:
			r.Header.Set(name, h.Value)
		}
	}
}

// origin is where a URL leads, without what is nobody's business.
func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// explainTLS says first what kind of error it is.
func explainTLS(err error) error {
	var certificate *tls.CertificateVerificationError
	if errors.As(err, &certificate) {
		return fmt.Errorf("its TLS certificate can't be trusted: %w", certificate.Err)
	}
	var record tls.RecordHeaderError
	if errors.As(err, &record) {
		return errors.New("it does not speak TLS at this address; perhaps http:// is meant")
	}
	return err
}

// bounded returns an answer's body that ends when it has to. An answer as a whole may have maxMessage bytes, a stream any
// number, but not all at once.
func (w *web) bounded(response *http.Response, ctx context.Context, release func()) io.ReadCloser {
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	b := &body{ReadCloser: response.Body, ctx: ctx, release: release, left: maxMessage}
	if media == "text/event-stream" {
		b.stream, b.left, b.since = true, streamBurst, time.Now()
	}
	return b
}

// A body is what is read of an answer.
type body struct {
	io.ReadCloser
	ctx     context.Context
	release func()
	stream  bool
	left    int       // bytes that may be read
	since   time.Time // when left was what it is, for a stream
}

func (b *body) Read(p []byte) (int, error) {
	if err := b.await(); err != nil {
		return 0, err
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

// await waits until more may be read.
func (b *body) await() error {
	if !b.stream {
		if b.left <= 0 {
			return fmt.Errorf("the answer has more than %d bytes", maxMessage)
		}
		return nil
	}
	now := time.Now()
	b.left = min(streamBurst, b.left+int(now.Sub(b.since).Seconds()*streamRate))
	b.since = now
	if b.left > 0 {
		return nil
	}
	pause := time.NewTimer(100 * time.Millisecond)
	defer pause.Stop()
	select {
	case <-pause.C:
		return b.await()
	case <-b.ctx.Done():
		return b.ctx.Err()
	}
}

func (b *body) Close() error {
	b.release()
	return b.ReadCloser.Close()
}
