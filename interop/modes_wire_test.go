package interop_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/patchbay-dev/patchbay/internal/model/modeltest"
)

// option is the current value of one of a session's options, "" if there is no such option.
func option(options any, id string) any {
	list, _ := options.([]any)
	for _, o := range list {
		if o := o.(object); o["id"] == id {
			return o["currentValue"]
		}
	}
	return ""
}

// changes are what a reply tells of modes: the mode, and the option that is the same.
func (r reply) changes() (list []string) {
	for _, u := range r.Updates {
		switch u.Update["sessionUpdate"] {
		case "current_mode_update":
			list = append(list, fmt.Sprint("mode ", u.Update["currentModeId"]))
		case "config_option_update":
			list = append(list, fmt.Sprint("option ", option(u.Update["configOptions"], "mode")))
		}
	}
	return list
}

// offers reports whether the model was offered a tool in its last request.
func (s *served) offers(tool string) bool { return slices.Contains(s.model.Last().Tools, tool) }

// S002.7, S002.9, F60: the SDK's client is offered the modes in both ways and changes them in both, is told in the other one, and
// what a mode forbids is not offered to the model, and not done if it is called all the same.
func TestS002_9_SDKClientChangesModes(t *testing.T) {
	t.Parallel()
	s := settle(t, "", turnsOf(
		calls("write", `{"path":"a.txt","text":"a"}`), calls("shell", `{"command":"touch b"}`), calls("write", `{"path":"a.txt","text":"a"}`),
		calls("shell", `{"command":"touch c"}`))...)
	s.launch()
	r := s.begin()
	offered := r.Result["modes"].(object)
	same(t, "the first mode", []any{offered["currentModeId"], option(r.Result["configOptions"], "mode")}, []any{"full", "full"})
	names := map[any]any{}
	for _, m := range offered["availableModes"].([]any) {
		names[m.(object)["id"]] = m.(object)["name"]
	}
	for id, name := range map[any]any{"full": "Full Access", "read-only": "Read-Only", "safe": "Safe Mode", "plan": "Plan", "architect": "Architect", "ask": "Ask"} {
		same(t, "the name of a mode", names[id], name)
	}

	r = s.about("session/set_mode", object{"modeId": "read-only"})
	same(t, "told", r.changes(), []string{"mode read-only", "option read-only"})
	r = s.turn("go")
	same(t, "methods", r.methods(), []string(nil))
	contains(t, strings.Join(r.lines(), "\n"), `failed the mode "read-only" has no tool "write"; nothing was done`)
	same(t, "offered", []bool{s.offers("write"), s.offers("shell"), s.offers("read")}, []bool{false, false, true})

	r = s.about("session/set_config_option", object{"configId": "mode", "value": "safe"})
	same(t, "the answer", option(r.Result["configOptions"], "mode"), "safe")
	same(t, "told", r.changes(), []string{"mode safe"})
	s.turn("go")
	same(t, "done", []bool{is(s.dir, "a.txt"), is(s.dir, "b")}, []bool{false, false})

	r = s.turn("/mode full")
	same(t, "told", r.changes(), []string{"mode full", "option full"})
	s.turn("go")
	same(t, "a.txt", read(t, s.dir, "a.txt"), "a")

	p := prompt(s.session, "go") // a mode that is chosen while the question is open counts
	p.When = []any{"session/request_permission", s.request("session/set_mode", object{"modeId": "ask"})}
	contains(t, strings.Join(s.client.must(p).lines(), "\n"), `failed the mode "ask" has no tool "shell"; nothing was done`)
	same(t, "c was made", is(s.dir, "c"), false)

	for _, wrong := range []step{
		s.request("session/set_mode", object{"modeId": "turbo"}),
		s.request("session/set_config_option", object{"configId": "mode", "value": "turbo"}),
		s.request("session/set_config_option", object{"configId": "speed", "value": "high"}),
		s.request("session/set_config_option", object{"configId": "autoApprove", "type": "boolean", "value": "very"}),
	} {
		if r := s.client.do(wrong); r.Error == nil || r.Error.Code != -32602 {
			t.Errorf("%v: got %v and the error %+v, want -32602", wrong.Params, r.Result, r.Error)
		}
	}
	s.end()
}

// S000.13: what passes is an option of its own, which the SDK's client changes by name or by the switch.
func TestS000_13_SDKClientChangesPermissions(t *testing.T) {
	t.Parallel()
	s := settle(t, "", turnsOf(calls("write", `{"path":"a.txt","text":"a"}`), calls("shell", `{"command":"touch b"}`), calls("shell", `{"command":"touch c"}`))...)
	s.launch()
	s.begin()
	set := func(id string, more object, want ...any) {
		t.Helper()
		more["configId"] = id
		options := s.about("session/set_config_option", more).Result["configOptions"]
		same(t, "permissions", []any{option(options, "permissions"), option(options, "autoApprove")}, want)
	}
	set("permissions", object{"value": "acceptEdits"}, "acceptEdits", false)
	s.asked(s.turn("go"), false)
	same(t, "a.txt", read(t, s.dir, "a.txt"), "a")
	s.asked(s.turn("go"), true)
	set("autoApprove", object{"type": "boolean", "value": true}, "bypassPermissions", true)
	s.asked(s.turn("go"), false)
	set("autoApprove", object{"type": "boolean", "value": false}, "default", false)
	same(t, "done", []bool{is(s.dir, "b"), is(s.dir, "c")}, []bool{true, true})
	s.end()
}

// S001.14: in the mode "plan" the model proposes, and the SDK's client is asked: its no leaves all as it is, and its yes leads
// to the mode in which the plan is carried out, which the client is told.
func TestS001_14_SDKClientAnswersAProposal(t *testing.T) {
	t.Parallel()
	var answers []modeltest.Answer
	for _, name := range []string{"a", "b", "c"} {
		answers = append(answers, calls("propose", `{"plan":"1. Write it."}`), calls("write", `{"path":"`+name+`","text":"x"}`), done)
	}
	s := settle(t, "mode = 'plan'", answers...)
	s.launch()
	same(t, "the first mode", s.begin().Result["modes"].(object)["currentModeId"], "plan")
	for _, c := range []struct {
		answer, file string
		told         []string
		questions    int // about the plan and the write
		made         bool
	}{
		{"reject_once", "a", nil, 1, false},
		{"allow_once", "b", []string{"mode full", "option full"}, 2, true},
		{"allow_always", "c", []string{"mode full", "option full"}, 1, true},
	} {
		s.about("session/set_mode", object{"modeId": "plan"})
		r := s.answering(c.answer, "go")
		same(t, "told", r.changes(), c.told)
		questions := r.questions()
		if len(questions) != c.questions {
			t.Fatalf("%s: asked %v, want %d questions", c.answer, questions, c.questions)
		}
		same(t, "answers to the plan", kinds(questions[0]), []any{"allow_always", "allow_once", "reject_once"})
		contains(t, canonical(t, questions[0]), "1. Write it.", `"kind":"switch_mode"`)
		same(t, "written", is(s.dir, c.file), c.made)
	}
	s.end()
}

// F144: models are an option, and for clients that know no options the SDK's client calls session/set_model, with an id that
// comes with session/new; the one way shows in the other, and the model hears from it.
func TestF144_SDKClientChoosesModelsInBothWays(t *testing.T) {
	t.Parallel()
	s := settle(t, "", modeltest.Answer{Text: "done"})
	s.launch()
	r := s.begin()
	models := r.Result["models"].(object)
	same(t, "the current model", []any{models["currentModelId"], option(r.Result["configOptions"], "model")}, []any{formats[0].model, formats[0].model})
	var others []string
	for _, m := range models["availableModels"].([]any) {
		if id := m.(object)["modelId"].(string); id != formats[0].model && strings.HasPrefix(id, "anthropic/") {
			others = append(others, id)
		}
	}
	if len(others) < 2 {
		t.Fatalf("there is not enough to choose from: %v", models)
	}
	hears := func(name string) {
		t.Helper()
		s.turn("go")
		same(t, "the model", "anthropic/"+s.model.Last().Model, name)
	}
	s.await("available_commands_update")
	r = s.about("session/set_model", object{"modelId": others[0]})
	same(t, "the answer", r.Result, object{})
	same(t, "told", r.lines(), []string{"config_option_update"})
	same(t, "the option", option(r.Updates[0].Update["configOptions"], "model"), others[0])
	hears(others[0])
	r = s.about("session/set_config_option", object{"configId": "model", "value": others[1]})
	same(t, "the option", option(r.Result["configOptions"], "model"), others[1])
	hears(others[1])
	if r := s.client.do(s.request("session/set_model", object{"modelId": "nobody/x"})); r.Error == nil || r.Error.Code != -32602 {
		t.Errorf("a model of nobody: got %v and the error %+v", r.Result, r.Error)
	}
	s.about("session/close", nil)
	r = s.about("session/load", object{"cwd": s.dir, "mcpServers": []object{}})
	same(t, "the current model", r.Result["models"].(object)["currentModelId"], others[1])
	s.end()
}
