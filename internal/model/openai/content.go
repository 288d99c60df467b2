package openai

import (
	"encoding/base64"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// told puts a conversation into the words of an API, of which each message may take several.
func told[T any](messages []model.Message, user, assistant func(model.Message) ([]T, error)) ([]T, error) {
	var all []T
	for _, msg := range messages {
		tell := user
		if msg.Role == model.RoleAssistant {
			tell = assistant
		}
		more, err := tell(msg)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	return all, nil
}

// A part is a piece of content in the form in which both APIs can take it.
type part struct {
	kind partKind
	text string // what is said; of an image or a file its URL, which may be a data URL; of a sound the base64
	name string // of a file; of a sound its format
}

type partKind int

const (
	partText partKind = iota
	partImage
	partSound
	partFile
)

// parts turns content into parts. Texts that follow each other become one, so that a prompt without pictures is plain text:
// some servers take nothing else.
func (m *provider) parts(blocks []acp.ContentBlock) ([]part, error) {
	var parts []part
	for _, block := range blocks {
		p, err := m.part(block)
		if err != nil {
			return nil, m.final("%v", err)
		}
		if n := len(parts); p.kind == partText && n > 0 && parts[n-1].kind == partText {
			parts[n-1].text += p.text
			continue
		}
		parts = append(parts, p)
	}
	return parts, nil
}

// Takes reports why the model can't be told a block.
func (m *provider) Takes(block acp.ContentBlock) error {
	_, err := m.part(block)
	return err
}

func (m *provider) part(block acp.ContentBlock) (part, error) {
	switch b := block.(type) {
	case *acp.TextContent:
		return part{text: b.Text}, nil
	case *acp.ResourceLink:
		return part{text: model.LinkText(b)}, nil
	case *acp.ImageContent:
		return m.image(b)
	case *acp.AudioContent:
		return m.sound(b.MIMEType, b.Data)
	case *acp.EmbeddedResource:
		return m.resource(b.Resource)
	}
	return part{}, fmt.Errorf("%s takes no content of the type %T", m.o.Title, block)
}

// image is a picture, by its bytes or, if there are none, by its address.
func (m *provider) image(b *acp.ImageContent) (part, error) {
	if !m.o.Prompt.Image {
		return part{}, fmt.Errorf("%s takes no images", m.o.Title)
	}
	if b.Data != "" {
		return part{kind: partImage, text: dataURL(b.MIMEType, b.Data)}, nil
	}
	for _, scheme := range []string{"http://", "https://", "data:"} {
		if strings.HasPrefix(b.URI, scheme) {
			return part{kind: partImage, text: b.URI}, nil
		}
	}
	return part{}, fmt.Errorf("an image has neither data nor an address on the web")
}

// sound is a recording. The API knows two formats.
func (m *provider) sound(kind, data string) (part, error) {
	if !m.o.Prompt.Audio {
		return part{}, fmt.Errorf("%s takes no audio", m.o.Title)
	}
	switch model.MediaType(kind) {
	case "audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave":
		return part{kind: partSound, text: data, name: "wav"}, nil
	case "audio/mpeg", "audio/mp3":
		return part{kind: partSound, text: data, name: "mp3"}, nil
	}
	return part{}, fmt.Errorf("%s takes WAV and MP3, but no audio of the type %q", m.o.Title, kind)
}

func (m *provider) resource(r acp.EmbeddedResourceResource) (part, error) {
	switch r := r.(type) {
	case *acp.TextResourceContents:
		return part{text: tagged(r.URI, r.Text)}, nil
	case *acp.BlobResourceContents:
		return m.blob(r)
	}
	return part{}, fmt.Errorf("an embedded resource has neither text nor bytes")
}

// blob is an embedded file: what its type says it is.
func (m *provider) blob(r *acp.BlobResourceContents) (part, error) {
	kind := model.MediaType(r.MIMEType)
	switch {
	case strings.HasPrefix(kind, "image/"):
		return m.image(&acp.ImageContent{Data: r.Blob, MIMEType: kind})
	case strings.HasPrefix(kind, "audio/"):
		return m.sound(kind, r.Blob)
	case kind == "application/pdf" && m.o.PDF:
		return part{kind: partFile, text: dataURL(kind, r.Blob), name: path.Base(r.URI)}, nil
	}
	if text, err := base64.StdEncoding.DecodeString(r.Blob); err == nil && kind != "application/pdf" && utf8.Valid(text) && !strings.Contains(string(text), "\x00") {
		return part{text: tagged(r.URI, string(text))}, nil
	}
	return part{}, fmt.Errorf("%s takes no files of the type %q: %s", m.o.Title, r.MIMEType, r.URI)
}

// tagged is the text of a file in a prompt, set apart from what the user says.
func tagged(uri, text string) string {
	return "\n" + model.ResourceText(uri, text) + "\n"
}

func dataURL(kind, data string) string { return "data:" + kind + ";base64," + data }

// texts are the texts among the blocks.
func texts(blocks []acp.ContentBlock) []string {
	var all []string
	for _, block := range blocks {
		if t, ok := block.(*acp.TextContent); ok {
			all = append(all, t.Text)
		}
	}
	return all
}

// said is what the model has said earlier. It says nothing but text.
func said(msg model.Message) string { return strings.Join(texts(msg.Content), "") }

// outcome is the text of a result. Neither API can say that a call has failed, so the text does.
func outcome(r model.Result) string {
	if r.Failed {
		return "Error: " + r.Text
	}
	return r.Text
}

// pictures are the images of a result.
func (m *provider) pictures(r model.Result) ([]part, error) {
	var parts []part
	for _, image := range r.Images {
		p, err := m.image(image)
		if err != nil {
			return nil, m.final("the result of %s: %v", r.Name, err)
		}
		parts = append(parts, p)
	}
	return parts, nil
}
