// Command commands is an agent with slash commands: it tells the client which ones there are, and runs what the user
// types.
package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

func main() {
	err := agent.Serve(context.Background(), shouter{}, agent.Options{
		Info: acp.Implementation{Name: "shouter", Version: "1.0.0"},
	})
	if err != nil {
		log.Fatal(err)
	}
}

type shouter struct{}

// NewSession advertises the commands. The update leaves after the answer that names the session.
func (shouter) NewSession(ctx context.Context, s *agent.Session) (*acp.NewSessionResponse, error) {
	return nil, s.Update(ctx, &acp.AvailableCommandsUpdate{AvailableCommands: []acp.AvailableCommand{
		{Name: "upper", Description: "Shout a text", Input: &acp.UnstructuredCommandInput{Hint: "the text"}},
		{Name: "count", Description: "Count the words of a text", Input: &acp.UnstructuredCommandInput{Hint: "the text"}},
	}})
}

func (shouter) Prompt(_ context.Context, t *agent.Turn) (acp.StopReason, error) {
	name, input, ok := t.Command()
	switch {
	case !ok:
		return acp.StopReasonEndTurn, t.Text("Try /upper or /count.")
	case name == "upper":
		return acp.StopReasonEndTurn, t.Text(strings.ToUpper(input))
	case name == "count":
		return acp.StopReasonEndTurn, t.Text(fmt.Sprintf("%d words", len(strings.Fields(input))))
	}
	return "", acp.ErrInvalidParams("there is no command /%s, only /upper and /count", name)
}
