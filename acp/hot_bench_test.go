package acp

import (
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

const chunkText = `{"sessionId":"sess_01","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Let me see"},"messageId":"m_1"}}`

func BenchmarkEncodeChunk(b *testing.B) {
	var v SessionNotification
	if err := v.ParseJSON([]byte(chunkText)); err != nil {
		b.Fatal(err)
	}
	dst := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		dst, _ = v.AppendJSON(dst[:0])
	}
	if string(dst) != chunkText {
		b.Fatalf("%s", dst)
	}
}

func BenchmarkDecodeChunk(b *testing.B) {
	text := []byte(chunkText)
	b.ReportAllocs()
	for b.Loop() {
		v := new(SessionNotification)
		if err := v.ParseJSON(text); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecodeByPlan is what the codec written by hand is measured against.
func BenchmarkDecodeChunkByPlan(b *testing.B) {
	text := []byte(chunkText)
	b.ReportAllocs()
	for b.Loop() {
		if err := parseReflected(text, new(SessionNotification)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEncodeChunkByPlan(b *testing.B) {
	v := new(SessionNotification)
	if err := v.ParseJSON([]byte(chunkText)); err != nil {
		b.Fatal(err)
	}
	dst := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		dst, _ = appendReflected(dst[:0], v)
	}
}

const toolText = `{"sessionId":"sess_01","update":{"sessionUpdate":"tool_call_update","toolCallId":"call_1","status":"completed",` +
	`"content":[{"type":"diff","path":"/home/me/main.go","oldText":"package main\n","newText":"package main\n\nfunc main() {}\n"}],` +
	`"locations":[{"path":"/home/me/main.go","line":3}],"rawOutput":{"ok":true,"lines":[1,2,3]}}}`

func BenchmarkEncodeToolCallUpdate(b *testing.B) {
	var v SessionNotification
	if err := v.ParseJSON([]byte(toolText)); err != nil {
		b.Fatal(err)
	}
	dst := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		dst, _ = v.AppendJSON(dst[:0])
	}
}

func BenchmarkDecodeToolCallUpdate(b *testing.B) {
	text := []byte(toolText)
	b.ReportAllocs()
	for b.Loop() {
		v := new(SessionNotification)
		if err := v.ParseJSON(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode32MiB(b *testing.B) {
	text := []byte(strings.Replace(chunkText, "Let me see", strings.Repeat("x", 32<<20), 1))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		v := new(SessionNotification)
		if err := v.ParseJSON(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheck32MiB(b *testing.B) {
	text := []byte(strings.Replace(chunkText, "Let me see", strings.Repeat("x", 32<<20), 1))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if err := rawjson.Check(text); err != nil {
			b.Fatal(err)
		}
	}
}
