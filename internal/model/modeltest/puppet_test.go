package modeltest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// A puppet calls the agent's own tools, whatever they are called, in every format, with and without a stream.
func TestPuppetCallsTheToolsThatThereAre(t *testing.T) {
	const wish = "Please: puppet:shell=`touch here`"
	for name, c := range map[string]struct{ path, body, want string }{
		"anthropic": {"/v1/messages", `{"model":"m","max_tokens":9,"system":"s","messages":[{"role":"user","content":"WISH"}],
			"tools":[{"name":"Read","input_schema":{}},{"name":"Bash","input_schema":{"properties":{"command":{"type":"string"}}}}]}`,
			`"input":{"command":"touch here"}`},
		"chat": {"/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"WISH"}],
			"tools":[{"type":"function","function":{"name":"run_shell_command","parameters":{"required":["is_background"],"properties":{
			"command":{"type":"string"},"is_background":{"type":"boolean"}}}}}]}`,
			`{\"command\":\"touch here\",\"is_background\":false}`},
		"responses": {"/v1/responses", `{"model":"m","input":[{"role":"user","content":"WISH"}],
			"tools":[{"type":"web_search"},{"type":"function","name":"shell","parameters":{"properties":{"command":{"type":"array"}}}}]}`,
			`{\"command\":[\"sh\",\"-c\",\"touch here\"]}`},
		"gemini": {"/v1beta/models/gemini-2.5-flash:generateContent", `{"toolConfig":{},"contents":[{"role":"user","parts":[{"text":"WISH"}]}],
			"tools":[{"functionDeclarations":[{"name":"run_shell_command","parametersJsonSchema":{"properties":{"command":{"type":"string"}}}}]}]}`,
			`"args":{"command":"touch here"}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := modeltest.New(t, modeltest.Puppet)
			s.Foreign, s.Keyless = true, true
			if got := post(t, s.URL+c.path, strings.Replace(c.body, "WISH", wish, 1)); !strings.Contains(got, c.want) {
				t.Errorf("the answer is\n%s\nwithout %s", got, c.want)
			}
		})
	}
}

// When the calls have been made, a puppet is done; what the user has wanted before is past.
func TestPuppetIsDone(t *testing.T) {
	s := modeltest.New(t, modeltest.Puppet)
	s.Foreign = true
	got := post(t, s.URL+"/v1/chat/completions", `{"model":"m","messages":[
		{"role":"user","content":"puppet:slow"},
		{"role":"user","content":"puppet:talk"},
		{"role":"user","content":"puppet:shell=`+"`ls`"+`"},
		{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"bash","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"a","content":"nothing"}],
		"tools":[{"type":"function","function":{"name":"bash","parameters":{}}}]}`)
	if !strings.Contains(got, modeltest.PuppetWords) {
		t.Errorf("the answer is %s", got)
	}
}

// An agent that wants its answer in a form gets one that is filled in.
func TestPuppetFillsInForms(t *testing.T) {
	s := modeltest.New(t, modeltest.Puppet)
	s.Foreign = true
	got := post(t, s.URL+"/v1/responses", `{"model":"m","input":[{"role":"user","content":"puppet:shell=`+"`ls`"+`"}],"text":{"format":{
		"type":"json_schema","schema":{"type":"object","properties":{"outcome":{"enum":["allow","deny"]},"sure":{"type":"boolean"}}}}}}`)
	if !strings.Contains(got, `{\"outcome\":\"allow\",\"sure\":false}`) {
		t.Errorf("the answer is %s", got)
	}
}

func post(t *testing.T, url, body string) string {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
