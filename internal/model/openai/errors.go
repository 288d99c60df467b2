package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/wire"
)

// maxErrorBytes bounds what is read of a failure's body. The rest is not read.
const maxErrorBytes = 64 << 10

// final is an error that the same request would bring again.
func (m *provider) final(format string, args ...any) error {
	return &model.Error{Provider: m.o.Provider, Final: true, Message: fmt.Sprintf(format, args...)}
}

// refuse stands between us and the library, which forgets the status of what is not JSON. What is no stream becomes an error
// here.
func (m *provider) refuse(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	res, err := next(req)
	if err != nil {
		return res, err
	}
	kind, _, _ := strings.Cut(strings.ToLower(res.Header.Get("Content-Type")), ";")
	page := kind == "text/html"
	if res.StatusCode/100 == 2 && !page && kind != "application/json" {
		return res, nil
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxErrorBytes))
	if err != nil && req.Context().Err() != nil {
		return nil, req.Context().Err()
	}
	if res.StatusCode/100 != 2 {
		return nil, m.failed(res, page, body)
	}
	if err := m.failure(body); err != nil {
		return nil, err
	}
	if page {
		return nil, m.final("it answers with a web page; is the base URL right?")
	}
	return nil, m.final("it answers with JSON instead of a stream: %s", m.line(string(body)))
}

// failed is a status that is no success.
func (m *provider) failed(res *http.Response, page bool, body []byte) *model.Error {
	e := m.failureOf(body)
	if e == nil {
		c := &complaint{text: wire.Hide(string(body), m.o.Key)}
		e = &model.Error{Provider: m.o.Provider, Message: m.line(c.text), TooLong: c.tooLong(), Cause: c}
	}
	e.Status = res.StatusCode
	e.RetryAfter = wire.RetryAfter(res.Header, time.Now())
	if page || e.Message == "" {
		e.Message = strings.ToLower(http.StatusText(res.StatusCode))
	}
	e.TooLong = e.TooLong || e.Status == http.StatusRequestEntityTooLarge
	e.Final = e.TooLong
	var c *complaint
	if errors.As(e, &c) {
		e.Final = e.Final || c.exhausted() // everything else is as final as the status
	}
	return e
}

// explain turns everything that can go wrong into ctx's error or the provider's.
func (m *provider) explain(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, errGone) {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var failure *model.Error
	if errors.As(err, &failure) {
		return failure
	}
	var unreachable *url.Error
	if !errors.As(err, &unreachable) {
		return &model.Error{Provider: m.o.Provider, Final: true, Message: m.line("it can't be asked: " + err.Error()), Cause: err}
	}
	message := "there is no answer: " + unreachable.Err.Error()
	if u, err := url.Parse(unreachable.URL); err == nil {
		message = fmt.Sprintf("%s does not answer: %v", u.Host, unreachable.Err)
	}
	return &model.Error{Provider: m.o.Provider, Message: m.line(message), Cause: err}
}

// line is text as a message.
func (m *provider) line(text string) string { return wire.Line(text, m.o.Key) }
