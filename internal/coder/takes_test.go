package coder_test

import (
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/coder"
	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

var (
	anImage = acp.Image("image/png", []byte("i"))
	aSound  = acp.Audio("audio/wav", []byte("a"))
	aPDF    = acp.BlobResource("file:///a.pdf", "application/pdf", []byte("%PDF"))
	anEmoji = acp.BlobResource("file:///i.png", "image/png", []byte("i"))
	aZip    = acp.BlobResource("file:///z.zip", "application/zip", []byte("PK\x00\x01"))
)

// everything begins a session with one of the models, where those of the other wires could be used as well: so the agent
// advertises whatever any of them takes.
func everything(t *testing.T, s *modeltest.Server, model string) *client {
	t.Helper()
	env := map[string]string{"PATCHBAY_MODEL": model}
	for _, w := range wires {
		maps.Copy(env, w.env(s))
	}
	return beginWith(t, &client{}, coder.Options{Config: configured(t, env)})
}

// F141: what a session's model doesn't take is refused as invalid params, whether it is content or a file with content, and
// nothing of it is asked or remembered.
func TestF141_WhatTheModelDoesNotTakeIsInvalid(t *testing.T) {
	refused := map[string][]acp.ContentBlock{
		"anthropic": {aSound, aZip},
		"responses": {aSound, aZip},
		"chat":      {anImage, aSound, aPDF, anEmoji, aZip},
		"gemini":    {aZip},
	}
	onEachWire(t, func(t *testing.T, w wire) {
		s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "hi"}))
		s.Keyless = w.name == "chat"
		c := everything(t, s, w.model)
		for i, block := range refused[w.name] {
			prompt := &acp.PromptRequest{SessionID: c.session, Prompt: []acp.ContentBlock{acp.Text("look"), block}}
			err := c.rpc.Call(t.Context(), acp.MethodSessionPrompt, prompt, nil)
			if !errors.Is(err, &acp.Error{Code: acp.CodeInvalidParams}) || !strings.Contains(err.Error(), w.model) {
				t.Errorf("block %d: got %v", i, err)
			}
		}
		if len(s.Heard()) != 0 {
			t.Errorf("the model was asked %d times", len(s.Heard()))
		}
		c.turn("hello", acp.StopReasonEndTurn)
		if said := s.Last().Messages; len(said) != 1 || strings.Contains(said[0].Text, "look") {
			t.Errorf("the model was told %+v", said)
		}
	})
}

// What one model was shown, and the next one can't be told, is only mentioned: the session goes on.
func TestAModelThatTakesLessGoesOn(t *testing.T) {
	s := modeltest.New(t, modeltest.Script(modeltest.Answer{Text: "I see."}))
	c := everything(t, s, "gemini/gemini-3.8-flash")
	shown := []acp.ContentBlock{acp.Text("look"), anImage, aSound, aPDF, anEmoji}
	c.must(acp.MethodSessionPrompt, &acp.PromptRequest{SessionID: c.session, Prompt: shown}, nil)
	if _, err := c.set("model", choice("anthropic/claude-sonnet-5-5")); err != nil {
		t.Fatal(err)
	}
	c.turn("and now?", acp.StopReasonEndTurn)
	if first := s.Last().Messages[0]; first.Images != 3 || !strings.Contains(first.Text, "a sound, which you can't hear") {
		t.Errorf("the model was told %+v", first)
	}
	if _, err := c.set("model", choice("ollama/qwen3")); err != nil {
		t.Fatal(err)
	}
	s.Keyless = true
	c.turn("and now?", acp.StopReasonEndTurn)
	first := s.Last().Messages[0]
	for _, want := range []string{"an image, which you can't see", "a sound, which you can't hear", "file:///a.pdf, which you can't read", "file:///i.png, which"} {
		if first.Images != 0 || !strings.Contains(first.Text, want) {
			t.Errorf("%q is not in %+v", want, first)
		}
	}
}
