package client

import (
	"fmt"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
)

// S004.11: names that an agent says and never uses are not kept without end.
func TestS004_11_NamesAreBounded(t *testing.T) {
	c, parent := new(Client), new(Session)
	for n := range 3 * maxChildren {
		c.noteNamed(acp.SessionID(fmt.Sprint(n)), parent)
	}
	if n := len(c.named); n != maxChildren || c.named[acp.SessionID(fmt.Sprint(3*maxChildren-1))] != parent {
		t.Errorf("%d names are kept", n)
	}
}
