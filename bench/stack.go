package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// A stack is one implementation of the protocol. The scenarios see no more of it than this.
type stack interface {
	// spawn starts an agent as a subprocess and connects a client to it.
	spawn(argv []string, onUpdate updateFunc) (client, error)

	// serve is the other end of spawn: an agent on standard input and output, until the input ends.
	serve(*agent) error

	// pair connects a client to an agent in this process. With osPipes it does so through pipes of the operating
	// system, as over a subprocess; without, in the way that the stack has for one process.
	pair(a *agent, onUpdate updateFunc, osPipes bool) (client, error)

	// window is how many updates an agent may send in one go before the stack gives up, 0 if any number.
	window() int

	// arrives returns what a handler at the other end is given for a text: the text, save on the floor.
	arrives(text string) string
}

// A client is the client's end of a connection, once for each call that the scenarios make.
type client interface {
	setMode(ctx context.Context, session string) error
	prompt(ctx context.Context, session, text string) (stopReason string, err error)
	close()
}

// An opener is a client that has to ask for sessions. It does so when one is first used, or before, here.
type opener interface {
	open(sessions []string) error
}

// An updateFunc is called with the text of each agent_message_chunk. The text must not be kept.
type updateFunc func(session, text string)

// stacks are the ones written in Go. The one in TypeScript lives in ts/.
var stacks = map[string]stack{
	"patchbay": patchbayStack{},
	"core":     coreStack{},
	"coder":    coderStack{},
	"floor":    floorStack{},
}

// stackNames are all stacks in the order of the table.
var stackNames = []string{"patchbay", "core", "coder", "ts", "floor"}

// sessionName returns the id of a session. All have the same length, which is how the floor finds them.
func sessionName(n int) string { return fmt.Sprintf("s%07d", n) }

// sample returns a text of so many bytes: prose as an agent writes it, with five characters in a hundred that JSON must
// escape. It is ASCII, since V8 stores other texts twice as wide.
func sample(size int) string {
	const unit = "A session keeps a queue of its own, so a slow handler never holds up the others.\nSee \"queue.go\".\n\n"
	return strings.Repeat(unit, size/len(unit)+1)[:size]
}

// choose returns the names of all that are in the comma-separated list, or all if it is empty.
func choose(list string, all []string) ([]string, error) {
	if list == "" {
		return all, nil
	}
	chosen := strings.Split(list, ",")
	for _, name := range chosen {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("%q is none of %s", name, strings.Join(all, ", "))
		}
	}
	return chosen, nil
}
