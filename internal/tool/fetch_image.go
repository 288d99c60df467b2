package tool

import (
	"encoding/base64"
	"fmt"
	"net/http"

	"github.com/patchbay-dev/patchbay/acp"
)

// isImage reports whether a media type is one of the images that models take.
func isImage(media string) bool {
	switch media {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// image returns a page that is an image. Half of one is of no use, and neither is something else by that name.
func (p *page) image() (*Result, error) {
	if !p.whole {
		return nil, fmt.Errorf("it is an image of more than %d bytes; max_bytes allows for more", len(p.body))
	}
	if len(p.body) > maxImage {
		return nil, fmt.Errorf("it is an image of %d bytes, and models take at most %d", len(p.body), maxImage)
	}
	kind := http.DetectContentType(p.body)
	if !isImage(kind) {
		return nil, fmt.Errorf("it says it is %s, and is no image that can be shown", p.mediaType())
	}
	r := textResult(p.summary(), "")
	image := &acp.ImageContent{Data: base64.StdEncoding.EncodeToString(p.body), MIMEType: kind, URI: p.url.Redacted()}
	r.Images = []*acp.ImageContent{image}
	r.Content = append(r.Content, acp.ToolContent(image))
	return r, nil
}
