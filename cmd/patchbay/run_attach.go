package main

import (
	"bytes"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/patchbay-dev/patchbay/acp"
)

// An attachment is a file, or something that a URL names, that goes with the prompt.
type attachment struct {
	name, uri string
	media     string // its MIME type, empty if that is not known
	size      int64  // -1 if that is not known
	data      []byte // nil if only a link is to be sent
	crowded   bool   // its content would have been sent if there were not so much already
}

const (
	// maxAttached is how large a file may be whose content is sent, in bytes. In a message it takes a third more.
	maxAttached = 20 << 20

	// maxAllAttached is how much they may have together, so that a message has room for it.
	maxAllAttached = 32 << 20
)

// attachments reads what is to be attached, before anything is started.
func attachments(names []given) ([]attachment, error) {
	var list []attachment
	total := 0
	for _, name := range names {
		a, err := attach(string(name))
		if err != nil {
			return nil, fmt.Errorf("--attach: %w", err)
		}
		if total += len(a.data); total > maxAllAttached {
			total -= len(a.data)
			a.data, a.crowded = nil, true
		}
		list = append(list, a)
	}
	return list, nil
}

func attach(name string) (attachment, error) {
	if u, err := url.Parse(name); err == nil && len(u.Scheme) > 1 && u.Host != "" {
		return attachment{name: lastSegment(u), uri: name, size: -1}, nil
	}
	full, err := filepath.Abs(filePath(name))
	if err != nil {
		return attachment{}, err
	}
	info, err := os.Stat(full) // before it is opened, which waits for ever at a pipe
	if err != nil {
		return attachment{}, err
	}
	a := attachment{name: filepath.Base(full), uri: fileURI(full), size: info.Size()}
	switch {
	case info.IsDir():
		a.media, a.size = "inode/directory", -1
		return a, nil
	case !info.Mode().IsRegular():
		return attachment{}, fmt.Errorf("%s is neither a file nor a folder", name)
	}
	return a, a.read(full)
}

// filePath returns the path that a file's URL, or anything else, stands for.
func filePath(name string) string {
	u, err := url.Parse(name)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return name
	}
	path := u.Path
	if len(path) > 2 && path[2] == ':' { // file:///C:/a
		path = path[1:]
	}
	return filepath.FromSlash(path)
}

// read finds out what is in a file, and keeps what may be sent.
func (a *attachment) read(full string) error {
	f, err := os.Open(full)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxAttached+1))
	if err != nil {
		return err
	}
	a.media = mediaOf(full, data)
	if len(data) <= maxAttached && (a.isImage() || a.isAudio() || isText(data)) {
		a.data = data
	}
	return nil
}

// medias are the MIME types of images and sounds that the protocol's users speak of (S000.8), by what files are called whose
// first bytes don't tell.
var medias = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".svg": "image/svg+xml",
	".wav": "audio/wav", ".mp3": "audio/mpeg", ".ogg": "audio/ogg", ".oga": "audio/ogg", ".flac": "audio/flac", ".aac": "audio/aac",
}

// mediaOf returns the MIME type of a file. The first bytes count, since names lie.
func mediaOf(name string, data []byte) string {
	ext := strings.ToLower(filepath.Ext(name))
	sniffed, _, _ := strings.Cut(http.DetectContentType(data), ";")
	switch {
	case sniffed == "audio/wave":
		return "audio/wav"
	case sniffed == "application/ogg":
		return "audio/ogg"
	case strings.HasPrefix(sniffed, "image/"), strings.HasPrefix(sniffed, "audio/"):
		return sniffed
	case bytes.HasPrefix(data, []byte("fLaC")):
		return "audio/flac"
	case medias[ext] == "image/svg+xml", medias[ext] == "audio/aac", medias[ext] == "audio/mpeg" && !isText(data):
		return medias[ext]
	}
	known, _, _ := strings.Cut(mime.TypeByExtension(ext), ";")
	switch {
	case !isText(data) && (sniffed == "application/octet-stream" || strings.HasPrefix(sniffed, "text/")):
		return known
	case !isText(data):
		return sniffed
	case strings.HasPrefix(known, "text/"), strings.HasSuffix(known, "json"), strings.HasSuffix(known, "xml"):
		return known
	}
	return "text/plain" // .ts is a video, says the table
}

func isText(data []byte) bool { return utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 }

func (a *attachment) isImage() bool { return strings.HasPrefix(a.media, "image/") }
func (a *attachment) isAudio() bool { return strings.HasPrefix(a.media, "audio/") }

// block returns the attachment in the form that an agent takes (W11): its content if it can be shown, or else a link, which
// every agent takes. The note says so where somebody might have expected more.
func (a *attachment) block(can *acp.PromptCapabilities) (block acp.ContentBlock, note string) {
	kind, allowed := "", false
	switch {
	case a.data == nil:
		switch {
		case a.crowded:
			note = fmt.Sprintf("%s is sent as a link: with it, what is attached would be more than %d MiB", a.name, maxAllAttached>>20)
		case a.size > maxAttached:
			note = fmt.Sprintf("%s is sent as a link: it is larger than %d MiB", a.name, maxAttached>>20)
		}
		return a.link(), note
	case a.isImage():
		kind, allowed, block = "images", can.Image, acp.Image(a.media, a.data)
	case a.isAudio():
		kind, allowed, block = "sound", can.Audio, acp.Audio(a.media, a.data)
	default:
		kind, allowed, block = "files", can.EmbeddedContext, acp.TextResource(a.uri, a.media, string(a.data))
	}
	if !allowed {
		return a.link(), fmt.Sprintf("%s is sent as a link: the agent takes no %s", a.name, kind)
	}
	if image, ok := block.(*acp.ImageContent); ok {
		image.URI = a.uri
	}
	return block, ""
}

func (a *attachment) link() acp.ContentBlock {
	link := &acp.ResourceLink{Name: a.name, URI: a.uri, MIMEType: a.media}
	if a.size >= 0 {
		link.Size = &a.size
	}
	return link
}

func fileURI(full string) string {
	slashed := filepath.ToSlash(full)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // C:/a becomes file:///C:/a
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String()
}

// lastSegment is what to call what a URL names.
func lastSegment(u *url.URL) string {
	if base := path.Base(u.Path); base != "." && base != "/" {
		return base
	}
	return u.Host
}
