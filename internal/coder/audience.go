package coder

import (
	"slices"

	"github.com/patchbay-dev/patchbay/acp"
)

// forModel leaves out what is not meant for the model: blocks whose annotations name an audience that it isn't in
// (S004.5).
//
// Spec: content#annotations.
func forModel(prompt []acp.ContentBlock) []acp.ContentBlock {
	return slices.DeleteFunc(slices.Clone(prompt), func(block acp.ContentBlock) bool {
		a := annotations(block)
		return a != nil && len(a.Audience) > 0 && !slices.Contains(a.Audience, acp.RoleAssistant)
	})
}

func annotations(block acp.ContentBlock) *acp.Annotations {
	switch b := block.(type) {
	case *acp.TextContent:
		return b.Annotations
	case *acp.ImageContent:
		return b.Annotations
	case *acp.AudioContent:
		return b.Annotations
	case *acp.ResourceLink:
		return b.Annotations
	case *acp.EmbeddedResource:
		return b.Annotations
	}
	return nil
}
