package acp

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTypes reads the texts that are easiest to get wrong, compares them with the Go values that a user would write,
// and writes those again.
func TestTypes(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       any
	}{
		{"an MCP server without a type is stdio", `{"name":"n","command":"/c","args":[],"env":[{"name":"A","value":"1"}]}`,
			new(MCPServer(&MCPServerStdio{Name: "n", Command: "/c", Args: []string{}, Env: []EnvVariable{{Name: "A", Value: "1"}}}))},
		{"and one of type stdio too", `{"type":"stdio","name":"n","command":"/c","args":[],"env":[]}`,
			new(MCPServer(&MCPServerStdio{Name: "n", Command: "/c", Args: []string{}, Env: []EnvVariable{}, Unknown: Unknown{"type": Raw(`"stdio"`)}}))},
		{"an MCP server over HTTP", `{"type":"http","name":"n","url":"u","headers":[]}`,
			new(MCPServer(&MCPServerHTTP{Name: "n", URL: "u", Headers: []HTTPHeader{}}))},
		{"an authentication method without a type", `{"id":"i","name":"n"}`, new(AuthMethod(&AuthMethodAgent{ID: "i", Name: "n"}))},
		{"an authentication method that is new", `{"type":"env_var","id":"i","name":"n"}`,
			new(AuthMethod(&UnknownAuthMethod{Type: "env_var", Raw: Raw(`{"type":"env_var","id":"i","name":"n"}`)}))},
		{"an empty file is no new file", `{"type":"diff","path":"/p","oldText":"","newText":"t"}`, new(DiffContent("/p", new(""), "t"))},
		{"a new file", `{"type":"diff","path":"/p","newText":"t"}`, new(DiffContent("/p", nil, "t"))},
		{"a resource is what it has", `{"type":"resource","resource":{"uri":"u","blob":"AAE="}}`, new(BlobResource("u", "", []byte{0, 1}))},
		{"a tool call in a permission request has no type",
			`{"sessionId":"s","toolCall":{"toolCallId":"1","status":"pending","rawInput":{"a":1}},"options":[{"optionId":"allow_once","name":"Allow","kind":"allow_once"}]}`,
			&RequestPermissionRequest{SessionID: "s", Options: PermissionOptions(PermissionOptionKindAllowOnce), ToolCall: ToolCallUpdate{
				ToolCallID: "1", Status: Some(ToolCallStatusPending), RawInput: Some(Raw(`{"a":1}`))}}},
		{"and has one as an update", `{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"1","title":null,"content":[]}}`,
			&SessionNotification{SessionID: "s", Update: &ToolCallUpdate{ToolCallID: "1", Title: Null[string](), Content: Some([]ToolCallContent{})}}},
		{"a patch of metadata", `{"sessionUpdate":"compaction_update","compactionId":"c","status":"failed","summary":null,"error":"e","_meta":null}`,
			new(SessionUpdate(&CompactionUpdate{CompactionID: "c", Status: CompactionStatusFailed, Summary: Null[[]ContentBlock](), Error: Some("e"), Meta: Null[Meta]()}))},
		{"a child that failed", `{"sessionUpdate":"subagent_update","sessionId":"c","state":{"state":"idle","stopReason":"error","error":{"code":-32603,"message":"m"}}}`,
			new(SessionUpdate(&SubagentUpdate{SessionID: "c", State: Some[StateUpdate](&IdleStateUpdate{
				StopReason: IdleStopReasonError, Error: &Error{Code: CodeInternalError, Message: "m"}})}))},
		{"the state called unknown", `{"state":"unknown"}`, new(StateUpdate(&UnknownStateUpdate{}))},
		{"a state that is unknown", `{"state":"asleep"}`, new(StateUpdate(&OtherStateUpdate{State: "asleep", Raw: Raw(`{"state":"asleep"}`)}))},
		{"a select with values", `{"id":"m","name":"Model","category":"model","type":"select","currentValue":"a","options":[{"value":"a","name":"A"}]}`,
			&SessionConfigOption{ID: "m", Name: "Model", Category: SessionConfigOptionCategoryModel, Value: &SessionConfigSelect{
				CurrentValue: "a", Options: SessionConfigSelectOptions{Ungrouped: []SessionConfigSelectOption{{Value: "a", Name: "A"}}}}}},
		{"a select with groups", `{"id":"m","name":"Model","type":"select","currentValue":"a","options":[{"group":"g","name":"G","options":[{"value":"a","name":"A"}]}]}`,
			&SessionConfigOption{ID: "m", Name: "Model", Value: &SessionConfigSelect{CurrentValue: "a", Options: SessionConfigSelectOptions{
				Grouped: []SessionConfigSelectGroup{{Group: "g", Name: "G", Options: []SessionConfigSelectOption{{Value: "a", Name: "A"}}}}}}}},
		{"a select with nothing", `{"type":"select","currentValue":"a","options":[]}`, &SessionConfigSelect{CurrentValue: "a"}},
		{"an option of a new type", `{"id":"t","name":"T","type":"slider","max":3}`,
			&SessionConfigOption{ID: "t", Name: "T", Value: &UnknownConfigValue{Type: "slider"}, Unknown: Unknown{"max": Raw("3")}}},
		{"a boolean for an option", `{"sessionId":"s","configId":"c","type":"boolean","value":false}`,
			&SetSessionConfigOptionRequest{SessionID: "s", ConfigID: "c", Value: &SetConfigBoolean{}}},
		{"an id for an option", `{"sessionId":"s","configId":"c","value":"v"}`,
			&SetSessionConfigOptionRequest{SessionID: "s", ConfigID: "c", Value: &SetConfigValueID{Value: "v"}}},
		{"an id of a type for an option", `{"sessionId":"s","configId":"c","type":"id","value":"v"}`, &SetSessionConfigOptionRequest{
			SessionID: "s", ConfigID: "c", Value: &SetConfigValueID{Value: "v"}, Unknown: Unknown{"type": Raw(`"id"`)}}},
		{"a form for a session", `{"message":"m","mode":"form","requestedSchema":{"properties":{"n":{"type":"integer","minimum":0}},"required":["n"]},"sessionId":"s","toolCallId":"t"}`,
			&CreateElicitationRequest{Message: "m", Scope: &ElicitationSessionScope{SessionID: "s", ToolCallID: "t"}, Mode: &ElicitationFormMode{
				RequestedSchema: ElicitationSchema{Required: []string{"n"}, Properties: ElicitationProperties{
					{"n", &IntegerPropertySchema{Minimum: new(int64(0))}}}}}}},
		{"a form in its order", `{"properties":{"z":{"type":"boolean"},"a":{"type":"boolean"},"m":{"type":"boolean"}}}`, &ElicitationSchema{
			Properties: ElicitationProperties{{"z", &BooleanPropertySchema{}}, {"a", &BooleanPropertySchema{}}, {"m", &BooleanPropertySchema{}}}}},
		{"a page for a request", `{"message":"m","mode":"url","elicitationId":"e","url":"https://x","requestId":"7"}`,
			&CreateElicitationRequest{Message: "m", Scope: &ElicitationRequestScope{RequestID: mustID(`"7"`)},
				Mode: &ElicitationURLMode{ElicitationID: "e", URL: "https://x"}}},
		{"choices with titles", `{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]},"maxItems":2}`,
			new(ElicitationPropertySchema(&MultiSelectPropertySchema{MaxItems: new(uint64(2)), Items: &TitledMultiSelectItems{AnyOf: []EnumOption{{Const: "a", Title: "A"}}}}))},
		{"an answer to a form", `{"action":"accept","content":{"b":true,"i":3,"l":["x","y"],"n":0.5,"s":"t"}}`,
			&CreateElicitationResponse{Action: &ElicitationAcceptAction{Content: map[string]ElicitationContentValue{
				"b": BooleanValue(true), "i": IntegerValue(3), "l": StringsValue("x", "y"), "n": NumberValue(0.5), "s": StringValue("t")}}}},
		{"no answer to a form", `{"action":"decline"}`, &CreateElicitationResponse{Action: &ElicitationDeclineAction{}}},
		{"a null of an MCP server", `{"result":null}`, &MessageMCPResponse{Outcome: &MCPResult{Result: Raw("null")}}},
		{"an error of an MCP server", `{"error":{"code":-1,"message":"m","data":null,"more":1}}`, &MessageMCPResponse{Outcome: &MCPFailure{
			Error: MCPError{Code: -1, Message: "m", Data: Null[Raw](), Unknown: Unknown{"more": Raw("1")}}}}},
		{"input of a command", `{"name":"n","description":"d","input":{"hint":"h"}}`,
			&AvailableCommand{Name: "n", Description: "d", Input: &UnstructuredCommandInput{Hint: "h"}}},
		{"a cancelled permission", `{"outcome":{"outcome":"cancelled"}}`, &RequestPermissionResponse{Outcome: PermissionCancelled()}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := reflect.New(reflect.TypeOf(c.want).Elem()).Interface()
			problems, err := Decode([]byte(c.text), got)
			if err != nil || problems != nil {
				t.Fatalf("Decode: %v, %v", err, problems)
			}
			if diff := cmp.Diff(c.want, got, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
				t.Errorf("read (-want +got):\n%s", diff)
			}
			text, err := json.Marshal(c.want)
			if err != nil {
				t.Fatalf("Marshal: %v", err)
			}
			if diff := cmp.Diff(value([]byte(c.text)), value(text)); diff != "" {
				t.Errorf("written again (-want +got):\n%s", diff)
			}
		})
	}
}

func mustID(text string) (id RequestID) {
	if err := id.UnmarshalJSON([]byte(text)); err != nil {
		panic(err)
	}
	return id
}

func TestTypesRefuse(t *testing.T) {
	for _, c := range []struct {
		name, text string
		into       any
		problem    string
	}{
		{"a boolean for an option that is an id", `{"sessionId":"s","configId":"c","value":true}`, &SetSessionConfigOptionRequest{}, "value"},
		{"input for nobody", `{"message":"m","mode":"url","elicitationId":"e","url":"u"}`, &CreateElicitationRequest{}, "ElicitationScope"},
		{"an answer of an MCP server that says nothing", `{}`, &MessageMCPResponse{}, "MCPOutcome"},
		{"an object for a field of a form", `{"action":"accept","content":{"o":{}}}`, &CreateElicitationResponse{}, "/content/o"},
		{"a list of numbers for a field of a form", `{"action":"accept","content":{"o":[1]}}`, &CreateElicitationResponse{}, "/content/o"},
		{"no list of values", `{"currentValue":"a","options":{}}`, &SessionConfigSelect{}, "/options"},
		{"a group without a name", `{"currentValue":"a","options":[{"group":"g","options":[]}]}`, &SessionConfigSelect{}, "/options/0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Decode([]byte(c.text), c.into)
			if err == nil || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("Decode: %v, want an error that mentions %s", err, c.problem)
			}
		})
	}
	if text, err := json.Marshal(NumberValue(math.Inf(1))); err == nil {
		t.Errorf("infinity is written as %s", text)
	}
	both := SessionConfigSelectOptions{Ungrouped: []SessionConfigSelectOption{}, Grouped: []SessionConfigSelectGroup{}}
	if text, err := json.Marshal(both); err == nil {
		t.Errorf("values and groups at once are written as %s", text)
	}
}

func TestElicitationContentValue(t *testing.T) {
	if s, ok := StringValue("é").Text(); !ok || s != "é" {
		t.Errorf("Text() = %q, %v", s, ok)
	}
	if n, ok := IntegerValue(math.MinInt64).Integer(); !ok || n != math.MinInt64 {
		t.Errorf("Integer() = %d, %v", n, ok)
	}
	if f, ok := IntegerValue(3).Number(); !ok || f != 3 {
		t.Errorf("Number() of an integer = %v, %v", f, ok)
	}
	if n, ok := NumberValue(0.5).Integer(); ok {
		t.Errorf("Integer() of a fraction = %d", n)
	}
	if b, ok := BooleanValue(true).Boolean(); !ok || !b {
		t.Errorf("Boolean() = %v, %v", b, ok)
	}
	if list, ok := StringsValue().Strings(); !ok || len(list) != 0 {
		t.Errorf("Strings() = %q, %v", list, ok)
	}
	var none ElicitationContentValue
	_, text := none.Text()
	_, integer := none.Integer()
	_, number := none.Number()
	_, boolean := none.Boolean()
	_, strings := none.Strings()
	if text || integer || number || boolean || strings {
		t.Error("the zero value is something")
	}
}

func TestSelectYieldsAllValues(t *testing.T) {
	a, b := SessionConfigSelectOption{Value: "a"}, SessionConfigSelectOption{Value: "b"}
	for _, options := range []SessionConfigSelectOptions{
		{Ungrouped: []SessionConfigSelectOption{a, b}},
		{Grouped: []SessionConfigSelectGroup{{Options: []SessionConfigSelectOption{a}}, {}, {Options: []SessionConfigSelectOption{b}}}},
	} {
		var got []SessionConfigValueID
		for option := range options.All() {
			got = append(got, option.Value)
		}
		if len(got) != 2 || got[0] != "a" || got[1] != "b" {
			t.Errorf("All() yields %q", got)
		}
	}
}

func TestErrorsNameWhatIsMissing(t *testing.T) {
	for _, c := range []struct {
		err  *Error
		want string
	}{
		{ErrResourceNotFound("file:///a"), `{"code":-32002,"message":"resource not found: file:///a","data":{"uri":"file:///a"}}`},
		{ErrSessionNotFound("s-1"), `{"code":-32002,"message":"session not found: s-1","data":{"sessionId":"s-1"}}`},
		{ErrAuthRequired(), `{"code":-32000,"message":"authentication required"}`},
		{ErrInvalidParams("no %s", "cwd"), `{"code":-32602,"message":"no cwd"}`},
	} {
		text, err := json.Marshal(c.err)
		if err != nil || string(text) != c.want {
			t.Errorf("written as %s, %v, want %s", text, err, c.want)
		}
	}
}
