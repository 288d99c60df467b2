package agent

import (
	"context"
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
)

// Update sends any update, in a turn or between two. Where the client does not understand it, its fallback goes out
// instead; the package's documentation lists them. The update must not be changed afterwards.
//
// Tool calls that are announced here are the author's to finish: they may go on after the turn.
func (s *Session) Update(ctx context.Context, u acp.SessionUpdate) error {
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return ErrSessionClosed
	}
	u = s.stamped(u)
	recorded, err := s.record(u)
	if err != nil {
		return err
	}
	defer recorded.done()
	s.history.add(u)
	if u = s.adapt(u); u == nil {
		return nil
	}
	return s.post(ctx, u)
}

// Text sends the user a whole message that is not part of a turn.
func (s *Session) Text(ctx context.Context, text string) error {
	return s.Update(ctx, &acp.AgentMessageChunk{
		Content:   acp.Text(text),
		MessageID: acp.MessageID(s.next("msg")),
	})
}

// Textf is Text with a format.
func (s *Session) Textf(ctx context.Context, format string, args ...any) error {
	return s.Text(ctx, fmt.Sprintf(format, args...))
}

// Plan replaces the session's plan.
//
// Spec: agent-plan.
func (s *Session) Plan(ctx context.Context, entries ...acp.PlanEntry) error {
	return s.Update(ctx, &acp.Plan{Entries: some(entries)})
}

// Commands replaces the list of commands that the user can give.
//
// Spec: slash-commands.
func (s *Session) Commands(ctx context.Context, list ...acp.AvailableCommand) error {
	return s.Update(ctx, &acp.AvailableCommandsUpdate{AvailableCommands: some(list)})
}

// Mode says that the session is in another mode.
func (s *Session) Mode(ctx context.Context, mode acp.SessionModeID) error {
	return s.Update(ctx, &acp.CurrentModeUpdate{CurrentModeID: mode})
}

// ConfigOptions says what the session's options are now, all of them.
func (s *Session) ConfigOptions(ctx context.Context, list ...acp.SessionConfigOption) error {
	return s.Update(ctx, &acp.ConfigOptionUpdate{ConfigOptions: some(list)})
}

// Title says what the session is about.
func (s *Session) Title(ctx context.Context, title string) error {
	return s.Update(ctx, &acp.SessionInfoUpdate{Title: acp.Some(title)})
}

// Usage says how full the session's context is.
func (s *Session) Usage(ctx context.Context, u acp.UsageUpdate) error { return s.Update(ctx, &u) }

// Notice tells the user something that is not part of the conversation.
func (s *Session) Notice(ctx context.Context, n acp.Notice) error { return s.Update(ctx, &n) }

// some returns a list that is written as [] if it is empty: these members have to be there.
func some[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
