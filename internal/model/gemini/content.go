package gemini

import (
	"fmt"
	"strings"

	"google.golang.org/genai"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// block is a block of a message as a part, or nil if it says nothing.
func (m *gemini) block(block acp.ContentBlock) (*genai.Part, error) {
	if !m.o.Prompt.Allow(block) {
		return nil, m.unsendable("the model takes no %s", kind(block))
	}
	switch b := block.(type) {
	case *acp.TextContent:
		if b.Text == "" {
			return nil, nil
		}
		return &genai.Part{Text: b.Text}, nil
	case *acp.ResourceLink:
		return &genai.Part{Text: model.LinkText(b)}, nil
	case *acp.ImageContent:
		return m.image(b)
	case *acp.AudioContent:
		data, err := b.Bytes()
		return m.inline("audio", b.MIMEType, data, err)
	case *acp.EmbeddedResource:
		return m.resource(b)
	}
	return nil, m.unsendable("the model takes no %s", kind(block))
}

// Takes reports why the model can't be told a block.
func (m *gemini) Takes(block acp.ContentBlock) error {
	_, err := m.block(block)
	return err
}

// kind names the kind of a block, for people.
func kind(block acp.ContentBlock) string {
	switch b := block.(type) {
	case *acp.ImageContent:
		return "images"
	case *acp.AudioContent:
		return "audio"
	case *acp.EmbeddedResource:
		return "embedded resources"
	case *acp.UnknownContent:
		return fmt.Sprintf("content of the type %q", b.Type)
	}
	return fmt.Sprintf("%T", block)
}

// image is an image by its bytes or, if there are none, by its address on the web.
func (m *gemini) image(b *acp.ImageContent) (*genai.Part, error) {
	if b.MIMEType != "" && !takesImage(b.MIMEType) {
		return nil, m.unsendable("the model takes no images of the type %q", b.MIMEType)
	}
	if b.Data == "" && (strings.HasPrefix(b.URI, "https://") || strings.HasPrefix(b.URI, "http://")) {
		return &genai.Part{FileData: &genai.FileData{FileURI: b.URI, MIMEType: b.MIMEType}}, nil
	}
	data, err := b.Bytes()
	return m.inline("image", b.MIMEType, data, err)
}

// inline is a part with bytes.
func (m *gemini) inline(what, mime string, data []byte, err error) (*genai.Part, error) {
	switch {
	case err != nil:
		return nil, m.unsendable("the data of an %s is no base64: %v", what, err)
	case len(data) == 0:
		return nil, m.unsendable("an %s has no data", what)
	case mime == "":
		return nil, m.unsendable("an %s has no media type", what)
	}
	return &genai.Part{InlineData: &genai.Blob{Data: data, MIMEType: mime}}, nil
}

// resource is a text with its address around it, or a file of a kind that the model takes as it is.
func (m *gemini) resource(e *acp.EmbeddedResource) (*genai.Part, error) {
	switch r := e.Resource.(type) {
	case *acp.TextResourceContents:
		return &genai.Part{Text: model.ResourceText(r.URI, r.Text)}, nil
	case *acp.BlobResourceContents:
		mime := model.MediaType(r.MIMEType)
		if !m.takes(mime) {
			return nil, m.unsendable("the model takes no files of the type %q: %s", r.MIMEType, r.URI)
		}
		data, err := r.Bytes()
		return m.inline("embedded file", mime, data, err)
	}
	return nil, m.unsendable("an embedded resource is neither text nor bytes")
}

// takes reports whether the model takes files of a media type.
func (m *gemini) takes(mime string) bool {
	switch group, _, _ := strings.Cut(mime, "/"); group {
	case "image":
		return m.o.Prompt.Image && takesImage(mime)
	case "audio":
		return m.o.Prompt.Audio
	}
	return m.o.PDF && mime == "application/pdf"
}

// takesImage reports whether the API takes images of a media type. It fails the whole request of one that it doesn't.
func takesImage(mime string) bool {
	switch strings.ToLower(mime) {
	case "image/png", "image/jpeg", "image/webp", "image/heic", "image/heif":
		return true
	}
	return false
}
