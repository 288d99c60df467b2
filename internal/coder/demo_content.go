package coder

import (
	"context"
	"strings"
	"time"

	"github.com/patchbay-dev/patchbay/acp"
)

const (
	maxDemoWords = 1_000_000
	maxDemoBytes = 1 << 30 // what the connection takes is less; more than that fails there, which can be seen too
)

func demoStream(ctx context.Context, d *demonstration) (acp.StopReason, error) {
	words, err := d.number(0, 20, maxDemoWords)
	if err != nil {
		return "", err
	}
	ms, err := d.number(1, 100, 60_000)
	if err != nil {
		return "", err
	}
	for i := range words {
		if ms > 0 && !sleep(ctx, time.Duration(ms)*time.Millisecond) {
			return acp.StopReasonCancelled, nil
		}
		if err := d.Textf("word %d ", i+1); err != nil {
			return "", err
		}
	}
	return "", nil
}

func demoMessage(_ context.Context, d *demonstration) (acp.StopReason, error) {
	n, err := d.number(0, 1000, maxDemoBytes)
	if err != nil {
		return "", err
	}
	const line = "A line of sixty-four bytes, and what comes after it looks alike\n"
	return "", d.Text(strings.Repeat(line, n/len(line)+1)[:n])
}

// A picture of one pixel and a sound of one sample: the least that is valid.
const (
	demoPNG = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89" +
		"\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d\x00\x00\x00\x00IEND\xaeB`\x82"
	demoWAV = "RIFF\x26\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x80\x3e\x00\x00\x02\x00\x10\x00" +
		"data\x02\x00\x00\x00\x00\x00"
)

func demoContent(_ context.Context, d *demonstration) (acp.StopReason, error) {
	uri := "file://" + d.Session().CWD() + "/demo.txt"
	for _, block := range []acp.ContentBlock{
		acp.Text("Text with *Markdown*, an emoji 🙂 and a line separator\u2028that is no line end. "),
		acp.Image("image/png", []byte(demoPNG)),
		acp.Audio("audio/wav", []byte(demoWAV)),
		acp.Link("demo.txt", uri),
		acp.TextResource(uri, "text/plain", "The text of a file that does not exist.\n"),
		acp.BlobResource(uri, "application/octet-stream", []byte{0, 1, 2, 0xFF}),
		&acp.TextContent{Text: "For people only.", Annotations: &acp.Annotations{Audience: []acp.Role{acp.RoleUser}}},
	} {
		if err := d.Content(block); err != nil {
			return "", err
		}
	}
	d.NewMessage()
	return "", d.Text("This is another message.")
}

func demoTools(_ context.Context, d *demonstration) (acp.StopReason, error) {
	for _, kind := range []acp.ToolKind{
		acp.ToolKindRead, acp.ToolKindEdit, acp.ToolKindDelete, acp.ToolKindMove, acp.ToolKindSearch, acp.ToolKindExecute,
		acp.ToolKindThink, acp.ToolKindFetch, acp.ToolKindSwitchMode, acp.ToolKindOther,
	} {
		if err := d.toolCall(kind); err != nil {
			return "", err
		}
	}
	return "", d.Text("Those were tool calls of every kind. Nothing was done.\n")
}

// toolCall shows a call that does nothing.
func (d *demonstration) toolCall(kind acp.ToolKind) error {
	path := d.Session().CWD() + "/demo.txt"
	line := uint32(2)
	call, err := d.ToolCall(acp.ToolCall{
		Title: "Demo of kind " + string(kind), Name: "demo_" + string(kind), Kind: kind,
		Locations: []acp.ToolCallLocation{{Path: path, Line: &line}}, RawInput: acp.Raw(`{"demo":true}`),
	})
	if err != nil {
		return err
	}
	if err := call.Start(); err != nil {
		return err
	}
	old := "one\ntwo\n"
	switch kind {
	case acp.ToolKindEdit:
		return call.Complete(acp.DiffContent(path, &old, "one\nthree\n"), acp.DiffContent(path+".new", nil, "new\n"))
	case acp.ToolKindExecute:
		return call.Fail("it failed on purpose")
	}
	if err := call.Text("half of it\n"); err != nil {
		return err
	}
	if err := call.RawOutput(map[string]any{"demo": true}); err != nil {
		return err
	}
	return call.Complete()
}
