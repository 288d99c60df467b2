package model

import "github.com/patchbay-dev/patchbay/acp"

// bytesPerToken is how much text a token is, by a rule of thumb that holds for English and code.
const bytesPerToken = 4

// Tokens estimates how many tokens so much text is. It rounds up, so that something is never nothing.
func Tokens(bytes int) uint64 { return uint64(bytes+bytesPerToken-1) / bytesPerToken }

// Tokens estimates how many tokens a message has.
func (m Message) Tokens() uint64 { return Tokens(m.Bytes()) }

// What content that is no text counts as, in bytes of text: an image as the 1,600 tokens that a large one takes, and sounds
// and other files as a part of their base64.
const (
	imageBytes = 1600 * bytesPerToken
	audioPart  = 64
	filePart   = 8
)

// Bytes is how much text a message has, for an estimate of its tokens.
func (m Message) Bytes() int {
	n := 0
	for _, block := range m.Content {
		n += blockBytes(block)
	}
	for _, c := range m.Calls {
		n += len(c.Name) + len(c.Input)
	}
	for _, r := range m.Results {
		n += len(r.Text) + len(r.Images)*imageBytes
	}
	return n
}

func blockBytes(block acp.ContentBlock) int {
	switch block := block.(type) {
	case *acp.TextContent:
		return len(block.Text)
	case *acp.ResourceLink:
		return len(block.URI)
	case *acp.ImageContent:
		return imageBytes
	case *acp.AudioContent:
		return len(block.Data) / audioPart
	case *acp.EmbeddedResource:
		switch r := block.Resource.(type) {
		case *acp.TextResourceContents:
			return len(r.Text)
		case *acp.BlobResourceContents:
			return len(r.Blob) / filePart
		}
	}
	return 0
}
