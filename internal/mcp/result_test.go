package mcp_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/acp"
	"github.com/patchbay-dev/patchbay/internal/mcp"
)

func TestAResultHasAPieceOfEachKind(t *testing.T) {
	s, _ := ready(t, mcp.Options{}, ours(t, "s", "full"))
	r := call(t, s, "mcp__s__content", "{}")
	want := `for all
for the model
[image: image/png, 70 bytes]
[what is said to be an image, image/svg+xml, was left out: it is no PNG, JPEG, GIF or WebP]
[an image of 4194374 bytes was left out: at most 3932160 are taken]
[sound: audio/wav, 4 bytes; only the user can hear it]
[link: file:///a.txt (a.txt)] a file
[resource: test://text]
embedded
[resource: test://blob, application/zip, 2 bytes that are no text; only the user has them]
{"answer":42}`
	if diff := cmp.Diff(want, r.Text); diff != "" {
		t.Errorf("what the model reads (-want +got):\n%s", diff)
	}
	if len(r.Images) != 1 || r.Images[0].MIMEType != "image/png" || r.Images[0].Data == "" {
		t.Errorf("the images are %+v", r.Images)
	}
	var kinds []string
	for _, b := range r.Blocks {
		switch b := b.(type) {
		case *acp.TextContent:
			kinds = append(kinds, b.Text)
		case *acp.ImageContent:
			kinds = append(kinds, "image")
		case *acp.AudioContent:
			kinds = append(kinds, "sound")
		case *acp.ResourceLink:
			kinds = append(kinds, "link "+b.URI)
		case *acp.EmbeddedResource:
			switch c := b.Resource.(type) {
			case *acp.TextResourceContents:
				kinds = append(kinds, c.Text)
			case *acp.BlobResourceContents:
				kinds = append(kinds, "blob "+c.Blob)
			}
		}
	}
	people := []string{
		"for all", "for people", "image",
		"[what is said to be an image, image/svg+xml, was left out: it is no PNG, JPEG, GIF or WebP]",
		"[an image of 4194374 bytes was left out: at most 3932160 are taken]",
		"sound", "link file:///a.txt", "embedded", "blob UEs=", `{"answer":42}`,
	}
	if diff := cmp.Diff(people, kinds); diff != "" {
		t.Errorf("what people see (-want +got):\n%s", diff)
	}
}

func TestALongResultIsCutAndSaysSo(t *testing.T) {
	s, _ := ready(t, mcp.Options{MaxText: 1001}, ours(t, "s", "full"))
	r := call(t, s, "mcp__s__big", `{"n":5000}`)
	if want := strings.Repeat("é", 500) + "\n[9000 bytes of text were cut off here]"; r.Text != want || !utf8.ValidString(r.Text) {
		t.Errorf("it has %d bytes and ends with %q", len(r.Text), r.Text[max(len(r.Text)-60, 0):])
	}
	if r := call(t, s, "mcp__s__big", `{"n":500}`); r.Text != strings.Repeat("é", 500) {
		t.Errorf("what fits is cut, too: %d bytes", len(r.Text))
	}
}

func TestAnAnswerBeyondAllBoundsFailsItsCallOnly(t *testing.T) {
	s, _ := ready(t, mcp.Options{}, ours(t, "s", "huge", `{`+hello+`,"tools/list":{"tools":[{"name":"a","inputSchema":{}}]},"prompts/list":{}}`))
	for range 2 {
		_, err := s.Call(deadline(t), mcp.Call{Tool: "mcp__s__a"})
		if err == nil || !strings.Contains(err.Error(), "at most 16777216 are taken") {
			t.Errorf("the error is %v", err)
		}
	}
	if status := s.Status()[0]; status.State != mcp.StateReady {
		t.Errorf("it is %+v", status)
	}
}

// raw is the configuration of a server that answers as a table says.
func raw(t *testing.T, table string) *acp.MCPServerStdio { return ours(t, "s", "raw", table) }

const hello = `"initialize":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"prompts":{}},"serverInfo":{"name":"raw","version":"1"}}`

func TestOddSchemasAreRepairedOrSkippedWithAReport(t *testing.T) {
	deep := strings.Repeat(`{"type":"object","properties":{"a":`, 20) + `{}` + strings.Repeat(`}}`, 20)
	s, _ := ready(t, mcp.Options{}, raw(t, `{`+hello+`,"tools/list":{"tools":[
		null,
		{"name":"none"},
		{"name":"null","inputSchema":null},
		{"name":"typeless","inputSchema":{"properties":{"a":{"type":"string"}},"required":["a"]}},
		{"name":"types","inputSchema":{"type":["object","null"],"properties":[],"required":"a"}},
		{"name":"deep","inputSchema":`+deep+`},
		{"name":"text","inputSchema":{"type":"string"}},
		{"name":"list","inputSchema":[]},
		{"name":"number","inputSchema":{"type":5}},
		{"name":"huge","inputSchema":{"type":"object","description":"`+strings.Repeat("x", 70_000)+`"}},
		{"name":"","inputSchema":{"type":"object"}},
		{"name":"none","inputSchema":{"type":"object"}},
		{"name":"a.b/ü","title":"`+strings.Repeat("t", 500)+`","description":"`+strings.Repeat("d", 9000)+`","inputSchema":{"type":"object"}}
	]},"prompts/list":{"prompts":[{"name":""},{"name":"p","arguments":[null,{"name":"x"}]}]}}`))
	got := make(map[string]string)
	for _, tool := range s.Tools() {
		got[tool.Name] = string(tool.Schema)
		if len(tool.Title) > 210 || len(tool.Description) > 4100 {
			t.Errorf("%s has a title of %d bytes and a description of %d", tool.Name, len(tool.Title), len(tool.Description))
		}
	}
	want := map[string]string{
		"mcp__s__none":     `{"properties":{},"type":"object"}`,
		"mcp__s__null":     `{"properties":{},"type":"object"}`,
		"mcp__s__typeless": `{"properties":{"a":{"type":"string"}},"required":["a"],"type":"object"}`,
		"mcp__s__types":    `{"properties":{},"type":"object"}`,
		"mcp__s__a_b__":    `{"properties":{},"type":"object"}`,
		"mcp__s__deep":     got["mcp__s__deep"],
	}
	if diff := cmp.Diff(want, got); diff != "" || got["mcp__s__deep"] == "" {
		t.Errorf("the tools (-want +got):\n%s", diff)
	}
	mustHold(t, strings.Join(s.Status()[0].Warnings, "\n"), `its tool "text" is not offered: its input is of the type "string"`,
		`"list" is not offered`, `"number" is not offered`, `"huge" is not offered: the schema of its input has 70`, `"" is not offered`,
		`"none" is listed twice`, `its prompt "" is not offered`)
	if p := s.Prompts(); len(p) != 1 || p[0].Hint() != "[x]" {
		t.Errorf("the prompts are %+v", p)
	}
}

func TestAListWithoutAnEndIsCut(t *testing.T) {
	s, _ := ready(t, mcp.Options{}, raw(t, `{`+hello+`,"tools/list":{"tools":[{"name":"a","inputSchema":{}}],"nextCursor":"again"},"prompts/list":{"prompts":[]}}`))
	if got := toolNames(s); len(got) != 1 {
		t.Errorf("the tools are %v", got)
	}
	mustHold(t, strings.Join(s.Status()[0].Warnings, "\n"), "it has more tools than are taken")
}

func TestAServerWithoutAListOfToolsHasFailed(t *testing.T) {
	s, _ := start(t, mcp.Options{}, raw(t, `{`+hello+`}`))
	if err := s.Wait(deadline(t)); err != nil {
		t.Fatal(err)
	}
	if status := s.Status()[0]; status.State != mcp.StateFailed || !strings.Contains(status.Reason, "its tools can't be listed: ") {
		t.Errorf("it is %+v", status)
	}
}

// Servers of the protocol's next version have no initialize.
func TestAServerThatKnowsOnlyTheNextVersionOfTheProtocol(t *testing.T) {
	s, _ := ready(t, mcp.Options{}, raw(t, `{
		"server/discover":{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete"},
		"tools/list":{"tools":[{"name":"a","inputSchema":{"type":"object"}}],"resultType":"complete"},
		"tools/call":{"content":[{"type":"text","text":"new"}],"resultType":"complete"}
	}`))
	if r := call(t, s, "mcp__s__a", "{}"); r.Text != "new" {
		t.Errorf("the result is %+v", r)
	}
}
