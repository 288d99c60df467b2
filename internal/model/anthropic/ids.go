package anthropic

import (
	"strconv"

	"github.com/patchbay-dev/patchbay/internal/model"
)

// ids are the names of calls. The API takes letters, digits, "_" and "-" only, and each name once in a conversation; other
// providers, whose calls may be in it too, are not so strict.
type ids struct {
	used map[string]bool
	now  map[string]string // of the message: the caller's name to the name that is sent
}

// begin begins a message with calls.
func (n *ids) begin() {
	if n.used == nil {
		n.used = map[string]bool{}
	}
	n.now = map[string]string{}
}

// keep notes a name that the API itself has given.
func (n *ids) keep(id string) {
	n.used[id] = true
	n.now[id] = id
}

// rename returns the name to send for a call.
func (n *ids) rename(id string) string {
	base := model.PlainName(id)
	if base == "" {
		base = "call"
	}
	name := base
	for i := 2; n.used[name]; i++ {
		name = base + "_" + strconv.Itoa(i)
	}
	n.used[name] = true
	n.now[id] = name
	return name
}

// sent returns the name that was sent for a call of the message.
func (n *ids) sent(id string) string { return n.now[id] }
