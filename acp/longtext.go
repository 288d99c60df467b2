package acp

import (
	"slices"

	"github.com/patchbay-dev/patchbay/jsonrpc"
)

// The messages that carry texts of many megabytes: a prompt with a log in it, a chunk that repeats one, a whole file. Such
// texts are encoded while they are written.
var (
	_ jsonrpc.TextCutter = PromptRequest{}
	_ jsonrpc.TextCutter = SessionNotification{}
	_ jsonrpc.TextCutter = WriteTextFileRequest{}
	_ jsonrpc.TextCutter = ReadTextFileResponse{}
)

// CutTexts is for package jsonrpc. See jsonrpc.TextCutter.
func (v PromptRequest) CutTexts(min int, mark string) (short jsonrpc.Appender, texts []string) {
	k := scissors{min: min, mark: mark}
	cut := v.Prompt
	for i, block := range v.Prompt {
		if b := k.block(block); b != block {
			if len(k.texts) == 1 {
				cut = slices.Clone(v.Prompt)
			}
			cut[i] = b
		}
	}
	if len(k.texts) == 0 {
		return nil, nil // most messages: nothing is to be allocated for them
	}
	v.Prompt = cut
	return boxed(v), k.texts
}

// CutTexts is for package jsonrpc. See jsonrpc.TextCutter.
func (v SessionNotification) CutTexts(min int, mark string) (short jsonrpc.Appender, texts []string) {
	k := scissors{min: min, mark: mark}
	update := v.Update
	switch u := update.(type) {
	case *AgentMessageChunk:
		if b := k.block(u.Content); b != u.Content {
			c := *u
			c.Content, update = b, &c
		}
	case *UserMessageChunk:
		if b := k.block(u.Content); b != u.Content {
			c := *u
			c.Content, update = b, &c
		}
	}
	if len(k.texts) == 0 {
		return nil, nil
	}
	v.Update = update
	return boxed(v), k.texts
}

// CutTexts is for package jsonrpc. See jsonrpc.TextCutter.
func (v WriteTextFileRequest) CutTexts(min int, mark string) (short jsonrpc.Appender, texts []string) {
	k := scissors{min: min, mark: mark}
	v.Content = k.text(v.Content)
	return boxed(v), k.texts
}

// CutTexts is for package jsonrpc. See jsonrpc.TextCutter.
func (v ReadTextFileResponse) CutTexts(min int, mark string) (short jsonrpc.Appender, texts []string) {
	k := scissors{min: min, mark: mark}
	v.Content = k.text(v.Content)
	return boxed(v), k.texts
}

// boxed moves a copy to where it outlives its function, and only that.
func boxed[T jsonrpc.Appender](v T) jsonrpc.Appender { return v }

// scissors cut out long texts.
type scissors struct {
	min   int
	mark  string
	texts []string
}

func (k *scissors) text(s string) string {
	if len(s) < k.min {
		return s
	}
	k.texts = append(k.texts, s)
	return k.mark
}

// block returns a block without its long text, or the block itself if it has none.
func (k *scissors) block(b ContentBlock) ContentBlock {
	switch c := b.(type) {
	case *TextContent:
		if c != nil && len(c.Text) >= k.min {
			short := *c
			short.Text = k.text(c.Text)
			return &short
		}
	case *EmbeddedResource:
		if c == nil {
			break
		}
		if r, ok := c.Resource.(*TextResourceContents); ok && r != nil && len(r.Text) >= k.min {
			short, contents := *c, *r
			contents.Text, short.Resource = k.text(r.Text), &contents
			return &short
		}
	}
	return b
}
