package tool

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/policy"
)

// What read returns at most. A model asks for the next part by "offset".
const (
	maxReadLines = 2000
	maxReadBytes = 64 << 10
	maxReadLine  = 2000 // bytes of a line

	maxImage = 15 << 18 // bytes of an image: 3.75 MiB, which is 5 MiB in base64, the least that the models' APIs take
)

// Read returns the tool that reads a file: text or an image.
func Read() *Tool {
	return define(Tool{
		Name: "read",
		Description: fmt.Sprintf("Reads a file. Of text it shows at most %d lines or %d KiB at once, each line after its number and a tab, which are not part of it; "+
			"the first line of the result says how many lines there are and what is particular about the file. Lines over %d bytes are cut. "+
			"Images (png, jpeg, gif, webp) are shown as such.", maxReadLines, maxReadBytes>>10, maxReadLine),
		Kind:     acp.ToolKindRead,
		ReadOnly: true,
	}, prepareRead)
}

type readInput struct {
	Path   string `json:"path" minLength:"1" jsonschema:"The file, absolute or relative to the working directory."`
	Offset int    `json:"offset,omitzero" minimum:"1" jsonschema:"The first line to read; the default is 1."`
	Limit  int    `json:"limit,omitzero" minimum:"1" jsonschema:"The most lines to read; the default is 2000."`
}

func prepareRead(env Env, in readInput) (*Job, error) {
	path, err := env.Resolve(in.Path)
	if err != nil {
		return nil, err
	}
	first, limit := max(in.Offset, 1), maxReadLines
	if in.Limit > 0 {
		limit = min(in.Limit, maxReadLines)
	}
	title := "Read " + path.title()
	switch {
	case in.Limit > 0:
		title += fmt.Sprintf(" (%d to %d)", first, first+limit-1)
	case in.Offset > 1:
		title += fmt.Sprintf(" (from %d)", first)
	}
	return &Job{
		Title:     title,
		Locations: []acp.ToolCallLocation{path.location(in.Offset)},
		Call:      policy.Call{Tool: policy.Read, Paths: path.files()},
		run: func(ctx context.Context) (*Result, error) {
			r, err := readFile(ctx, env, path, first, limit)
			if err != nil {
				return nil, fmt.Errorf("reading %s: %w", path.Short, err)
			}
			return r, nil
		},
	}, nil
}

// readFile reads text by way of the Env, and what is no text from this machine's disk: no client serves that.
func readFile(ctx context.Context, env Env, path Path, first, limit int) (*Result, error) {
	if info, err := path.stat(); err == nil && info.IsDir() {
		return nil, errors.New("it is a folder: list it instead")
	}
	head, _ := path.head(512) // what can't be read here, the Env may know
	switch kind := http.DetectContentType(head); kind {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return readImage(ctx, path, kind)
	case "application/pdf":
		return nil, errors.New("it is a PDF, which can't be shown; a command such as pdftotext makes text of it")
	}
	content, err := env.ReadFile(ctx, path)
	if err != nil {
		return nil, err
	}
	text, err := decode(content)
	if err != nil {
		return nil, err
	}
	env.Seen().note(path, content)
	return excerpt(path, text, first, limit)
}

func readImage(ctx context.Context, path Path, kind string) (*Result, error) {
	content, err := path.bytes(ctx, maxImage)
	if err != nil {
		return nil, err
	}
	summary := fmt.Sprintf("%s is an image (%s, %s)", path.Short, kind, bytesText(int64(len(content))))
	image := &acp.ImageContent{Data: base64.StdEncoding.EncodeToString(content), MIMEType: kind, URI: fileURI(path)}
	r := textResult(summary, "")
	r.Images = []*acp.ImageContent{image}
	r.Content = append(r.Content, acp.ToolContent(image))
	return r, nil
}

// fileURI is the address of a file.
func fileURI(path Path) string {
	slashed := filepath.ToSlash(path.Abs)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // C:/dir
	}
	return (&url.URL{Scheme: "file", Path: slashed}).String()
}

// excerpt is part of a file: its first line says which.
func excerpt(path Path, d *decoded, first, limit int) (*Result, error) {
	total := lineCount(d.text)
	if total == 0 {
		return textResult(strings.Join(append([]string{path.Short + " is empty"}, d.remarks...), "; "), ""), nil
	}
	if first > total {
		return nil, fmt.Errorf("it has only %s", count(total, "line"))
	}
	part := cutLines(d.text, first, limit)
	summary := fmt.Sprintf("%s has %s", path.Short, count(total, "line"))
	switch {
	case part.lines == 1 && total > 1:
		summary += fmt.Sprintf("; this is line %d", first)
	case part.lines < total:
		summary += fmt.Sprintf("; these are lines %d to %d", first, first+part.lines-1)
	}
	summary = strings.Join(append([]string{summary}, d.remarks...), "; ")
	r := textResult(summary, part.plain.String())
	r.Text = summary + "\n" + part.numbered.String()
	return r, nil
}

// A part is some lines of a text: for people, and after their numbers for the model.
type part struct {
	lines           int
	plain, numbered strings.Builder
}

// cutLines returns at most limit lines of text from line first on, and at least one.
func cutLines(text string, first, limit int) *part {
	p := &part{}
	var digits [24]byte
	number := 0
	for line := range strings.Lines(text) {
		number++
		if number < first {
			continue
		}
		line = shortLine(line)
		if p.lines == limit || p.lines > 0 && p.numbered.Len()+len(line) > maxReadBytes {
			break
		}
		p.lines++
		p.numbered.Write(appendNumber(digits[:0], number))
		p.numbered.WriteString(line)
		p.numbered.WriteByte('\n')
		p.plain.WriteString(line)
		p.plain.WriteByte('\n')
	}
	return p
}

// appendNumber appends the number of a line, at the right of six columns, and a tab.
func appendNumber(dst []byte, number int) []byte {
	for limit := 100_000; limit > number && limit > 1; limit /= 10 {
		dst = append(dst, ' ')
	}
	return append(strconv.AppendInt(dst, int64(number), 10), '\t')
}

// shortLine is a line without its end, cut if it is too long.
func shortLine(line string) string {
	line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
	if cut := clip(line, maxReadLine); cut != line {
		return fmt.Sprintf("%s (cut; the line has %s)", cut, count(len(line), "byte"))
	}
	return line
}
