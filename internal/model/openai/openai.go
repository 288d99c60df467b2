package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"sync"

	"github.com/patchbay-dev/patchbay/internal/model"
	"github.com/patchbay-dev/patchbay/internal/model/wire"
)

// A provider is a model behind one of the two APIs.
type provider struct {
	o   Options
	api api

	mu      sync.Mutex
	refused map[wish]bool // what the server has been asked for in vain; guarded by mu
}

// An api is one of the two ways to ask.
type api interface {
	// wishes are what is asked for, if the server takes it.
	wishes(r *model.Request) []wish

	// send makes a request that asks for what is granted.
	send(ctx context.Context, r *model.Request, granted []wish) (*http.Response, error)

	// reader understands the answer.
	reader(a *answer) reader
}

// A reader understands the events of an answer and tells them to whoever listens.
type reader interface {
	// event reads one event, a JSON object. It reports whether it was the last one.
	event(data []byte) (done bool, err error)

	// end is called when the stream is over, which may have come too early: cause is why, or errDone.
	end(cause error) error
}

// Info says what the model is.
func (m *provider) Info() model.Info { return m.o.Info() }

// Stream goes on with the conversation.
func (m *provider) Stream(ctx context.Context, r *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		if err := m.answer(ctx, r, yield); err != nil && !errors.Is(err, errGone) {
			yield(nil, err)
		}
	}
}

// errGone says that nobody listens any more.
var errGone = errors.New("nobody listens")

func (m *provider) answer(ctx context.Context, r *model.Request, yield func(model.Event, error) bool) error {
	if err := model.CheckCalls(r.Messages); err != nil {
		return m.final("%v", err)
	}
	res, err := m.ask(ctx, r)
	if err != nil {
		return m.explain(ctx, err)
	}
	defer res.Body.Close()
	a := &answer{m: m, r: r, yield: yield, made: model.NewCalls(r)}
	return m.explain(ctx, m.read(res, m.api.reader(a), a))
}

// ask makes the request. What the server refuses to take is left out of a second one.
func (m *provider) ask(ctx context.Context, r *model.Request) (*http.Response, error) {
	for {
		granted := m.granted(m.api.wishes(r))
		res, err := m.api.send(ctx, r, granted)
		if err == nil || !m.concede(err, granted) {
			return res, err
		}
	}
}

// read reads the answer to its end. It looks at the events itself: the library's Stream takes `"error": null` for an error,
// and does not tell an end from a cut.
func (m *provider) read(res *http.Response, rd reader, a *answer) error {
	for event, err := range wire.Events(res.Body) {
		var page wire.NoStream
		switch {
		case errors.As(err, &page):
			return m.garbage([]byte(page), nil)
		case err != nil:
			return rd.end(err)
		case bytes.HasPrefix(event.Data, []byte("[DONE]")):
			return rd.end(errDone)
		case event.Name == "error":
			return m.broken(event.Data)
		case event.Data[0] != '{':
			return m.garbage(event.Data, nil)
		}
		if err := m.failure(event.Data); err != nil {
			return err
		}
		if err := a.tell(model.Alive{}); err != nil {
			return err
		}
		if done, err := rd.event(event.Data); done || err != nil {
			return err
		}
	}
	return rd.end(io.ErrUnexpectedEOF)
}

// errDone is the end of a stream that says so itself.
var errDone = errors.New("the stream is done")

// cut says that the answer has no end.
func (m *provider) cut(cause error) error {
	var failure *model.Error
	if errors.As(cause, &failure) {
		return failure
	}
	message := "the answer broke off"
	if !errors.Is(cause, errDone) && !errors.Is(cause, io.ErrUnexpectedEOF) {
		message += ": " + m.line(cause.Error())
	}
	return &model.Error{Provider: m.o.Provider, Message: message, Cause: cause}
}

// garbage says that what came is no event.
func (m *provider) garbage(data []byte, cause error) error {
	return &model.Error{
		Provider: m.o.Provider, Final: true, Cause: cause,
		Message: fmt.Sprintf("its answer makes no sense: %s", m.line(string(data[:min(len(data), 200)]))),
	}
}
