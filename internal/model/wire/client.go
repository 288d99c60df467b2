package wire

import (
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/patchbay-dev/patchbay/internal/model"
)

// maxFailure bounds what is read of an answer whose status is no success, in bytes. The rest is as if it had not come.
const maxFailure = 1 << 20

// Client returns a client that requests as the one of the options does, and
//
//   - follows no redirection: the key would go to where nobody has sent it. It is an *model.Error that says where the server
//     is instead.
//   - reads no more of an answer than the options say. What is longer ends with an *model.Error, which is final.
func (o *Options) Client() *http.Client {
	c := http.Client{}
	if o.HTTP != nil {
		c = *o.HTTP
	}
	if c.Transport == nil {
		c.Transport = http.DefaultTransport
	}
	c.Transport = &transport{next: c.Transport, o: o}
	return &c
}

type transport struct {
	next http.RoundTripper
	o    *Options
}

// RoundTrip makes a request.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if to := t.elsewhere(res, r); to != nil {
		_ = res.Body.Close() // of no use, whatever becomes of it
		return nil, t.redirected(res.StatusCode, r.URL, to)
	}
	if res.StatusCode/100 != 2 {
		res.Body = beginning{io.LimitReader(res.Body, maxFailure), res.Body}
	} else {
		res.Body = &bounded{ReadCloser: res.Body, o: t.o}
	}
	return res, nil
}

// A beginning is the first bytes of a body.
type beginning struct {
	io.Reader
	io.Closer
}

// elsewhere is where an answer sends us on to, or nil.
func (t *transport) elsewhere(res *http.Response, r *http.Request) *url.URL {
	if res.StatusCode/100 != 3 || res.Header.Get("Location") == "" {
		return nil
	}
	to, err := r.URL.Parse(res.Header.Get("Location"))
	if err != nil {
		return &url.URL{Opaque: "an address that is none"}
	}
	return to
}

// redirected says what to configure instead. The path that a request adds to the base URL is not a part of it.
func (t *transport) redirected(status int, from, to *url.URL) *model.Error {
	there := *to
	there.User, there.RawQuery, there.Fragment = nil, "", ""
	message := "; base_url has to be where the API is"
	if added, ok := strings.CutPrefix(from.Path, t.basePath()); ok {
		if path, ok := strings.CutSuffix(there.Path, added); ok && added != "" {
			there.Path, message = path, "; set base_url to it"
		}
	}
	there.RawPath = ""
	return &model.Error{Provider: t.o.Provider, Status: status, Final: true, Message: "the server redirects to " + there.String() + message}
}

func (t *transport) basePath() string {
	base, err := url.Parse(t.o.BaseURL)
	if err != nil {
		return ""
	}
	return strings.TrimRight(base.Path, "/")
}
