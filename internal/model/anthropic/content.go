package anthropic

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/model"
)

// content writes what is said. Text without a word in it is left out: the API refuses it.
func (m *claude) content(blocks []acp.ContentBlock) ([]sdk.ContentBlockParamUnion, error) {
	var out []sdk.ContentBlockParamUnion
	for _, b := range blocks {
		block, err := m.block(b)
		if err != nil {
			return nil, err
		}
		if block != nil {
			out = append(out, *block)
		}
	}
	return out, nil
}

// Takes reports why the model can't be told a block.
func (m *claude) Takes(b acp.ContentBlock) error {
	_, err := m.block(b)
	return err
}

func (m *claude) block(b acp.ContentBlock) (*sdk.ContentBlockParamUnion, error) {
	switch b := b.(type) {
	case *acp.TextContent:
		return text(b.Text), nil
	case *acp.ResourceLink:
		return text(model.LinkText(b)), nil
	case *acp.ImageContent:
		image, err := m.image(b.Data, b.MIMEType, b.URI)
		return &sdk.ContentBlockParamUnion{OfImage: image}, err
	case *acp.AudioContent:
		return nil, errors.New("the model takes no audio")
	case *acp.EmbeddedResource:
		return m.resource(b.Resource)
	case *acp.UnknownContent:
		return nil, fmt.Errorf("the model takes no content of the kind %q", b.Type)
	}
	return nil, fmt.Errorf("the model takes no %T", b)
}

func text(s string) *sdk.ContentBlockParamUnion {
	if strings.TrimSpace(s) == "" {
		return nil
	}
	b := sdk.NewTextBlock(s)
	return &b
}

// resource writes a text between tags with its URI, and a PDF or an image as what it is.
func (m *claude) resource(r acp.EmbeddedResourceResource) (*sdk.ContentBlockParamUnion, error) {
	switch r := r.(type) {
	case *acp.TextResourceContents:
		return text(model.ResourceText(r.URI, r.Text)), nil
	case *acp.BlobResourceContents:
		media := model.MediaType(r.MIMEType)
		switch {
		case media == "application/pdf" && m.o.PDF:
			pdf := sdk.NewDocumentBlock(sdk.Base64PDFSourceParam{Data: r.Blob})
			return &pdf, checkBase64("a PDF", r.Blob)
		case strings.HasPrefix(media, "image/"):
			image, err := m.image(r.Blob, media, r.URI)
			return &sdk.ContentBlockParamUnion{OfImage: image}, err
		}
		return nil, fmt.Errorf("the model takes no files of the type %q (%s)", r.MIMEType, r.URI)
	}
	return nil, fmt.Errorf("the model takes no %T", r)
}

// imageTypes are what the API takes.
var imageTypes = map[string]sdk.Base64ImageSourceMediaType{
	"image/png":  sdk.Base64ImageSourceMediaTypeImagePNG,
	"image/jpeg": sdk.Base64ImageSourceMediaTypeImageJPEG,
	"image/jpg":  sdk.Base64ImageSourceMediaTypeImageJPEG,
	"image/gif":  sdk.Base64ImageSourceMediaTypeImageGIF,
	"image/webp": sdk.Base64ImageSourceMediaTypeImageWebP,
}

// image writes an image: its data, or where it is if that is on the web.
func (m *claude) image(data, media, uri string) (*sdk.ImageBlockParam, error) {
	if !m.o.Prompt.Image {
		return nil, errors.New("the model takes no images")
	}
	if data == "" {
		if !strings.HasPrefix(uri, "https://") && !strings.HasPrefix(uri, "http://") {
			return nil, fmt.Errorf("an image has no data, and %q is not on the web", uri)
		}
		return &sdk.ImageBlockParam{Source: sdk.ImageBlockParamSourceUnion{OfURL: &sdk.URLImageSourceParam{URL: uri}}}, nil
	}
	kind, ok := imageTypes[model.MediaType(media)]
	if !ok {
		return nil, fmt.Errorf("the model takes no images of the type %q; it takes PNG, JPEG, GIF and WebP", media)
	}
	if err := checkBase64("an image", data); err != nil {
		return nil, err
	}
	return &sdk.ImageBlockParam{Source: sdk.ImageBlockParamSourceUnion{OfBase64: &sdk.Base64ImageSourceParam{Data: data, MediaType: kind}}}, nil
}

// checkBase64 spares us the provider's words for what a client got wrong.
func checkBase64(what, data string) error {
	if _, err := base64.StdEncoding.DecodeString(data); err != nil {
		return fmt.Errorf("the data of %s is no base64: %w", what, err)
	}
	return nil
}

// result writes what became of a call. An error without a word is refused by the API, so it gets some.
func (m *claude) result(r model.Result, id string) (sdk.ContentBlockParamUnion, error) {
	out := &sdk.ToolResultBlockParam{ToolUseID: id}
	if r.Failed {
		out.IsError = sdk.Bool(true)
	}
	said := r.Text
	if strings.TrimSpace(said) == "" {
		said = ""
		if r.Failed {
			said = "The tool failed and gave no reason."
		}
	}
	if said != "" {
		out.Content = append(out.Content, sdk.ToolResultBlockParamContentUnion{OfText: &sdk.TextBlockParam{Text: said}})
	}
	for _, i := range r.Images {
		image, err := m.image(i.Data, i.MIMEType, i.URI)
		if err != nil {
			return sdk.ContentBlockParamUnion{}, fmt.Errorf("the result of %s: %w", r.Name, err)
		}
		out.Content = append(out.Content, sdk.ToolResultBlockParamContentUnion{OfImage: image})
	}
	return sdk.ContentBlockParamUnion{OfToolResult: out}, nil
}
