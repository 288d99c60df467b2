// Package store keeps the sessions of the built-in coding agent in a file, so that they outlive the process: what the client
// saw, what the model was told, and what the user chose. It knows the words of package acp and nothing of the agent.
//
//	s, err := store.Open(ctx, dir, store.Options{})
//	defer s.Close()
//
//	lease, err := s.Create(ctx, store.Session{ID: id, CWD: cwd})      // or s.Acquire(ctx, id)
//	prompt, err := store.PromptEvent(blocks)
//	said, err := store.UpdateEvent(update)
//	_, err = lease.Append(ctx, store.Change{Events: []store.Event{prompt, said}, Messages: messages})
//
//	loaded, err := s.Load(ctx, id)
//	for event, err := range loaded.Events(ctx) { … }                  // in order, a few at a time
//
// # What is kept
//
// A session is a [Record], its events (each update and prompt that the client saw, as the bytes that went out), the
// conversation (the model's messages, opaque here) and four [Documents] that are the agent's own. A [Change] adds to all of
// them at once: it is there as a whole or not at all.
//
// When a call that changes something returns without an error, what it changed outlives the process, kill -9 included. A
// loss of power may take the last moments unless [Options].Sync is set; it never damages what was there before.
//
// # Several processes
//
// Any number of processes may have the same store open. Who works on a session holds its [Lease]: only one does at a time, and
// only the holder appends. A lease belongs to a process that runs. When that has ended, however it ended, the next one that
// asks gets the session at once; nothing has to be cleaned up and nothing expires. A holder that lost its lease all the same
// (the session was deleted) is told by an error at its next append, which writes nothing.
//
// Within a process all writes go through one goroutine, which puts what many sessions append at the same moment into one
// transaction. Readers never wait for writers.
//
// # Errors
//
// What is wrong with a session is a [*SessionError]: [ErrUnknown], [ErrExpired], [ErrExists], [ErrDamaged], [ErrLost], or a
// [*BusyError] that names the owner. What is wrong with the file is a [*FileError] that names it: [ErrNotStore],
// [ErrFileDamaged], [ErrNewer], [ErrReadOnly], [ErrFull], [ErrLocked]. Nothing is ever repaired or replaced: the file stays
// as it was found.
package store
