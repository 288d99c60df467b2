package agent

import (
	"context"
	"errors"
	"unicode/utf8"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// Replay sends the history to the client, prompts included: what LoadSession has to do. It needs Options.KeepHistory.
//
// Spec: session-setup#loading-sessions.
func (s *Session) Replay(ctx context.Context) error {
	if !s.history.keep.Load() {
		return errNoHistory
	}
	for _, turn := range s.History() {
		id := acp.MessageID(s.next("user"))
		for _, block := range turn.Prompt {
			if err := s.repeat(ctx, &acp.UserMessageChunk{Content: block, MessageID: id}); err != nil {
				return err
			}
		}
		for _, u := range turn.Updates {
			if u = s.adapt(u); u == nil {
				continue
			}
			if err := s.repeat(ctx, u); err != nil {
				return err
			}
		}
	}
	return nil
}

// repeat sends an update of the history. A text may be too long for one message, since its pieces have been joined or a
// prompt has less around it: it is sent in parts then. Anything else that is too large was not sent the first time either,
// and must not keep the session from being loaded.
func (s *Session) repeat(ctx context.Context, u acp.SessionUpdate) error {
	err := s.post(ctx, u)
	if large := (*jsonrpc.TooLargeError)(nil); !errors.As(err, &large) {
		return err
	}
	first, second, ok := halves(u)
	if !ok {
		s.conn.opts.Logger.Warn("an update is left out of a replay", "session", s.ID(), "error", err)
		return nil
	}
	if err := s.repeat(ctx, first); err != nil {
		return err
	}
	return s.repeat(ctx, second)
}

// halves cuts a piece of text in two.
func halves(u acp.SessionUpdate) (first, second acp.SessionUpdate, ok bool) {
	switch c := u.(type) {
	case *acp.UserMessageChunk:
		a, b := *c, *c
		a.Content, b.Content, ok = halfTexts(c.Content)
		return &a, &b, ok
	case *acp.AgentMessageChunk:
		a, b := *c, *c
		a.Content, b.Content, ok = halfTexts(c.Content)
		return &a, &b, ok
	case *acp.AgentThoughtChunk:
		a, b := *c, *c
		a.Content, b.Content, ok = halfTexts(c.Content)
		return &a, &b, ok
	}
	return nil, nil, false
}

func halfTexts(content acp.ContentBlock) (first, second acp.ContentBlock, ok bool) {
	text, ok := content.(*acp.TextContent)
	if !ok {
		return nil, nil, false
	}
	middle := len(text.Text) / 2
	for middle > 0 && !utf8.RuneStart(text.Text[middle]) {
		middle--
	}
	if middle == 0 {
		return nil, nil, false
	}
	a, b := *text, *text
	a.Text, b.Text = text.Text[:middle], text.Text[middle:]
	return &a, &b, true
}
