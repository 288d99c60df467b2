package model

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/patchbay-dev/patchbay/acp"
)

// Whatever a model writes, its call has an object for input, and a name: the conversation goes on with it.
func TestInputOfACall(t *testing.T) {
	made := NewCalls(&Request{})
	for input, want := range map[string]string{
		"":                 "{}",
		" \n":              "{}",
		"null":             "{}",
		" {\"a\": 1} ":     `{"a": 1}`,
		`{"a":1,"a":2}`:    `{"a":1,"a":2}`,
		"{\"a\":\"\xff\"}": "{\"a\":\"\xff\"}",
	} {
		if c := made.New("1", "read", input); string(c.Input) != want || c.Broken != "" || c.Name != "read" {
			t.Errorf("%q: got %+v", input, c)
		}
	}
	for _, input := range []string{`{"a":`, `[]`, `"{}"`, "1", "{} {}", "\xff", strings.Repeat("ä", 1000), "<function=read>"} {
		c := made.New("1", "read", input)
		if string(c.Input) != "{}" || !strings.Contains(c.Broken, "no JSON object: ") || !utf8.ValidString(c.Broken) || len(c.Broken) > 400 {
			t.Errorf("%.20q: got %+v", input, c)
		}
	}
	if c := made.New("1", "read", `{"path":"`+strings.Repeat("x", 1000)+`"]`); !strings.Contains(c.Broken, `{"path":"x`) || !strings.Contains(c.Broken, `x"].`) {
		t.Errorf("it does not show where it begins and ends: %s", c.Broken)
	}
}

// Providers refuse names with other characters, and for good: the name is a part of the conversation.
func TestNameOfACall(t *testing.T) {
	made := NewCalls(&Request{Tools: []Tool{{Name: "mcp.read"}}})
	for name, want := range map[string]string{
		"read":                    "read",
		"mcp.read":                "mcp.read", // it is what the provider was told
		"functions.read":          "functions_read",
		"<|channel|> read\n":      "__channel___read_",
		"läs":                     "l_s",
		"1x":                      "_1x",
		strings.Repeat("x", 1000): strings.Repeat("x", 64),
	} {
		if c := made.New("1", name, "{}"); c.Name != want || c.Broken != "" {
			t.Errorf("%.20q: got %+v", name, c)
		}
	}
	if c := made.New("1", "", `{"a":1}`); c.Name != "unnamed" || !strings.Contains(c.Broken, `names no tool; its input is: {"a":1}.`) || string(c.Input) != "{}" {
		t.Errorf("got %+v", c)
	}
}

func TestIDOfACall(t *testing.T) {
	made := NewCalls(&Request{Messages: []Message{{Role: RoleAssistant, Calls: []*Call{{ID: "call_0"}}}}})
	seen := map[string]bool{"call_0": true}
	for _, id := range []string{"call_0", "call_1", "call_1", "", ""} {
		got := made.New(id, "read", "").ID
		if seen[got] || got == "" || len(got) > 40 {
			t.Errorf("%q is named %q", id, got)
		}
		if id == "call_1" && !seen[id] && got != id {
			t.Errorf("%q was not taken, and is named %q", id, got)
		}
		seen[got] = true
	}
}

func TestCheckCalls(t *testing.T) {
	user := Message{Role: RoleUser}
	calls := func(ids ...string) Message {
		m := Message{Role: RoleAssistant}
		for _, id := range ids {
			m.Calls = append(m.Calls, &Call{ID: id, Name: "read"})
		}
		return m
	}
	results := func(ids ...string) Message {
		m := user
		for _, id := range ids {
			m.Results = append(m.Results, Result{CallID: id})
		}
		return m
	}
	array := calls("a")
	array.Calls[0].Input = acp.Raw("[]")
	users := calls("a")
	users.Role = RoleUser
	for name, c := range map[string]struct {
		messages []Message
		want     string
	}{
		"well":               {[]Message{user, calls("a", "b"), results("a", "b"), user}, ""},
		"a name again later": {[]Message{user, calls("a"), results("a"), calls("a"), results("a")}, ""}, // the wires rename it
		"no results":         {[]Message{user, calls("a"), user}, "message 3 of the conversation: there are 0 results for the 1 calls"},
		"one result":         {[]Message{user, calls("a", "b"), results("a")}, "1 results for the 2 calls"},
		"at the end":         {[]Message{user, calls("a")}, "ends with calls that have no results"},
		"another order":      {[]Message{user, calls("a", "b"), results("b", "a")}, `result for the call "b" where that for "a" of read should be`},
		"a stray result":     {[]Message{user, results("a")}, "1 results for the 0 calls"},
		"one name":           {[]Message{user, calls("a", "a"), results("a", "a")}, `two calls are named "a"`},
		"no object":          {[]Message{user, array, results("a")}, `the input of the call "a" of read is no JSON object`},
		"the user's":         {[]Message{users, results("a")}, "not the model's"},
	} {
		err := CheckCalls(c.messages)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
