package acp

import (
	"encoding/json"
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// notTypes are definitions that are none of ours, each with the reason.
var notTypes = map[string]string{
	"AgentRequest":       "the envelope is package jsonrpc's, and Methods has what goes in it",
	"AgentResponse":      "as AgentRequest",
	"AgentNotification":  "as AgentRequest",
	"ClientRequest":      "as AgentRequest",
	"ClientResponse":     "as AgentRequest",
	"ClientNotification": "as AgentRequest",
	"ProxyRequest":       "as AgentRequest",
	"ProxyResponse":      "as AgentRequest",
	"ProxyNotification":  "as AgentRequest",
	"ExtRequest":         "any JSON, so Raw",
	"ExtResponse":        "as ExtRequest",
	"ExtNotification":    "as ExtRequest",
	"ErrorCode":          "untyped constants, compared by TestErrorCodesFollowTheSchema",
}

// byHand are definitions whose Go types have codecs of their own, with what they are in the schema.
var byHand = map[string]string{
	"RequestID":                  "null or int64 or string",
	"Error":                      "{code @ErrorCode!, data any lenient, message string!}",
	"SessionConfigSelectOptions": "[]@SessionConfigSelectOption or []@SessionConfigSelectGroup",
	"ElicitationContentValue":    "string or int64 or float64 or bool or []string",
}

// sharedBy names the definition that several of our types stand for, since only the discriminator tells them apart.
var sharedBy = map[string]string{
	"UserMessageChunk":  "ContentChunk",
	"AgentMessageChunk": "ContentChunk",
	"AgentThoughtChunk": "ContentChunk",
}

// nameless are our types for variants that have no definition of their own in the schema.
var nameless = map[string]bool{
	"CancelledPermissionOutcome": true,
	"ElicitationDeclineAction":   true,
	"ElicitationCancelAction":    true,
	"SetConfigBoolean":           true,
	"SetConfigValueID":           true,
	"MCPResult":                  true,
	"MCPFailure":                 true,
}

// rewrites turn what the schema says into what we mean by it, each with the reason.
var rewrites = map[string]func(*protocol){
	"the scope of an elicitation stands beside its mode, not inside it, since it is the same for all modes": func(p *protocol) {
		request, form, url := p.definitions["CreateElicitationRequest"], p.definitions["ElicitationFormMode"], p.definitions["ElicitationURLMode"]
		if len(form.unions) == 1 && cmp.Equal(form.unions, url.unions, cmp.AllowUnexported(unionShape{})) {
			request.unions = append(request.unions, form.unions[0])
			form.unions, url.unions = nil, nil
		}
	},
	"the reason why a child session idles is a plain member, since only one of the variants has a member of its own": func(p *protocol) {
		idle, failed := p.definitions["IdleStateUpdate"], p.definitions["ErrorStopReason"]
		if idle == nil || failed == nil || len(idle.unions) != 1 || idle.unions[0].tagged["error"] != "@ErrorStopReason" {
			return
		}
		reasons := slices.Sorted(maps.Keys(idle.unions[0].tagged))
		p.definitions["IdleStopReason"] = &definition{kind: "enum", values: reasons}
		stop := idle.members["stopReason"]
		stop.typ = "@IdleStopReason"
		idle.members["stopReason"] = stop
		maps.Copy(idle.members, failed.members)
		idle.unions = nil
		delete(p.definitions, "ErrorStopReason")
	},
	"the _meta of an MCP answer stands beside its outcome, not inside it, since both outcomes have it": func(p *protocol) {
		response := p.definitions["MessageMCPResponse"]
		if response == nil || len(response.unions) != 1 {
			return
		}
		const meta = "_meta map[string]any lenient, "
		outcomes := response.unions[0].untagged
		for i, outcome := range outcomes {
			if !strings.Contains(outcome, meta) {
				return
			}
			outcomes[i] = strings.Replace(outcome, meta, "", 1)
		}
		response.members["_meta"] = member{typ: "map[string]any", marks: "lenient"}
	},
}

// drift returns what differs between a schema and our types.
func drift(ours *protocol, schema object, stable bool) []string {
	theirs, problems := readSchema(schema)
	c := comparison{schema: theirs, ours: ours, stable: stable}
	return slices.Concat(problems, c.compare())
}

const (
	stableSchema   = "schema.json"
	unstableSchema = "schema.unstable.json"
)

// F143: no member, variant, value or method of the official protocol is missing here, or says something else.
func TestTypesFollowTheSchema(t *testing.T) {
	ours := readOurs(t)
	for _, name := range []string{unstableSchema, stableSchema} {
		for _, finding := range drift(ours, loadSchema(t, name), name == stableSchema) {
			t.Errorf("%s: %s", name, finding)
		}
	}
}

// ownTypes are exported types that stand for no definition, each with the reason.
var ownTypes = map[string]string{
	"Direction": "what Methods is made of",
	"Gate":      "what Methods is made of",
	"Method":    "what Methods is made of",
	"Meta":      "of every object",
	"Unknown":   "of every object",
	"Optional":  "a form that members have",
	"Raw":       "a form that members have",
	"Problem":   "what Decode reports",

	"UnsupportedError": "what was not sent, and why",

	"ElicitationProperties": "a map that keeps its order",
	"ElicitationProperty":   "a member of that map",
}

// What is no part of the protocol, or no longer, has no place here; nor has an exception that nothing needs.
func TestEveryTypeIsPartOfTheProtocol(t *testing.T) {
	ours := readOurs(t)
	own := map[string]bool{}
	for typ := range unions.byInterface {
		own[typ.Name()] = true // those whose members stand in an object have no name in the schema
	}
	for typ := range unions.byUnknown {
		own[typ.Name()] = true
	}
	for name := range ours.unstable {
		if ast.IsExported(name) && !strings.ContainsAny(name, ". ") && ours.definitions[name] == nil &&
			!own[name] && !nameless[name] && ownTypes[name] == "" {
			t.Errorf("type %s is no part of the protocol", name)
		}
	}
	defs := map[string]bool{}
	for name := range loadSchema(t, unstableSchema)["$defs"].(object) {
		defs[name], defs[goName(name)] = true, true
	}
	for name := range notTypes {
		if !defs[name] {
			t.Errorf("notTypes has %s, which is not in the schema", name)
		}
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(byHand)), slices.Collect(maps.Values(sharedBy))) {
		if !defs[name] || ours.definitions[name] == nil {
			t.Errorf("byHand or sharedBy has %s, which is not in the schema or not ours", name)
		}
	}
	for name := range nameless {
		if _, declared := ours.unstable[name]; !declared || defs[name] {
			t.Errorf("nameless has %s, which is no type of ours or has a definition", name)
		}
	}
}

func TestErrorCodesFollowTheSchema(t *testing.T) {
	want := []int{CodeRequestCancelled, CodeParseError, CodeInternalError, CodeInvalidParams, CodeMethodNotFound, CodeInvalidRequest,
		CodeResourceNotFound, CodeAuthRequired}
	var got []int
	defs := loadSchema(t, unstableSchema)["$defs"].(object)
	for _, v := range variantsOf(defs["ErrorCode"].(object)) {
		if code, ok := v.(object)["const"].(float64); ok {
			got = append(got, int(code))
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("the schema has the error codes %v, ours are %v", got, want)
	}
}

// The comparison is worth nothing if it does not notice: each change of a schema must be found.
func TestDriftIsNoticed(t *testing.T) {
	ours := readOurs(t)
	text := map[string][]byte{}
	for _, name := range []string{unstableSchema, stableSchema} {
		text[name], _ = json.Marshal(loadSchema(t, name))
	}
	for _, c := range []struct {
		change string
		schema string
		apply  func(defs object)
		want   string // part of a finding
	}{
		{"drop a member", unstableSchema, func(defs object) { delete(dig(defs, "ToolCall", "properties"), "kind") }, "member ToolCall.kind is ours only"},
		{"add a member", unstableSchema, func(defs object) { dig(defs, "ToolCall", "properties")["new"] = object{"type": "string"} },
			"member ToolCall.new is in the schema only"},
		{"rename a member", unstableSchema, func(defs object) {
			p := dig(defs, "Diff", "properties")
			p["text"] = p["newText"]
			delete(p, "newText")
		}, "member Diff.newText is ours only"},
		{"require a member", unstableSchema, func(defs object) { require(defs, "ToolCall", "toolCallId", "title", "kind") },
			"member ToolCall.kind is @ToolKind! lenient, ours @ToolKind lenient"},
		{"no longer require a member", unstableSchema, func(defs object) { require(defs, "Diff", "path") }, "member Diff.newText is string, ours string!"},
		{"change a type", unstableSchema, func(defs object) { dig(defs, "ToolCallLocation", "properties", "line")["type"] = "string" },
			"member ToolCallLocation.line is string lenient, ours uint32? lenient"},
		{"widen an integer", unstableSchema, func(defs object) { dig(defs, "ToolCallLocation", "properties", "line")["format"] = "uint64" },
			"member ToolCallLocation.line is uint64? lenient, ours uint32? lenient"},
		{"refer to another type", unstableSchema, func(defs object) {
			dig(defs, "SessionNotification", "properties")["sessionId"] = object{"$ref": "#/$defs/MessageId"}
		}, "member SessionNotification.sessionId is @MessageID!, ours @SessionID!"},
		{"make a member an array", unstableSchema, func(defs object) {
			dig(defs, "ResourceLink", "properties")["title"] = object{"type": "array", "items": object{"type": "string"}}
		}, "member ResourceLink.title is []string"},
		{"change the default of a boolean", unstableSchema, func(defs object) {
			delete(dig(defs, "PromptCapabilities", "properties", "image"), "default")
		}, "member PromptCapabilities.image is bool? lenient, ours bool lenient"},
		{"remove a mark", unstableSchema, func(defs object) {
			delete(dig(defs, "TextContent", "properties", "annotations"), "x-deserialize-default-on-error")
		}, "member TextContent.annotations is @Annotations, ours @Annotations lenient"},
		{"add a mark", unstableSchema, func(defs object) {
			dig(defs, "PromptRequest", "properties", "prompt")["x-deserialize-skip-invalid-items"] = true
		}, "member PromptRequest.prompt is []@ContentBlock! skip, ours []@ContentBlock!"},
		{"add a mark of a new kind", unstableSchema, func(defs object) { dig(defs, "Diff", "properties", "path")["x-deserialize-trimmed"] = true },
			"member path has the mark x-deserialize-trimmed, which is new"},
		{"add a value to an enum", unstableSchema, func(defs object) {
			defs["StopReason"].(object)["oneOf"] = append(variantsOf(dig(defs, "StopReason")), object{"type": "string", "const": "bored"})
		}, "value StopReason bored is in the schema only"},
		{"drop a value of an enum", unstableSchema, func(defs object) {
			defs["StopReason"].(object)["oneOf"] = variantsOf(dig(defs, "StopReason"))[1:]
		}, "value StopReason end_turn is ours only"},
		{"add a variant", unstableSchema, func(defs object) {
			defs["ContentBlock"].(object)["oneOf"] = append(variantsOf(dig(defs, "ContentBlock")), object{
				"properties": object{"type": object{"type": "string", "const": "video"}}, "allOf": []any{object{"$ref": "#/$defs/ImageContent"}},
			})
		}, "variant ContentBlock video is in the schema only"},
		{"drop a variant", unstableSchema, func(defs object) {
			defs["ContentBlock"].(object)["oneOf"] = variantsOf(dig(defs, "ContentBlock"))[1:]
		}, "variant ContentBlock text is ours only"},
		{"change the type of a variant", unstableSchema, func(defs object) {
			variantsOf(dig(defs, "ContentBlock"))[0].(object)["allOf"] = []any{object{"$ref": "#/$defs/ImageContent"}}
		}, "variant ContentBlock text is @ImageContent, ours @TextContent"},
		{"tell variants apart by another member", unstableSchema, func(defs object) {
			for _, v := range variantsOf(dig(defs, "ContentBlock")) {
				p := v.(object)["properties"].(object)
				p["kind"] = p["type"]
				delete(p, "type")
			}
		}, `ContentBlock is told apart by "kind", ours by "type"`},
		{"contradict the discriminator", unstableSchema, func(defs object) { dig(defs, "ContentBlock", "discriminator")["propertyName"] = "kind" },
			"ContentBlock names kind as its discriminator"},
		{"add a variant without a discriminator", unstableSchema, func(defs object) {
			defs["McpServer"].(object)["anyOf"] = append(variantsOf(dig(defs, "McpServer")), object{"title": "x", "allOf": []any{object{"$ref": "#/$defs/Diff"}}})
		}, "variant MCPServer @Diff is in the schema only"},
		{"add a variant inside an object", unstableSchema, func(defs object) {
			defs["CreateElicitationResponse"].(object)["anyOf"] = append(variantsOf(dig(defs, "CreateElicitationResponse")), object{
				"properties": object{"action": object{"type": "string", "const": "defer"}},
			})
		}, "variant CreateElicitationResponse defer is in the schema only"},
		{"let a codec of its own have another form", unstableSchema, func(defs object) {
			defs["ElicitationContentValue"].(object)["anyOf"] = append(variantsOf(dig(defs, "ElicitationContentValue")), object{"type": "object"})
		}, "ElicitationContentValue is string or int64 or float64 or bool or []string or map[string]any"},
		{"add a definition", unstableSchema, func(defs object) { defs["NewThing"] = object{"type": "object"} }, "definition NewThing is in the schema only"},
		{"drop a definition", unstableSchema, func(defs object) { delete(defs, "Cost") }, "definition Cost is ours only"},
		{"make an object a string", unstableSchema, func(defs object) { defs["Cost"] = object{"type": "string"} }, "Cost is string, ours object"},
		{"add a method", unstableSchema, func(defs object) {
			defs["NewRequest"] = object{"type": "object", "x-side": "agent", "x-method": "session/new_thing"}
		}, "method request session/new_thing to agent is in the schema only"},
		{"drop a method", unstableSchema, func(defs object) { delete(dig(defs, "CancelNotification"), "x-method") },
			"method notification session/cancel to agent is ours only"},
		{"change the side of a method", unstableSchema, func(defs object) { dig(defs, "CancelNotification")["x-side"] = "client" },
			"method notification session/cancel to client is in the schema only"},
		{"change the type of a method", unstableSchema, func(defs object) {
			delete(dig(defs, "SetSessionModeResponse"), "x-method")
			defs["PromptResponse2Response"] = object{"type": "object", "x-side": "agent", "x-method": "session/set_mode"}
		}, "method request session/set_mode to agent has PromptResponse2Response, SetSessionModeRequest"},
		{"make a definition stable", stableSchema, func(defs object) { defs["PlanRemoved"] = object{"type": "object"} },
			"definition PlanRemoved is in the stable schema, but its comment says Unstable"},
		{"make a member stable", stableSchema, func(defs object) {
			dig(defs, "PromptResponse", "properties")["usage"] = object{"$ref": "#/$defs/Usage"}
		}, "member PromptResponse.usage is in the stable schema, but its comment says Unstable"},
		{"make a method stable", stableSchema, func(defs object) {
			defs["ForkSessionRequest"] = object{"type": "object", "x-side": "agent", "x-method": "session/fork"}
		}, "method request session/fork to agent is in the stable schema, but its comment says Unstable"},
		{"take a definition out of the stable schema", stableSchema, func(defs object) { delete(defs, "Cost") },
			"definition Cost is not in the stable schema, and its comment does not say Unstable"},
		{"take a member out of the stable schema", stableSchema, func(defs object) { delete(dig(defs, "ToolCall", "properties"), "kind") },
			"member ToolCall.kind is not in the stable schema, and its comment does not say Unstable"},
	} {
		var schema object
		if err := json.Unmarshal(text[c.schema], &schema); err != nil {
			t.Fatal(err)
		}
		c.apply(schema["$defs"].(object))
		findings := drift(ours, schema, c.schema == stableSchema)
		if !slices.ContainsFunc(findings, func(f string) bool { return strings.Contains(f, c.want) }) {
			t.Errorf("%s: found %q, want %q", c.change, findings, c.want)
		}
	}
}

// dig returns the object at a path.
func dig(o object, path ...string) object {
	for _, name := range path {
		o = o[name].(object)
	}
	return o
}

func require(defs object, name string, members ...any) { dig(defs, name)["required"] = members }
