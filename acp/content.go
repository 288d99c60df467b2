package acp

// A ContentBlock is a piece of what is said or shown, in the shape of the Model Context Protocol: *TextContent,
// *ImageContent, *AudioContent, *ResourceLink, *EmbeddedResource, or *UnknownContent for one that this package does not
// know. Text, Image, Audio, Link, TextResource and BlobResource build one.
//
// Spec: content.
type ContentBlock interface{ contentBlock() }

func (*TextContent) contentBlock()      {}
func (*ImageContent) contentBlock()     {}
func (*AudioContent) contentBlock()     {}
func (*ResourceLink) contentBlock()     {}
func (*EmbeddedResource) contentBlock() {}
func (*UnknownContent) contentBlock()   {}

var _ = union[ContentBlock]("type").
	variant("text", &TextContent{}).
	variant("image", &ImageContent{}).
	variant("audio", &AudioContent{}).
	variant("resource_link", &ResourceLink{}).
	variant("resource", &EmbeddedResource{}).
	unknown(&UnknownContent{})

// A TextContent is text, to be shown as Markdown. It may be part of any prompt.
type TextContent struct {
	Text string `json:"text"`

	// Annotations say for whom the block is and how it matters.
	Annotations *Annotations `json:"annotations,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An ImageContent is an image. In a prompt it needs PromptCapabilities.Image.
type ImageContent struct {
	// Data is the image in base64.
	Data string `json:"data"`

	// MIMEType is the image's media type, such as "image/png".
	MIMEType string `json:"mimeType"`

	// URI says where the image comes from.
	URI string `json:"uri,omitzero" acp:"lenient"`

	// Annotations say for whom the block is and how it matters.
	Annotations *Annotations `json:"annotations,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An AudioContent is a sound. In a prompt it needs PromptCapabilities.Audio.
type AudioContent struct {
	// Data is the sound in base64.
	Data string `json:"data"`

	// MIMEType is the sound's media type, such as "audio/wav".
	MIMEType string `json:"mimeType"`

	// Annotations say for whom the block is and how it matters.
	Annotations *Annotations `json:"annotations,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A ResourceLink points at something that the agent can read by itself. It may be part of any prompt.
type ResourceLink struct {
	// URI says where the resource is, such as "file:///home/me/main.go".
	URI string `json:"uri"`

	// Name is the resource's name, for programs, and for people where Title is empty.
	Name string `json:"name"`

	// Title is the name to show to people.
	Title string `json:"title,omitzero" acp:"lenient"`

	// Description says more about the resource, for people and models.
	Description string `json:"description,omitzero" acp:"lenient"`

	// MIMEType is the resource's media type.
	MIMEType string `json:"mimeType,omitzero" acp:"lenient"`

	// Size is the resource's size in bytes; nil if it is not known.
	Size *int64 `json:"size,omitzero" acp:"lenient"`

	// Annotations say for whom the block is and how it matters.
	Annotations *Annotations `json:"annotations,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An EmbeddedResource carries a resource with its contents. In a prompt it needs PromptCapabilities.EmbeddedContext,
// and is then the best way to hand over context that the agent could not read itself.
type EmbeddedResource struct {
	// Resource is the contents, as text or as bytes.
	Resource EmbeddedResourceResource `json:"resource"`

	// Annotations say for whom the block is and how it matters.
	Annotations *Annotations `json:"annotations,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An UnknownContent is a block of a type that this package does not know. It is written as it was read.
type UnknownContent struct {
	Type string
	Raw  Raw
}

// Annotations say for whom a piece of content is and how it matters.
type Annotations struct {
	// Audience lists whom the content is meant for. None means everybody.
	Audience []Role `json:"audience,omitzero" acp:"lenient,skip"`

	// LastModified is the time of the resource's last change, in ISO 8601.
	LastModified string `json:"lastModified,omitzero" acp:"lenient"`

	// Priority says how much the content matters against other content, from 0, optional, to 1, required; nil if
	// that is not said.
	Priority *float64 `json:"priority,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A Role is one of the two sides of a conversation.
type Role string

// The roles.
const (
	RoleAssistant Role = "assistant" // the agent and its model
	RoleUser      Role = "user"      // the person
)

var roles = enum(RoleAssistant, RoleUser)

// Known reports whether the protocol defines the role.
func (r Role) Known() bool { return roles.has(r) }
