package interop_test

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/client"
)

// supervised kills the peer between two turns of a session that a supervisor keeps open. An agent that can open sessions again
// has to go on, in the same mode and with the same options; one that can't has lost it, which is said (F72, F73, F90).
func (e *exam) supervised() {
	e.t.Helper()
	ctx, cancel := e.context()
	defer cancel()
	events := make(chan client.SupervisorEvent, 100)
	v, err := client.Supervise(ctx, client.LaunchCommand(e.command), e.asked, client.SupervisorOptions{
		Client: client.Options{
			Info:   acp.Implementation{Name: "interop", Version: "1.2.3"},
			Files:  &client.Files{MissingIsEmpty: e.peer.blanks},
			Logger: slog.New(slog.DiscardHandler),
		},
		Restart: client.Retry{First: time.Millisecond},
		Event:   func(e client.SupervisorEvent) { events <- e },
	})
	e.must("new", err)
	defer v.Wait()
	defer v.Close()
	kept, err := v.NewSession(ctx, acp.NewSessionRequest{CWD: e.dir})
	e.must("new", err)
	s, err := kept.Session(ctx)
	e.must("new", err)
	if e.peer.mode != "" {
		e.must("new", s.SetMode(ctx, acp.SessionModeID(e.peer.mode)))
	}
	e.must("new", e.answers(s))
	mode := s.State().Mode()
	s.Client().Process().Kill()
	switch event := e.reopened(events).(type) {
	case *client.SessionResumed:
		if s, err = kept.Session(ctx); err == nil {
			err = e.answers(s)
		}
		if err == nil && event.Unrestored == nil && s.State().Mode() != mode {
			err = fmt.Errorf("the mode was %s and is %s", mode, s.State().Mode())
		}
		e.t.Logf("supervised: goes on by %s; %v", event.Method, event.Unrestored)
	case *client.SessionLost:
		if action := client.RecoveryOf(event.Err).Action; e.row.cells["load"] == "yes" && action != client.ActionNewSession {
			err = fmt.Errorf("the session is lost: %w", event.Err)
		}
		e.t.Logf("supervised: %v", event.Err)
	}
	if err != nil {
		e.t.Errorf("supervised: %v", err)
	}
}

// reopened returns what became of the session after its agent's end.
func (e *exam) reopened(events <-chan client.SupervisorEvent) client.SupervisorEvent {
	e.t.Helper()
	for late := time.After(patience); ; {
		select {
		case event := <-events:
			switch event.(type) {
			case *client.SessionResumed, *client.SessionLost, *client.SupervisorGaveUp:
				return event
			}
		case <-late:
			e.t.Error("the session is neither there nor lost")
			return nil
		}
	}
}
