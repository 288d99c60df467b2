package acp

// The codecs of embedded resources and annotations; see hot_lexer.go.

func (v *EmbeddedResource) append(dst []byte) ([]byte, error) {
	start := len(dst)
	dst = append(dst, `{"type":"resource","resource":`...)
	dst, err := appendResource(dst, v.Resource)
	if err != nil {
		return dst, err
	}
	if dst, err = v.Annotations.append(dst); err != nil {
		return dst, err
	}
	return appendEnd(dst, start, v.Meta, v.Unknown)
}

func parseEmbeddedResource(l *lexer) *EmbeddedResource {
	v := new(EmbeddedResource)
	var s seen
	for name := l.next(); name != nil; name = l.next() {
		switch string(name) {
		case "resource":
			s.once(l, 1)
			v.Resource = parseResource(l)
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
	return v
}

func appendResource(dst []byte, resource EmbeddedResourceResource) ([]byte, error) {
	v, ok := resource.(*TextResourceContents)
	if !ok {
		return appendByPlan(dst, resource)
	}
	if v == nil {
		return dst, errOdd
	}
	start := len(dst)
	dst = appendText(dst, `{"uri":`, v.URI)
	dst = appendText(dst, `,"text":`, v.Text)
	dst = appendOptionalText(dst, `,"mimeType":`, v.MIMEType)
	return appendEnd(dst, start, v.Meta, v.Unknown)
}

// parseResource reads a resource that is text by hand; one that is bytes turns out to be so when it has been read.
func parseResource(l *lexer) EmbeddedResourceResource {
	start := *l
	v := new(TextResourceContents)
	var s seen
	for name := l.open(); name != nil; name = l.next() {
		switch string(name) {
		case "uri":
			s.once(l, 1)
			v.URI = l.string()
		case "text":
			s.once(l, 2)
			v.Text = l.string()
		case "mimeType":
			s.once(l, 4)
			v.MIMEType = l.optional(name, &v.Unknown)
		case "_meta":
			s.once(l, 8)
			v.Meta = l.meta()
		case "blob":
			*l = start
			return parseByPlan[EmbeddedResourceResource](l)
		default:
			l.unknown(name, &v.Unknown)
		}
	}
	if !l.odd && s&2 == 0 { // neither text nor bytes
		*l = start
		return parseByPlan[EmbeddedResourceResource](l)
	}
	s.need(l, 1)
	return v
}

// append appends the member annotations, if there are any.
func (v *Annotations) append(dst []byte) ([]byte, error) {
	if v == nil {
		return dst, nil
	}
	dst = append(dst, `,"annotations":`...)
	start := len(dst)
	dst = append(dst, '{')
	if v.Audience != nil {
		dst = append(dst, `"audience":[`...)
		for i, role := range v.Audience {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendText(dst, "", role)
		}
		dst = append(dst, ']')
	}
	if v.LastModified != "" {
		dst = appendText(appendName(dst, "lastModified"), "", v.LastModified)
	}
	if v.Priority != nil {
		var err error
		if dst, err = appendFloat(appendName(dst, "priority"), *v.Priority); err != nil {
			return dst, err
		}
	}
	return appendEnd(dst, start, v.Meta, v.Unknown)
}

func parseAnnotations(l *lexer) *Annotations {
	if l.null() {
		return nil
	}
	v := new(Annotations)
	var s seen
	for name := l.open(); name != nil; name = l.next() {
		switch string(name) {
		case "audience":
			s.once(l, 1)
			if !l.null() {
				v.Audience = []Role{}
				for more := l.openList(); more; more = l.nextItem() {
					v.Audience = append(v.Audience, Role(l.string()))
				}
			}
		case "lastModified":
			s.once(l, 2)
			v.LastModified = l.optional(name, &v.Unknown)
		case "priority":
			s.once(l, 4)
			if !l.null() {
				v.Priority = l.float()
			}
		case "_meta":
			s.once(l, 8)
			v.Meta = l.meta()
		default:
			l.unknown(name, &v.Unknown)
		}
	}
	return v
}
