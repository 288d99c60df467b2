package gemini

import (
	"context"
	stdjson "encoding/json" // for the library's types, whose tags are meant for it
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"google.golang.org/genai"

	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/wire"
)

// errUnfinished is the failure of a stream that ends before the answer does.
var errUnfinished = errors.New("the stream has ended before the answer")

// A refused is what the API says instead of an answer, or in the middle of one.
type refused struct {
	genai.APIError
	status int         // 0 in the middle of an answer
	header http.Header // nil in the middle of an answer
}

// refusal reads an answer that is none. A text that breaks off has to do.
func refusal(response *http.Response) error {
	body, _ := io.ReadAll(response.Body)
	r := refused{status: response.StatusCode, header: response.Header}
	if e := errorIn(body); e != nil {
		r.APIError = *e
	} else {
		r.Message = string(body)
	}
	return r
}

// refusedIn is the error that an event, or what stands in place of a stream, tells of.
func refusedIn(data []byte) error {
	if e := errorIn(data); e != nil {
		return refused{APIError: *e}
	}
	return refused{APIError: genai.APIError{Message: string(data)}}
}

// errorIn is the error in an object, or nil.
func errorIn(data []byte) *genai.APIError {
	var object struct {
		Error *genai.APIError `json:"error"`
	}
	if stdjson.Unmarshal(data, &object) != nil {
		return nil
	}
	return object.Error
}

// unsendable is the error of a request that can't be put into the API's words.
func (m *gemini) unsendable(format string, args ...any) *model.Error {
	return &model.Error{Final: true, Message: "nothing was sent: " + fmt.Sprintf(format, args...)}
}

// explain says how a request has failed: ctx's error if that has ended, else an *model.Error.
func (m *gemini) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var failure *model.Error
	if !errors.As(err, &failure) {
		failure = failed(err)
	}
	failure.Provider = m.o.Provider
	failure.Message = wire.Line(failure.Message, m.o.Key)
	return failure
}

// failed puts an error into our words.
func failed(err error) *model.Error {
	var said refused
	var unsent *url.Error
	var page wire.NoStream
	switch {
	case errors.As(err, &said):
		return said.failure()
	case errors.As(err, &unsent):
		return &model.Error{Message: "no answer: " + unsent.Err.Error(), Cause: err}
	case errors.Is(err, errUnfinished):
		return &model.Error{Message: err.Error(), Cause: err}
	case errors.As(err, &page):
		if e := errorIn([]byte(page)); e != nil {
			return refused{APIError: *e}.failure()
		}
		return &model.Error{Status: http.StatusOK, Final: true, Message: "it has sent what is no answer: " + string(page)}
	}
	return &model.Error{Message: "the connection broke off before the answer was complete: " + err.Error(), Cause: err}
}

func (r refused) failure() *model.Error {
	e := &model.Error{Status: r.Code, Message: strings.TrimSpace(r.Message), Cause: r.APIError}
	if r.status != 0 {
		e.Status = r.status
	}
	if e.Message == "" || strings.HasPrefix(e.Message, "<") {
		e.Message = strings.TrimSpace("it has said no more than " + http.StatusText(e.Status))
	}
	e.RetryAfter = max(wire.RetryAfter(r.header, time.Now()), detailDelay(r.Details))
	e.TooLong = tooLong(e.Status, r.Message)
	e.Final = e.TooLong || spentForToday(r.Details)
	return e
}

// tooLong reports whether the API says that a conversation has too many tokens, or too many bytes. It has no code for it.
func tooLong(status int, message string) bool {
	if status != http.StatusBadRequest && status != http.StatusRequestEntityTooLarge || !strings.Contains(message, "exceeds") {
		return false
	}
	return strings.Contains(message, "token count") || strings.Contains(message, "payload size")
}

// detailDelay is how long an error's details ask to wait, or 0.
func detailDelay(details []map[string]any) time.Duration {
	for _, d := range details {
		if isA(d, "RetryInfo") {
			text, _ := d["retryDelay"].(string)
			delay, err := time.ParseDuration(text)
			if err == nil {
				return max(0, delay)
			}
		}
	}
	return 0
}

// spentForToday reports whether a quota is spent that is renewed once a day. The delay that the API asks for is short even
// then.
func spentForToday(details []map[string]any) bool {
	for _, d := range details {
		violations, _ := d["violations"].([]any)
		for _, v := range violations {
			violation, _ := v.(map[string]any)
			if id, _ := violation["quotaId"].(string); isA(d, "QuotaFailure") && strings.Contains(id, "PerDay") {
				return true
			}
		}
	}
	return false
}

// isA reports whether a detail is of one of Google's types for errors.
func isA(detail map[string]any, name string) bool {
	return detail["@type"] == "type.googleapis.com/google.rpc."+name
}
