package anthropic

import (
	"errors"
	"net/http"
	"strings"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/go-json-experiment/json"

	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/wire"
)

// statuses are the HTTP statuses that the API's types of errors have. An error in mid-stream has a type but no status.
var statuses = map[string]int{
	"invalid_request_error": http.StatusBadRequest,
	"authentication_error":  http.StatusUnauthorized,
	"billing_error":         http.StatusPaymentRequired,
	"permission_error":      http.StatusForbidden,
	"not_found_error":       http.StatusNotFound,
	"conflict_error":        http.StatusConflict,
	"request_too_large":     http.StatusRequestEntityTooLarge,
	"rate_limit_error":      http.StatusTooManyRequests,
	"api_error":             http.StatusInternalServerError,
	"timeout_error":         http.StatusGatewayTimeout,
	"overloaded_error":      529,
}

// spent are the codes of a 429 that waiting doesn't help: there is no money left.
var spent = map[sdk.ErrorCode]bool{
	sdk.ErrorCodeContractSpendLimitReached: true,
	sdk.ErrorCodeEnforcedSpendLimitReached: true,
}

// failure says what has gone wrong in the words of the vocabulary.
func (m *claude) failure(err error) *model.Error {
	var known *model.Error
	var api *sdk.Error
	switch {
	case errors.As(err, &known):
	case errors.As(err, &api):
		known = fromAPI(api)
	default:
		known = &model.Error{Message: err.Error(), Cause: err}
	}
	known.Provider = m.o.Provider
	known.Message = wire.Line(known.Message, m.o.Key)
	return known
}

// fromAPI leaves the library's error out: it has the whole request in it, key and all.
func fromAPI(api *sdk.Error) *model.Error {
	e := &model.Error{Status: api.StatusCode, Message: words(api)}
	if api.Response != nil {
		e.RetryAfter = wire.RetryAfter(api.Response.Header, time.Now())
		e.Final = api.Response.Header.Get("X-Should-Retry") == "false" || spent[api.ErrorCode()]
	}
	e.TooLong = tooLong(e)
	e.Final = e.Final || e.TooLong
	return e
}

// failed reads an error that comes in mid-stream, when the HTTP status was a success.
func failed(data []byte) *model.Error {
	var event struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(data, &event, lenient) != nil || event.Error.Message == "" {
		return &model.Error{Message: "the answer ends with an error: " + string(data)}
	}
	e := &model.Error{Status: statuses[event.Error.Type], Message: event.Error.Message}
	e.TooLong = tooLong(e)
	e.Final = e.TooLong
	return e
}

// words are what the provider says about its failure. A server in between, which doesn't speak the API, sends a page: its
// beginning has to do, or the name of the status.
func words(api *sdk.Error) string {
	if api.Message != "" {
		return api.Message
	}
	if s := strings.TrimSpace(api.RawJSON()); s != "" && !strings.HasPrefix(s, "<") {
		return s
	}
	if s := http.StatusText(api.StatusCode); s != "" {
		return s
	}
	return "it gives no reason"
}

// tooLong reports whether a failure says that the conversation doesn't fit: into the model, or into a request.
func tooLong(e *model.Error) bool {
	switch e.Status {
	case http.StatusRequestEntityTooLarge:
		return true
	case http.StatusBadRequest:
		s := strings.ToLower(e.Message)
		return strings.Contains(s, "prompt is too long") || strings.Contains(s, "context limit") || strings.Contains(s, "context window")
	}
	return false
}

// rejectsThoughts reports whether an error says that thoughts of earlier answers are not taken back: they are signed, and
// bound to everything that was said before them, so that a conversation that was compacted, or whose instructions or
// tools have changed, makes them void.
func rejectsThoughts(err error) bool {
	var api *sdk.Error
	if !errors.As(err, &api) || api.StatusCode != http.StatusBadRequest {
		return false
	}
	s := strings.ToLower(api.Message)
	return strings.Contains(s, "thinking") && (strings.Contains(s, "signature") || strings.Contains(s, "cannot be modified"))
}
