package acp

import "strconv"

// The codecs of content blocks; see hot_lexer.go.

func appendContentBlock(dst []byte, block *ContentBlock) ([]byte, error) {
	switch v := (*block).(type) {
	case *TextContent:
		if v != nil {
			return v.append(dst)
		}
	case *ImageContent:
		if v != nil {
			return v.append(dst)
		}
	case *AudioContent:
		if v != nil {
			return v.append(dst)
		}
	case *ResourceLink:
		if v != nil {
			return v.append(dst)
		}
	case *EmbeddedResource:
		if v != nil {
			return v.append(dst)
		}
	default:
		return appendByPlan(dst, *block)
	}
	return dst, errOdd
}

func parseContentBlock(l *lexer) ContentBlock { return parseContentBlockInto(l, nil) }

// parseContentBlockInto reads a text into one that is there already, if it is not nil.
func parseContentBlockInto(l *lexer, text *TextContent) ContentBlock {
	start := *l
	switch string(l.tag("type")) {
	case "text":
		if text == nil {
			text = new(TextContent)
		}
		text.parse(l)
		return text
	case "image":
		return parseImageContent(l)
	case "audio":
		return parseAudioContent(l)
	case "resource_link":
		return parseResourceLink(l)
	case "resource":
		return parseEmbeddedResource(l)
	}
	*l = start
	return parseByPlan[ContentBlock](l)
}

func parseContentBlocks(l *lexer) []ContentBlock {
	list := []ContentBlock{}
	for more := l.openList(); more; more = l.nextItem() {
		list = append(list, parseContentBlock(l))
	}
	return list
}

func (v *TextContent) append(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = appendText(dst, `{"type":"text","text":`, v.Text)
	dst, err := v.Annotations.append(dst)
	if err != nil {
		return dst, err
	}
	return appendEnd(dst, start, v.Meta, v.Unknown)
}

func (v *TextContent) parse(l *lexer) {
	var s seen
	for name := l.next(); name != nil; name = l.next() {
		switch string(name) {
		case "text":
			s.once(l, 1)
			v.Text = l.string()
		case "annotations":
			s.once(l, 2)
			v.Annotations = parseAnnotations(l)
		case "_meta":
			s.once(l, 4)
			v.Meta = l.meta()
		case "type":
			l.giveUp()
		default:
			l.unknown(name, &v.Unknown)
		}
	}
	s.need(l, 1)
}

func (v *ImageContent) append(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = appendText(dst, `{"type":"image","data":`, v.Data)
	dst = appendText(dst, `,"mimeType":`, v.MIMEType)
	dst = appendOptionalText(dst, `,"uri":`, v.URI)
	dst, err := v.Annotations.append(dst)
	if err != nil {
		return dst, err
	}
	return appendEnd(dst, start, v.Meta, v.Unknown)
}

func parseImageContent(l *lexer) *ImageContent {
	v := new(ImageContent)
	var s seen
	for name := l.next(); name != nil; name = l.next() {
		switch string(name) {
		case "data":
			s.once(l, 1)
			v.Data = l.string()
		case "mimeType":
			s.once(l, 2)
			v.MIMEType = l.string()
		case "uri":
			s.once(l, 4)
			v.URI = l.optional(name, &v.Unknown)
		case "annotations":
			s.once(l, 8)
			v.Annotations = parseAnnotations(l)
		case "_meta":
			s.once(l, 16)
			v.Meta = l.meta()
		case "type":
			l.giveUp()
		default:
			l.unknown(name, &v.Unknown)
		}
	}
	s.need(l, 1|2)
	return v
}

func (v *AudioContent) append(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = appendText(dst, `{"type":"audio","data":`, v.Data)
	dst = appendText(dst, `,"mimeType":`, v.MIMEType)
	dst, err := v.Annotations.append(dst)
	if err != nil {
		return dst, err
	}
	return appendEnd(dst, start, v.Meta, v.Unknown)
}

func parseAudioContent(l *lexer) *AudioContent {
	v := new(AudioContent)
	var s seen
	for name := l.next(); name != nil; name = l.next() {
		switch string(name) {
		case "data":
			s.once(l, 1)
			v.Data = l.string()
		case "mimeType":
			s.once(l, 2)
			v.MIMEType = l.string()
		case "annotations":
			s.once(l, 4)
			v.Annotations = parseAnnotations(l)
		case "_meta":
			s.once(l, 8)
			v.Meta = l.meta()
		case "type":
			l.giveUp()
		default:
			l.unknown(name, &v.Unknown)
		}
	}
	s.need(l, 1|2)
	return v
}

func (v *ResourceLink) append(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = appendText(dst, `{"type":"resource_link","uri":`, v.URI)
	dst = appendText(dst, `,"name":`, v.Name)
	dst = appendOptionalText(dst, `,"title":`, v.Title)
	dst = appendOptionalText(dst, `,"description":`, v.Description)
	dst = appendOptionalText(dst, `,"mimeType":`, v.MIMEType)
	if v.Size != nil {
		dst = strconv.AppendInt(append(dst, `,"size":`...), *v.Size, 10)
	}
	dst, err := v.Annotations.append(dst)
	if err != nil {
		return dst, err
	}
	return appendEnd(dst, start, v.Meta, v.Unknown)
}

func parseResourceLink(l *lexer) *ResourceLink {
	v := new(ResourceLink)
	var s seen
	for name := l.next(); name != nil; name = l.next() {
		switch string(name) {
		case "uri":
			s.once(l, 1)
			v.URI = l.string()
		case "name":
			s.once(l, 2)
			v.Name = l.string()
		case "title":
			s.once(l, 4)
			v.Title = l.optional(name, &v.Unknown)
		case "description":
			s.once(l, 8)
			v.Description = l.optional(name, &v.Unknown)
		case "mimeType":
			s.once(l, 16)
			v.MIMEType = l.optional(name, &v.Unknown)
		case "size":
			s.once(l, 32)
			if !l.null() {
				size := int64(l.uint(63))
				v.Size = &size
			}
		case "annotations":
			s.once(l, 64)
			v.Annotations = parseAnnotations(l)
		case "_meta":
			s.once(l, 128)
			v.Meta = l.meta()
		case "type":
			l.giveUp()
		default:
			l.unknown(name, &v.Unknown)
		}
	}
	s.need(l, 1|2)
	return v
}
