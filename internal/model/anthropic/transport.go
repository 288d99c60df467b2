package anthropic

import (
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go/v2/option"

	"github.com/patchbay-dev/patchbay/internal/model"
)

// maxShown bounds what is read of an answer that is none, in bytes, to show its beginning.
const maxShown = 2 << 10

// expectStream refuses what is no stream of events although its status is a success (T6): the page of a proxy or of a
// portal, an answer in one piece.
func expectStream(request *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	response, err := next(request)
	if err != nil || response.StatusCode >= 400 {
		return response, err
	}
	kind := response.Header.Get("Content-Type")
	if media, _, _ := mime.ParseMediaType(kind); response.StatusCode == http.StatusOK && (media == "text/event-stream" || kind == "") {
		return response, nil
	}
	defer response.Body.Close()
	begin, _ := io.ReadAll(io.LimitReader(response.Body, maxShown))
	return nil, &model.Error{
		Status:  response.StatusCode,
		Final:   true,
		Message: fmt.Sprintf("it answers with %q where a stream of events was expected: %s", kind, begin),
	}
}
