package trace_test

import (
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/trace"
)

// F174: credentials are no part of a trace, and nothing else changes.
func TestRedacts(t *testing.T) {
	for name, c := range map[string]struct{ message, want string }{
		"environment of MCP servers": {
			`{"mcpServers":[{"name":"a","command":"x","args":["-v"],"env":[{"name":"LEVEL", "value":"S1"},{"value":"S2","name":"K"}]}]}`,
			`{"mcpServers":[{"name":"a","command":"x","args":["-v"],"env":[{"name":"LEVEL", "value":"*"},{"value":"*","name":"K"}]}]}`,
		},
		"environment as an object":   {`{"env":{"A":"S1","B":{"c":["S2"]}},"d":1}`, `{"env":{"A":"*","B":{"c":["*"]}},"d":1}`},
		"environment as assignments": {`{"env":["A=S1","B=S2"]}`, `{"env":["*","*"]}`},
		"headers": {
			`{"type":"http","url":"https://h/","headers":[{"name":"Authorization","value":"Bearer S1"}]}`,
			`{"type":"http","url":"https://h/","headers":[{"name":"Authorization","value":"*"}]}`,
		},
		"authenticate": {
			`{"jsonrpc":"2.0","id":"a","method":"authenticate","params":{"methodId":"gateway","_meta":{"base":"S1","n":[1,null,"S2"]}}}`,
			`{"jsonrpc":"2.0","id":"a","method":"authenticate","params":{"methodId":"gateway","_meta":{"base":"*","n":[1,null,"*"]}}}`,
		},
		"names of credentials": {
			`{"api_key":"S1","x-API-Key":"S2","accessToken":"S3","clientSecret":"S4","Set-Cookie":"S5","password":{"v":"S6"},"db.passwd":["S7"]}`,
			`{"api_key":"*","x-API-Key":"*","accessToken":"*","clientSecret":"*","Set-Cookie":"*","password":{"v":"*"},"db.passwd":["*"]}`,
		},
		"an escaped name":     {`{"p\u0061ssword":"S1"}`, `{"p\u0061ssword":"*"}`},
		"arguments":           {`{"args":["--api-key","S1","--port","80","--token=S2","x"]}`, `{"args":["--api-key","*","--port","80","--token=*","x"]}`},
		"credentials in URLs": {`{"url":"https://u:S1@h/?api_key=S2&x=1"}`, `{"url":"https://u:*@h/?api_key=*&x=1"}`},
		"a server's address": {
			`{"url":"https://h/?x=1","mcpServers":[{"type":"sse","name":"a","url":"https://S1@h/sse?k=S2&s=S3#x"},{"url":"https://u:S4@h/"},{"url":"https://h/mcp"}]}`,
			`{"url":"https://h/?x=1","mcpServers":[{"type":"sse","name":"a","url":"https://*@h/sse?*#x"},{"url":"https://u:*@h/"},{"url":"https://h/mcp"}]}`,
		},
		"a command line": {`{"command":"curl -H 'Authorization: Bearer S1' h"}`, `{"command":"curl -H 'Authorization: Bearer *' h"}`},
		"noise":          {`error: API_KEY=S1 is wrong, Authorization: Basic S2`, `error: API_KEY=* is wrong, Authorization: Basic *`},
		"noise that is no UTF-8": {
			"\xff token: S1", "\xff token: *",
		},

		"counts of tokens":     {`{"inputTokens":10,"max_tokens":5,"progressToken":"p"}`, ``},
		"numbers and literals": {`{"token":12,"secret":true,"password":null}`, ``},
		"the conversation":     {`{"text":"password: hunter2","content":"token=abc"}`, ``},
		"odd but valid JSON":   {` [ ] `, `[ ]`},
		"empty containers":     {`{"env":{},"headers":[],"args":[],"token":{},"a":[{}]}`, ``},
		"white space":          {"{ \"a\" :\t1 , \"env\" : [ { \"name\" : \"x\" , \"n\" : [ ] } ] }", ``},
	} {
		t.Run(name, func(t *testing.T) {
			want := strings.ReplaceAll(c.want, "*", trace.Redacted)
			if want == "" {
				want = c.message
			}
			rec := read(t, write(t, trace.Options{}, in(c.message)))[1]
			if got := string(rec.Msg) + string(rec.Text); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			rec = read(t, write(t, trace.Options{Raw: true}, in(c.message)))[1]
			if got := string(rec.Msg) + string(rec.Text); got != strings.TrimSpace(c.message) {
				t.Errorf("raw:\n%s\nwant\n%s", got, c.message)
			}
		})
	}
}
