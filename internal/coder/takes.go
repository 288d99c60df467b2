package coder

import (
	"fmt"
	"slices"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// takesAll refuses a prompt with content that the model can't be told. The client may know better when it is told so as
// invalid params than as a failure (F141).
func (e engine) takesAll(prompt []acp.ContentBlock) error {
	for _, block := range prompt {
		if err := model.Takes(e.Model, block); err != nil {
			return acp.ErrInvalidParams("the prompt is nothing for %s: %s", e.Info().Name, err)
		}
	}
	return nil
}

// taken returns a message without the content that the model can't be told. What it was is only mentioned.
func (e engine) taken(m model.Message) model.Message {
	content := slices.Clone(m.Content)
	for i, block := range content {
		if model.Takes(e.Model, block) != nil {
			content[i] = acp.Text(mention(block))
		}
	}
	m.Content = content
	if !e.Info().Prompt.Image {
		m.Results = slices.Clone(m.Results)
		for i := range m.Results {
			m.Results[i].Images = nil
		}
	}
	return m
}

// mention is what a model is told of content that it can't be told.
func mention(block acp.ContentBlock) string {
	switch b := block.(type) {
	case *acp.ImageContent:
		return "(an image, which you can't see)"
	case *acp.AudioContent:
		return "(a sound, which you can't hear)"
	case *acp.EmbeddedResource:
		if r, ok := b.Resource.(*acp.BlobResourceContents); ok {
			return fmt.Sprintf("(the file %s, which you can't read)", r.URI)
		}
	}
	return "(something that you can't read)"
}
