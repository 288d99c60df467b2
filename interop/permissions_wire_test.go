package interop_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// is reports whether there is a file in a folder.
func is(folder, name string) bool {
	_, err := os.Stat(filepath.Join(folder, name))
	return err == nil
}

// kinds are those of the answers that a request for permission offers.
func kinds(asked object) (list []any) {
	for _, o := range asked["options"].([]any) {
		list = append(list, o.(object)["kind"])
	}
	return list
}

// S000.12, S001.30, F59: the SDK's client is asked with four answers and gives each of them. What it answers once is asked
// again, what it answers for good is not, until that is taken back; and /permissions says what there is.
func TestF59_SDKClientGivesEachAnswer(t *testing.T) {
	t.Parallel()
	s := settle(t, "", turnsOf(
		calls("shell", `{"command":"touch a"}`), calls("shell", `{"command":"touch a"}`), calls("shell", `{"command":"touch a"}`),
		calls("shell", `{"command":"touch b"}`), calls("shell", `{"command":"touch b"}`), calls("shell", `{"command":"touch b"}`),
		calls("shell", `{"command":"touch b"}`), calls("shell", `{"command":"touch a"}`))...)
	s.launch()
	s.begin()
	for i, c := range []struct {
		answer, file string
		asked, made  bool
	}{
		{"allow_once", "a", true, true},
		{"allow_always", "a", true, true},
		{"reject_once", "a", false, true},
		{"reject_once", "b", true, false},
		{"reject_always", "b", true, false},
		{"allow_once", "b", false, false},
	} {
		_ = os.Remove(filepath.Join(s.dir, c.file))
		s.asked(s.answering(c.answer, "go"), c.asked)
		same(t, "made", is(s.dir, c.file), c.made)
		same(t, "the model was told that it failed", s.result(2*i+1).Failed, !c.made)
	}
	contains(t, s.result(11).Text, "Bash(touch b) is rejected for this session")
	contains(t, s.turn("/permissions").text(), "* 1: allowed `Bash(touch a)`", "* 2: rejected `Bash(touch b)`")
	contains(t, s.turn("/permissions revoke 2").text(), "Taken back: 1.")
	s.asked(s.turn("go"), true)
	same(t, "made", is(s.dir, "b"), true)
	contains(t, s.turn("/permissions revoke all").text(), "Taken back: 1.")
	s.asked(s.answering("reject_once", "go"), true)
	s.end()
}

// questions are what the agent has asked for permission about.
func (r reply) questions() (list []object) {
	for _, a := range r.Asked {
		if a.Method == "session/request_permission" {
			list = append(list, a.Params)
		}
	}
	return list
}

// question is the one question that a turn has brought.
func (s *served) question(r reply) object {
	s.t.Helper()
	questions := r.questions()
	if len(questions) != 1 {
		s.t.Fatalf("there are %d questions, want one: %v", len(questions), r.lines())
	}
	return questions[0]
}

// asked checks whether a turn has brought a question, which has four answers to choose from, and says why it is asked.
func (s *served) asked(r reply, want bool) {
	s.t.Helper()
	questions := r.questions()
	for _, q := range questions {
		same(s.t, "answers", kinds(q), []any{"allow_once", "allow_always", "reject_once", "reject_always"})
		if why, _ := q["_meta"].(object)["patchbay.dev/reason"].(string); why == "" {
			s.t.Errorf("it is not said why it is asked: %v", q)
		}
	}
	same(s.t, "number of questions", len(questions), map[bool]int{true: 1}[want])
}

// S000.14, F56, F60: rules of the user's file decide for the SDK's client, too: what they deny is a failed call that names the
// rule, what they have asked is asked without an "always", and what they allow is done.
func TestF56_SDKClientSeesRulesDecide(t *testing.T) {
	t.Parallel()
	s := settle(t, "deny = ['Bash(rm *)']\nask = ['Bash(mv *)']\nallow = ['Bash(touch *)']", turnsOf(
		calls("shell", `{"command":"touch a"}`), calls("shell", `{"command":"touch b && rm a"}`), calls("shell", `{"command":"mv a b"}`))...)
	s.launch()
	s.begin()
	s.asked(s.turn("go"), false)
	r := s.turn("go")
	s.asked(r, false)
	contains(t, strings.Join(r.lines(), "\n"), "tool_call_update failed the rule Bash(rm *) of patchbay.toml denies it; nothing was done")
	same(t, "methods", r.methods(), []string(nil))
	same(t, "what was denied was not done", []bool{is(s.dir, "a"), is(s.dir, "b")}, []bool{true, false})
	r = s.turn("go")
	same(t, "answers", kinds(s.question(r)), []any{"allow_once", "reject_once"})
	same(t, "what was allowed was done", []bool{is(s.dir, "a"), is(s.dir, "b")}, []bool{false, true})
	contains(t, s.turn("/permissions").text(), "Denied by patchbay.toml:\n\n* `Bash(rm *)`", "Asked each time", "Allowed by")
	s.end()
}

// S000.12: acpx answers by its own settings, which are about kinds of calls, and the agent does what it is allowed and nothing
// else.
func TestAcpxDecidesByItsPolicy(t *testing.T) {
	for _, c := range []struct {
		name  string
		flags []string
		code  int // 0 if it has allowed something
		made  []bool
	}{
		{"reads", []string{"--approve-reads"}, 5, []bool{false, false}},
		{"nobody to ask", []string{"--approve-reads", "--non-interactive-permissions", "fail"}, 5, []bool{false, false}},
		{"a policy", []string{"--approve-all", "--permission-policy", `{"autoApprove":["edit"],"autoDeny":["execute"]}`}, 0, []bool{false, true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := newAcpx(t, c.flags...)
			a.traced()
			stdout, stderr, code := a.run("exec", "run touch a then write b: text")
			if code != c.code {
				t.Errorf("code %d, want %d\n%s%s", code, c.code, stdout, stderr)
			}
			same(t, "made", []bool{is(a.cwd, "a"), is(a.cwd, "b")}, c.made)
			a.checkTraces()
		})
	}
}
