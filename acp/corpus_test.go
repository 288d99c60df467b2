package acp

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/patchbay-dev/patchbay/internal/rawjson"
)

// A wireMessage is one JSON-RPC message and which way it went.
type wireMessage struct {
	to   Direction // whom it was for
	text []byte
}

// A checker decodes messages by the table of methods, encodes them, and compares.
type checker struct {
	calls  map[string]string // of requests that wait for an answer: direction and id to method
	v2     bool              // both sides have agreed on version 2
	counts map[string]int

	// odd is what does not round-trip: each needs an exception. Paths of dropped values are listed too.
	odd []string
}

func newChecker() *checker { return &checker{calls: map[string]string{}, counts: map[string]int{}} }

// check looks at a message. What the protocol does not define only has to leave us standing.
func (c *checker) check(m wireMessage) {
	c.counts["messages"]++
	m.text = trim(m.text)
	if rawjson.Check(m.text) != nil || m.text[0] != '{' {
		c.counts["no JSON objects"]++
		return
	}
	method := rawjson.String(orEmptyString(rawjson.Get(m.text, "method")))
	id := rawjson.Get(m.text, "id")
	switch {
	case method != "":
		notification := id == nil
		if !notification {
			c.calls[fmt.Sprint(m.to, string(id))] = method
		}
		params := rawjson.Get(m.text, "params")
		if known := lookup(m.to, method, notification); known == nil {
			c.counts["of methods that the protocol does not define"]++
		} else if params != nil {
			c.roundTrip(method+" params", params, known.Params)
		}
	case rawjson.Get(m.text, "error") != nil:
		c.roundTrip("error", rawjson.Get(m.text, "error"), reflect.TypeFor[Error]())
	default:
		c.answer(m, string(id))
	}
}

func orEmptyString(value []byte) []byte {
	if !rawjson.IsString(value) {
		return []byte(`""`)
	}
	return value
}

// answer looks at the result of a request that went the other way.
func (c *checker) answer(m wireMessage, id string) {
	asked := ToAgent
	if m.to == ToAgent {
		asked = ToClient
	}
	method := c.calls[fmt.Sprint(asked, id)]
	result := rawjson.Get(m.text, "result")
	if method == MethodInitialize && string(rawjson.Get(result, "protocolVersion")) == "2" {
		c.v2 = true
	}
	if known := RequestMethod(asked, method); known == nil || result == nil {
		c.counts["of methods that the protocol does not define"]++
	} else {
		c.roundTrip(method+" result", result, known.Result)
	}
}

// roundTrip decodes a text and encodes the value. The two must be the same JSON value: order and escapes aside, null as
// absent, without what was dropped and reported.
func (c *checker) roundTrip(what string, text []byte, typ reflect.Type) {
	v := reflect.New(typ)
	problems, err := Decode(text, v.Interface())
	if c.v2 {
		c.counts["of version 2"]++
		return
	}
	if err != nil {
		c.odd = append(c.odd, fmt.Sprintf("%s: %v", what, err))
		return
	}
	again, err := marshal(v.Interface())
	if err != nil {
		c.odd = append(c.odd, fmt.Sprintf("%s: encoding: %v", what, err))
		return
	}
	want := withoutNulls(value(text))
	for _, p := range slices.Backward(problems) {
		c.odd = append(c.odd, fmt.Sprintf("%s: dropped %v", what, &p))
		want = without(want, strings.Split(p.Path, "/")[1:])
	}
	c.tolerate(want, typ)
	if diff := cmp.Diff(want, withoutNulls(value(again))); diff != "" {
		c.odd = append(c.odd, fmt.Sprintf("%s: %s was written as %s", what, text, again))
		return
	}
	c.counts["round-tripped"]++
	if slices.Contains(hotTypes, typ) {
		sameByHand(panicker{}, typ, text)
		l := lexer{text: text}
		if reflect.New(typ).Interface().(hotCodec).parse(&l); l.done() {
			c.counts["read by hand"]++
		} else {
			c.counts["that the codec by hand gave up on"]++
		}
	}
}

// tolerate adds to v the lists that its sender may leave out although they are required: we write them as empty (F109).
func (c *checker) tolerate(v any, typ reflect.Type) {
	members, ok := v.(map[string]any)
	if !ok || !isObject(typ) {
		return
	}
	for _, f := range codecOf(typ).plan().fields {
		if _, there := members[f.name]; f.required && f.nullable && !there {
			members[f.name] = []any{}
			c.counts["with a list that was left out"]++
		}
	}
}

// panicker lets helpers of tests be used where there is no test at hand.
type panicker struct{}

func (panicker) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// without takes the value at a path out of v.
func without(v any, path []string) any {
	switch v := v.(type) {
	case map[string]any:
		if len(path) == 1 {
			delete(v, path[0])
		} else {
			v[path[0]] = without(v[path[0]], path[1:])
		}
	case []any:
		i, _ := strconv.Atoi(path[0])
		if len(path) == 1 {
			return slices.Delete(v, i, i+1)
		}
		v[i] = without(v[i], path[1:])
	}
	return v
}

// unexplained returns what is odd and has no exception.
func (c *checker) unexplained() []string {
	var list []string
	for _, odd := range c.odd {
		explained := false
		for _, e := range exceptions {
			explained = explained || strings.Contains(odd, e.says)
		}
		if explained {
			c.counts["exceptions"]++
		} else {
			list = append(list, odd)
		}
	}
	return list
}

// exceptions of the transcripts and seeds: a part of what the checker says, and the reason.
var exceptions = []struct{ says, reason string }{
	{
		`session/set_config_option result: SetSessionConfigOptionResponse without the required member "configOptions"`,
		"droid answers {}, which means nothing in version 1",
	},
	{
		`session/prompt params: PromptRequest without the required member "prompt"`,
		"the driver of the transcripts asks for an error",
	},
}

// corpus returns a folder of transcripts of real peers, or skips the test.
func corpus(t *testing.T, folder string) string {
	root := os.Getenv("PATCHBAY_CORPUS")
	if root == "" {
		t.Skip("PATCHBAY_CORPUS is not set: it names a folder with transcripts of real peers, which are not in the repository")
	}
	return filepath.Join(root, folder)
}

// S000.7, S000.9, S000.11, S000.15, S001.15, S004.8: whatever real agents and clients say survives.
func TestTranscriptsRoundTrip(t *testing.T) {
	folder := corpus(t, "transcripts")
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts in %s: %v", folder, err)
	}
	total := map[string]int{}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			messages := messagesOfLines(text)
			if strings.HasSuffix(name, ".raw.txt") {
				messages = messagesOfBytes(text)
			}
			c := newChecker()
			for _, m := range messages {
				c.check(m)
			}
			for _, odd := range c.unexplained() {
				t.Errorf("%.2000s", odd)
			}
			for what, n := range c.counts {
				total[what] += n
			}
			if c.counts["messages"] == 0 {
				t.Error("no messages")
			}
		})
	}
	for _, what := range slices.Sorted(maps.Keys(total)) {
		t.Logf("%5d %s", total[what], what)
	}
}

// messagesOfLines reads a transcript of one entry a line, {"dir":"client->agent","msg":...}.
func messagesOfLines(text []byte) []wireMessage {
	var messages []wireMessage
	for line := range bytes.Lines(text) {
		to := ToClient
		switch dir := rawjson.String(orEmptyString(rawjson.Get(line, "dir"))); {
		case strings.HasSuffix(dir, "->agent"):
			to = ToAgent
		case !strings.HasSuffix(dir, "->client"):
			continue // what is on the side: notes and standard error
		}
		message := rawjson.Get(line, "msg")
		if rawjson.IsString(message) { // what was no JSON
			message = []byte(rawjson.String(message))
		}
		if len(message) > 0 {
			messages = append(messages, wireMessage{to, message})
		}
	}
	return messages
}

// messagesOfBytes finds the messages in what crossed a socket: bodies, server-sent events, unmasked frames.
func messagesOfBytes(text []byte) []wireMessage {
	var messages []wireMessage
	to := ToAgent
	for line := range bytes.Lines(text) {
		switch {
		case bytes.HasPrefix(line, []byte(">>>>>")):
			to = ToAgent
		case bytes.HasPrefix(line, []byte("<<<<<")):
			to = ToClient
		}
		if i := bytes.Index(line, []byte(`{"jsonrpc"`)); i >= 0 {
			if end, err := rawjson.Skip(line, i); err == nil {
				messages = append(messages, wireMessage{to, line[i:end]})
			}
		}
	}
	return messages
}

// The JSON in the seeds is of the official version 1 or of a dialect; what looks official must round-trip. Objects
// without an envelope are told by their members.
func TestSeedsRoundTrip(t *testing.T) {
	folder := corpus(t, "seeds")
	files, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no seeds in %s: %v", folder, err)
	}
	total := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte(`"workingDirectory"`)) {
			continue // a dialect throughout
		}
		c := newChecker()
		for _, object := range objectsIn(text) {
			if rawjson.Get(object, "jsonrpc") != nil {
				c.check(wireMessage{ToAgent, object})
			} else if typ := typeByMembers(object); typ != nil {
				c.counts["messages"]++
				c.roundTrip(typ.Name(), object, typ)
			}
		}
		for _, odd := range c.unexplained() {
			t.Errorf("%s: %.2000s", filepath.Base(file), odd)
		}
		for what, n := range c.counts {
			total[what] += n
		}
	}
	for _, what := range slices.Sorted(maps.Keys(total)) {
		t.Logf("%5d %s", total[what], what)
	}
	if total["round-tripped"] < 30 {
		t.Errorf("only %d messages found", total["round-tripped"])
	}
}

// objectsIn finds the JSON objects that stand in prose.
func objectsIn(text []byte) [][]byte {
	var objects [][]byte
	for i := 0; i < len(text); i++ {
		if text[i] != '{' {
			continue
		}
		if end, err := rawjson.Skip(text, i); err == nil && end > i+len("{}") {
			objects = append(objects, text[i:end])
			i = end
		}
	}
	return objects
}

// typeByMembers guesses what an object without an envelope is; nil if it is nothing of the official protocol.
func typeByMembers(object []byte) reflect.Type {
	for _, guess := range []struct {
		members string
		typ     reflect.Type
	}{
		{"sessionUpdate", reflect.TypeFor[SessionUpdate]()},
		{"outcome", reflect.TypeFor[RequestPermissionResponse]()},
		{"protocolVersion clientCapabilities", reflect.TypeFor[InitializeRequest]()},
		{"protocolVersion agentCapabilities", reflect.TypeFor[InitializeResponse]()},
		{"currentModeId availableModes", reflect.TypeFor[SessionModeState]()},
		{"sessionId prompt", reflect.TypeFor[PromptRequest]()},
		{"stopReason", reflect.TypeFor[PromptResponse]()},
		{"sessionId toolCall options", reflect.TypeFor[RequestPermissionRequest]()},
		{"sessionId modeId", reflect.TypeFor[SetSessionModeRequest]()},
		{"sessions", reflect.TypeFor[ListSessionsResponse]()},
		{"sessionId cwd mcpServers", reflect.TypeFor[LoadSessionRequest]()},
		{"cwd mcpServers", reflect.TypeFor[NewSessionRequest]()},
		{"cwd cursor", reflect.TypeFor[ListSessionsRequest]()},
		{"toolCallId", reflect.TypeFor[ToolCallUpdate]()},
	} {
		all := true
		for _, member := range strings.Fields(guess.members) {
			all = all && rawjson.Get(object, member) != nil
		}
		if all {
			return guess.typ
		}
	}
	return nil
}
