package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/patchbay-dev/patchbay/acp"
)

const (
	maxImage  = 15 << 18 // bytes of an image: 3.75 MiB, which is 5 MiB in base64, the least that the models' APIs take
	maxImages = 8        // of a result
	maxAudio  = 4 << 20  // bytes of a sound that is shown to people
	maxBlocks = 200      // pieces of a result
)

// A Result is what came of a call, without secrets.
type Result struct {
	// Text is the result as the model reads it: the texts, and a line for each piece that is none. What was cut, it says.
	Text string

	// Images are for the model, beside Text: PNG, JPEG, GIF and WebP, at most eight of 3.75 MiB each.
	Images []*acp.ImageContent

	// Blocks are the result as people see it, in the server's order.
	Blocks []acp.ContentBlock

	// Failed is set if the tool says that it went wrong.
	Failed bool
}

// A converter makes our content of a server's, within the bounds.
type converter struct {
	redactor *redactor
	left     int // bytes of text that may still be taken
	cut      int // bytes that were not

	text   strings.Builder // for the model
	images []*acp.ImageContent
	blocks []acp.ContentBlock // since take
	count  int
}

func (s *server) converter() *converter {
	return &converter{redactor: s.set.redactor, left: s.set.options.MaxText}
}

// result converts a tool's result.
func (c *converter) result(r *sdk.CallToolResult) *Result {
	for _, piece := range r.Content {
		c.add(piece)
	}
	if r.StructuredContent != nil && !saysAlready(r.Content, r.StructuredContent) {
		if data, err := json.Marshal(r.StructuredContent); err == nil {
			c.add(&sdk.TextContent{Text: string(data)})
		}
	}
	if strings.TrimSpace(c.text.String()) == "" {
		c.note("(the tool returned nothing)")
	}
	if c.cut > 0 {
		c.note(fmt.Sprintf("[%d bytes of text were cut off here]", c.cut))
	}
	if more := c.count - maxBlocks; more > 0 {
		c.note(fmt.Sprintf("[%d more pieces were left out]", more))
	}
	return &Result{Text: strings.TrimSuffix(c.text.String(), "\n"), Images: c.images, Blocks: c.take(), Failed: r.IsError}
}

// saysAlready reports whether one of the texts is the structured result: in JSON, as the specification asks for, or as the
// only member of an object, as SDKs write what a function returns.
func saysAlready(content []sdk.Content, structured any) bool {
	only := ""
	if members, ok := structured.(map[string]any); ok && len(members) == 1 {
		for _, v := range members {
			only, _ = v.(string)
		}
	}
	return slices.ContainsFunc(content, func(piece sdk.Content) bool {
		text, ok := piece.(*sdk.TextContent)
		if !ok {
			return false
		}
		var v any
		return only != "" && text.Text == only || json.Unmarshal([]byte(text.Text), &v) == nil && reflect.DeepEqual(v, structured)
	})
}

// add converts a piece.
func (c *converter) add(piece sdk.Content) {
	if c.count++; c.count > maxBlocks {
		return
	}
	switch p := piece.(type) {
	case *sdk.TextContent:
		c.addText(p)
	case *sdk.ImageContent:
		c.addImage(p.Data, p.MIMEType, "", p.Annotations)
	case *sdk.AudioContent:
		c.addAudio(p)
	case *sdk.ResourceLink:
		c.addLink(p)
	case *sdk.EmbeddedResource:
		c.addResource(p)
	default:
		c.note("[a piece of a kind that has no place in a result]")
	}
}

// take returns the blocks since it was called last.
func (c *converter) take() []acp.ContentBlock {
	blocks := c.blocks
	c.blocks = nil
	return blocks
}

func (c *converter) addText(p *sdk.TextContent) {
	text := c.limited(p.Text)
	forModel, forPeople := audience(p.Annotations)
	if forModel {
		c.write(text)
	}
	if forPeople {
		c.blocks = append(c.blocks, acp.Text(text))
	}
}

// addImage takes an image. What a model can't be given, or is too large, is a note. The media type is what the bytes say.
func (c *converter) addImage(data []byte, mediaType, uri string, a *sdk.Annotations) {
	kind := http.DetectContentType(data)
	isKnown := slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, kind)
	switch {
	case len(data) > maxImage:
		c.note(fmt.Sprintf("[an image of %d bytes was left out: at most %d are taken]", len(data), maxImage))
		return
	case len(c.images) == maxImages:
		c.note(fmt.Sprintf("[an image was left out: at most %d of a result are taken]", maxImages))
		return
	case !isKnown:
		c.note(fmt.Sprintf("[what is said to be an image, %s, was left out: it is no PNG, JPEG, GIF or WebP]", c.word(mediaType)))
		return
	}
	image := &acp.ImageContent{Data: base64.StdEncoding.EncodeToString(data), MIMEType: kind, URI: uri}
	forModel, forPeople := audience(a)
	if forModel {
		c.write(fmt.Sprintf("[image: %s, %d bytes]", kind, len(data)))
		c.images = append(c.images, image)
	}
	if forPeople {
		c.blocks = append(c.blocks, image)
	}
}

func (c *converter) addAudio(p *sdk.AudioContent) {
	if len(p.Data) > maxAudio {
		c.note(fmt.Sprintf("[a sound of %d bytes was left out: at most %d are taken]", len(p.Data), maxAudio))
		return
	}
	c.write(fmt.Sprintf("[sound: %s, %d bytes; only the user can hear it]", c.word(p.MIMEType), len(p.Data)))
	c.blocks = append(c.blocks, acp.Audio(c.word(p.MIMEType), p.Data))
}

func (c *converter) addLink(p *sdk.ResourceLink) {
	link := &acp.ResourceLink{
		URI: c.line(p.URI), Name: c.line(p.Name), Title: c.line(p.Title), Description: cut(c.redactor.text(p.Description), maxDescription),
		MIMEType: c.word(p.MIMEType), Size: p.Size,
	}
	text := fmt.Sprintf("[link: %s (%s)]", link.URI, link.Name)
	if link.Description != "" {
		text += " " + link.Description
	}
	c.write(c.limited(text))
	c.blocks = append(c.blocks, link)
}

// addResource takes what a server has put into the result. Bytes are for people, unless they are an image.
func (c *converter) addResource(p *sdk.EmbeddedResource) {
	r := p.Resource
	switch {
	case r == nil:
		c.note("[a resource without contents]")
	case r.Blob == nil:
		text, uri := c.limited(r.Text), c.line(r.URI)
		forModel, forPeople := audience(p.Annotations)
		if forModel {
			c.write(fmt.Sprintf("[resource: %s]\n%s", uri, text))
		}
		if forPeople {
			c.blocks = append(c.blocks, acp.TextResource(uri, c.word(r.MIMEType), text))
		}
	case strings.HasPrefix(r.MIMEType, "image/") && r.MIMEType != "image/svg+xml":
		c.addImage(r.Blob, r.MIMEType, c.line(r.URI), p.Annotations)
	case len(r.Blob) > maxAudio:
		c.note(fmt.Sprintf("[the resource %s of %d bytes was left out: at most %d are taken]", c.line(r.URI), len(r.Blob), maxAudio))
	default:
		c.write(fmt.Sprintf("[resource: %s, %s, %d bytes that are no text; only the user has them]", c.line(r.URI), c.word(r.MIMEType), len(r.Blob)))
		if !bytes.Equal(r.Blob, []byte(c.redactor.text(string(r.Blob)))) {
			c.note("[they hold a credential and were left out]")
			return
		}
		c.blocks = append(c.blocks, acp.BlobResource(c.line(r.URI), c.word(r.MIMEType), r.Blob))
	}
}

// limited returns what may still be taken of a text.
func (c *converter) limited(text string) string {
	text = strings.ToValidUTF8(c.redactor.text(text), "\uFFFD")
	if len(text) <= c.left {
		c.left -= len(text)
		return text
	}
	kept := strings.TrimSuffix(cut(text, c.left), "…")
	c.cut += len(text) - len(kept)
	c.left = 0
	return kept
}

// line and word are what a server says in a line, and in a word such as a media type.
func (c *converter) line(text string) string { return cut(c.redactor.text(text), 2048) }
func (c *converter) word(text string) string { return cut(c.redactor.text(text), 100) }

// write adds a line to what the model reads.
func (c *converter) write(line string) {
	c.text.WriteString(line)
	c.text.WriteByte('\n')
}

// note tells the model and people.
func (c *converter) note(text string) {
	c.write(text)
	c.blocks = append(c.blocks, acp.Text(text))
}

// audience says for whom a piece is; for everyone, if the server says nothing (S004.5).
func audience(a *sdk.Annotations) (model, people bool) {
	if a == nil || len(a.Audience) == 0 {
		return true, true
	}
	return slices.Contains(a.Audience, sdk.Role("assistant")), slices.Contains(a.Audience, sdk.Role("user"))
}
