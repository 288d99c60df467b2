package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	fetchTime      = 30 * time.Second // for all of a fetch
	maxRedirects   = 5
	maxHeaderBytes = 64 << 10
)

// Web says how pages are fetched. The zero value is right for everyone but tests and networks without the Internet.
//
// A page is fetched by this process, straight from its host: the proxies that the environment may name are not used, since
// it would be they who look up names then, and nobody could check where a request goes. There are no cookies and no
// credentials.
type Web struct {
	// Private allows addresses that are not on the public Internet: this machine, its networks, and what clouds have there.
	Private bool

	// Timeout is how long a fetch may take. Zero means 30 seconds.
	Timeout time.Duration
}

// A page is what was fetched.
type page struct {
	url    *url.URL // after redirects
	status int
	media  string // Content-Type as sent
	body   []byte
	whole  bool  // otherwise the body is the beginning
	size   int64 // of all of it, as the server says; -1 if it doesn't
}

// A redirectError is a redirect that is not followed.
type redirectError struct {
	to  string
	why string
}

func (e *redirectError) Error() string {
	return fmt.Sprintf("it redirects to %s, %s", e.to, e.why)
}

// fetch gets a page, at most max bytes of its body.
func (w Web) fetch(ctx context.Context, address *url.URL, max int64) (*page, error) {
	limit := cmp.Or(w.Timeout, fetchTime)
	timed, stop := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than %s", limit))
	defer stop()
	p, err := w.get(timed, address, max)
	switch {
	case err == nil:
		return p, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case timed.Err() != nil:
		return nil, context.Cause(timed)
	}
	return nil, plainError(err)
}

func (w Web) get(ctx context.Context, address *url.URL, max int64) (*page, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "patchbay")
	req.Header.Set("Accept", "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/*;q=0.8, application/json;q=0.8, */*;q=0.5")
	transport := w.transport()
	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport, CheckRedirect: checkRedirect}).Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	p := &page{url: resp.Request.URL, status: resp.StatusCode, media: resp.Header.Get("Content-Type"), size: resp.ContentLength}
	p.body, err = io.ReadAll(io.LimitReader(resp.Body, max+1)) // of the text, once it is unpacked
	if err != nil {
		return nil, fmt.Errorf("its text broke off after %d bytes: %w", len(p.body), err)
	}
	if p.whole = int64(len(p.body)) <= max; !p.whole {
		p.body = p.body[:max]
	}
	return p, nil
}

// transport makes one for a single fetch: nothing of it stays open.
func (w Web) transport() *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second}
	if !w.Private {
		dialer.Control = control
	}
	return &http.Transport{
		Proxy:                  nil,
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		DisableKeepAlives:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// checkRedirect looks at a redirect before it is followed. One to another host is for the model to see, and for the user to
// allow: what they have allowed is the host that was asked for.
func checkRedirect(next *http.Request, before []*http.Request) error {
	to := next.URL.Redacted()
	if len(before) > maxRedirects {
		return &redirectError{to, fmt.Sprintf("after %d redirects, which is where it ends", maxRedirects)}
	}
	if err := checkURL(next.URL); err != nil {
		return &redirectError{to, "which is not followed: " + err.Error()}
	}
	first := before[0].URL
	switch {
	case site(next.URL) != site(first):
		return &redirectError{to, "which is another host: fetch that if you want it"}
	case before[len(before)-1].URL.Scheme == "https" && next.URL.Scheme == "http":
		return &redirectError{to, "which is not encrypted any more: fetch that if you want it"}
	}
	return nil
}

// site is a host as far as permission goes: with and without "www." are the same.
func site(u *url.URL) string {
	return strings.TrimPrefix(strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), "www.")
}

// checkURL reports what keeps an address from being fetched.
func checkURL(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("its scheme is %q, and only http and https are fetched", u.Scheme)
	case u.Hostname() == "":
		return errors.New("it has no host")
	case u.User != nil:
		return errors.New("it has a user name or password in it, which are not sent")
	}
	return nil
}

// plainError takes from an error of package net/http what its caller says anyway: the method and the address.
func plainError(err error) error {
	var redirect *redirectError
	var private *privateError
	var outer *url.Error
	switch {
	case errors.As(err, &redirect):
		return redirect
	case errors.As(err, &private):
		return private
	case errors.As(err, &outer):
		return outer.Err
	}
	return err
}
