// Command media is an agent that takes more than text: what it accepts is an option, and what a client may not send never
// reaches Prompt.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/agent"
)

func main() {
	err := agent.Serve(context.Background(), agent.PromptFunc(describe), agent.Options{
		Info:   acp.Implementation{Name: "media", Version: "1.0.0"},
		Prompt: acp.PromptCapabilities{Image: true, Audio: true, EmbeddedContext: true},
	})
	if err != nil {
		log.Fatal(err)
	}
}

// describe says what each part of the prompt is.
func describe(_ context.Context, t *agent.Turn) (acp.StopReason, error) {
	for _, block := range t.Prompt() {
		if err := t.Text(kind(block) + "\n"); err != nil {
			return "", err
		}
	}
	return acp.StopReasonEndTurn, nil
}

func kind(block acp.ContentBlock) string {
	switch b := block.(type) {
	case *acp.TextContent:
		return fmt.Sprintf("text of %d bytes", len(b.Text))
	case *acp.ImageContent: // Data is base64
		return fmt.Sprintf("image, %s, %d bytes", b.MIMEType, len(b.Data)*3/4)
	case *acp.AudioContent:
		return fmt.Sprintf("audio, %s, %d bytes", b.MIMEType, len(b.Data)*3/4)
	case *acp.ResourceLink:
		return "link to " + b.URI
	case *acp.EmbeddedResource:
		if text, ok := b.Resource.(*acp.TextResourceContents); ok {
			return fmt.Sprintf("%s, %d bytes of text", text.URI, len(text.Text))
		}
		return "binary resource"
	}
	return "something new"
}
