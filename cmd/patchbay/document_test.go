package main

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/patchbay-dev/patchbay/acp"
)

// What an agent says is Markdown that stays Markdown, but for what would be more than text in a page made of it.
func TestMarkdownIsHarmless(t *testing.T) {
	for text, want := range map[string]string{
		"*a* <b>": "> *a* &lt;b>\n",
		"## You":  "> ## You\n",
		"[a](https://x.org) [b](javascript:1) [c][d]": "> [a](https://x.org) [b]\\(javascript:1) [c][d]\n",
		"[d]: javascript:1\n[e]: https://x.org":       "> [d]\\: javascript:1\n> [e]: https://x.org\n",
		"![a](https://x.org/track.png)":               "> !\\[a](https://x.org/track.png)\n",
		"```html\n<b>\n```\n<i>":                      "> ```html\n> <b>\n> ```\n> &lt;i>\n",
		"```\n<b>\n  ```` \n<i>":                      "> ```\n> <b>\n> ```\n> &lt;i>\n",
		"~~~\n<b>\n```\n<i>":                          "> ~~~\n> <b>\n> ```\n> <i>\n> ~~~\n",
		"* a\n  ```\n<i>":                             "> * a\n>   ```\n> &lt;i>\n",
		"``` a ` b\n<i>":                              "> ``` a ` b\n> &lt;i>\n",
		"`\n\n<i>":                                    "> `\n>\n> &lt;i>\n",
	} {
		if got := quoteMarkdown(text); got != want {
			t.Errorf("%q: got\n%s", text, got)
		}
	}
	if got := escapeMarkdown("a_b [c](d) <e> `f` 1. \\"); got != "a\\_b \\[c\\]\\(d\\) \\<e\\> \\`f\\` 1. \\\\" {
		t.Errorf("got %s", got)
	}
	if got := fenced("a ````` b"); got != "``````text\na ````` b\n``````\n" {
		t.Errorf("got %s", got)
	}
}

// Whatever an agent says, each line of it stays in its quotation, and outside of code blocks there is no tag.
func TestMarkdownHasNoTags(t *testing.T) {
	piece := rapid.SampledFrom([]string{"<b>", "```", "````", "~~~", " ", "    ", "\t", "\n", "\n", "x", "](", "javascript:", "![", "]:", "`", "> ", "* ", "\\", "http://"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(t, "text"), "")
		fence := ""
		for line := range strings.Lines(quoteMarkdown(text)) {
			said, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), ">")
			if !ok {
				t.Fatalf("%q has left the quotation", line)
			}
			said = strings.TrimPrefix(said, " ")
			mark := fenceOf(said)
			switch {
			case fence == "" && mark != "":
				fence = mark
			case fence != "" && said == fence:
				fence = ""
			case fence == "" && strings.Contains(said, "<"), fence == "" && strings.Contains(said, "](javascript:"):
				t.Fatalf("%q is more than text", said)
			}
		}
		if fence != "" {
			t.Fatal("a code block has no end")
		}
	})
}

// A page has the pictures that it was given, and none that a browser would do more with than show.
func TestPagesShowPictures(t *testing.T) {
	d := &document{Title: "<t>", CWD: "/w", Entries: []entry{{Type: "message", Role: "agent", Content: []acp.ContentBlock{
		acp.Text("see: "), acp.Text("<b>\x1b[31m"),
		acp.Image("image/png", []byte("png")), acp.Image("image/svg+xml", []byte("<svg>")), &acp.ImageContent{MIMEType: "image/png", Data: `"onerror="x`},
		acp.Link("web", "https://x.org/?a=1&b=2"), acp.Link("bad", "javascript:alert(1)"),
	}}, {Type: "update", Update: acp.Raw(`{"a":"</pre>"}`)}}}
	var b bytes.Buffer
	if err := d.html(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<title>&lt;t&gt;</title>", "see: &lt;b&gt;", `src="data:image/png;base64,cG5n"`, `href="https://x.org/?a=1&amp;b=2"`, "[image, image/svg&#43;xml]", "&lt;/pre&gt;", "javascript:alert(1)]"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%s is missing in\n%s", want, b.String())
		}
	}
	for _, bad := range []string{"\x1b", `href="javascript`, "onerror=", "<svg", "data:image/svg", "ZgotmplZ"} {
		if strings.Contains(b.String(), bad) {
			t.Errorf("%q is in\n%s", bad, b.String())
		}
	}
}
