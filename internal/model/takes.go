package model

import (
	"errors"
	"fmt"

	"github.com/patchbay-dev/patchbay/acp"
)

// Takes reports why a model can't be told a block of content; it is nil for one that it can be told. A model says more than
// its Info by a method of this name: which types of images and files it takes, for instance.
func Takes(m Model, block acp.ContentBlock) error {
	particular, ok := m.(interface{ Takes(acp.ContentBlock) error })
	if !ok {
		if m.Info().Prompt.Allow(block) {
			return nil
		}
		return fmt.Errorf("the model takes no %s", kindOf(block))
	}
	err := particular.Takes(block)
	if failure, ok := errors.AsType[*Error](err); ok { // nobody has failed yet
		return errors.New(failure.Message)
	}
	return err
}

// Takes is what the model says that is asked again.
func (m *retrying) Takes(block acp.ContentBlock) error { return Takes(m.Model, block) }

// kindOf names the kind of a block, for people.
func kindOf(block acp.ContentBlock) string {
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
