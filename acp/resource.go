package acp

// An EmbeddedResourceResource is the contents of an EmbeddedResource: *TextResourceContents, *BlobResourceContents, or
// *UnknownResourceContents for what has neither text nor bytes.
type EmbeddedResourceResource interface{ embeddedResourceResource() }

func (*TextResourceContents) embeddedResourceResource()    {}
func (*BlobResourceContents) embeddedResourceResource()    {}
func (*UnknownResourceContents) embeddedResourceResource() {}

var _ = union[EmbeddedResourceResource]("").
	shape("text", &TextResourceContents{}).
	shape("blob", &BlobResourceContents{}).
	unknown(&UnknownResourceContents{})

// A TextResourceContents is a resource that is text.
type TextResourceContents struct {
	URI  string `json:"uri"`
	Text string `json:"text"`

	// MIMEType is the text's media type.
	MIMEType string `json:"mimeType,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// A BlobResourceContents is a resource that is bytes.
type BlobResourceContents struct {
	URI string `json:"uri"`

	// Blob is the bytes in base64.
	Blob string `json:"blob"`

	// MIMEType is the media type of the bytes.
	MIMEType string `json:"mimeType,omitzero" acp:"lenient"`

	Meta    Meta    `json:"_meta,omitzero" acp:"lenient"`
	Unknown Unknown `json:"-"`
}

// An UnknownResourceContents is a resource that has neither text nor bytes. It is written as it was read.
type UnknownResourceContents struct {
	Raw Raw
}
