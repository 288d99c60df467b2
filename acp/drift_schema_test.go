package acp

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// object is a part of a JSON Schema.
type object = map[string]any

// loadSchema reads one of the schemas of the official npm package.
func loadSchema(t *testing.T, name string) object {
	t.Helper()
	path := filepath.Join("..", "interop", "node_modules", "@agentclientprotocol", "sdk", "schema", "v1", name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: the official schemas come with `npm ci` in the folder interop, which make does before it runs tests", err)
	}
	var schema object
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	return schema
}

var camel = regexp.MustCompile(`[A-Z][a-z0-9]*`)

// goName returns the name that Go gives a definition: SessionID for SessionId.
func goName(name string) string {
	return camel.ReplaceAllStringFunc(name, func(word string) string {
		switch word {
		case "Id", "Mcp", "Http", "Url", "Sse", "Acp", "Llm":
			return strings.ToUpper(word)
		}
		return word
	})
}

// A schemaReader reads a schema into our shape.
type schemaReader struct {
	defs     object
	protocol *protocol
	problems []string // what this test does not understand
}

func readSchema(schema object) (*protocol, []string) {
	r := &schemaReader{
		defs:     schema["$defs"].(object),
		protocol: &protocol{definitions: map[string]*definition{}, methods: map[string]string{}},
	}
	for _, name := range slices.Sorted(maps.Keys(r.defs)) {
		node := r.defs[name].(object)
		r.method(name, node)
		if notTypes[name] == "" {
			r.protocol.definitions[goName(name)] = r.definition(name, node)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rewrites)) {
		rewrites[name](r.protocol)
	}
	return r.protocol, r.problems
}

// method notes a message of a method. A request's two types come together by their order: Request, then Response.
func (r *schemaReader) method(name string, node object) {
	method, _ := node["x-method"].(string)
	if method == "" {
		return
	}
	side := map[any]string{"agent": "to agent", "client": "to client", "proxy": "to proxy", "protocol": "to either"}[node["x-side"]]
	typ := goName(name)
	if target, ok := aliasOf(node); ok {
		typ = target
	}
	switch {
	case strings.HasSuffix(name, "Notification"):
		r.protocol.methods["notification "+method+" "+side] = typ
	case strings.HasSuffix(name, "Request"), strings.HasSuffix(name, "Response"):
		key := "request " + method + " " + side
		if before := r.protocol.methods[key]; before != "" {
			typ = before + ", " + typ
		}
		r.protocol.methods[key] = typ
	default:
		r.problem("%s is of method %s, but neither request nor response nor notification", name, method)
	}
}

func (r *schemaReader) problem(format string, args ...any) {
	r.problems = append(r.problems, fmt.Sprintf(format, args...))
}

// aliasOf returns the name of the definition that a node is another name for.
func aliasOf(node object) (string, bool) {
	all, _ := node["allOf"].([]any)
	if len(all) != 1 || node["properties"] != nil || node["anyOf"] != nil {
		return "", false
	}
	return refOf(all[0].(object))
}

func refOf(node object) (string, bool) {
	ref, ok := node["$ref"].(string)
	return goName(strings.TrimPrefix(ref, "#/$defs/")), ok
}

func (r *schemaReader) definition(name string, node object) *definition {
	if byHand[goName(name)] != "" {
		if node["type"] == "object" {
			return &definition{kind: describeMembers(r.members(node))}
		}
		return &definition{kind: r.alternatives(node)}
	}
	variants := variantsOf(node)
	switch {
	case node["type"] == "object" || len(variants) > 0 && node["x-method"] != nil:
		d := &definition{kind: "object", members: r.members(node)}
		if len(variants) > 0 {
			d.unions = append(d.unions, r.union(name, node, variants))
		}
		return d
	case len(variants) > 0 && variants[0].(object)["type"] == "string":
		d := &definition{kind: "enum"}
		for _, v := range variants {
			if value, ok := v.(object)["const"].(string); ok {
				d.values = append(d.values, value)
			}
		}
		slices.Sort(d.values)
		return d
	case len(variants) > 0:
		return &definition{kind: "union", unions: []*unionShape{r.union(name, node, variants)}}
	}
	if target, ok := aliasOf(node); ok {
		return &definition{kind: "@" + target}
	}
	return &definition{kind: r.describe(name, node)}
}

func variantsOf(node object) []any {
	for _, key := range []string{"anyOf", "oneOf"} {
		if list, ok := node[key].([]any); ok {
			return list
		}
	}
	return nil
}

// alternatives describes a union that is no object in words.
func (r *schemaReader) alternatives(node object) string {
	var list []string
	for _, v := range variantsOf(node) {
		list = append(list, r.describe("", v.(object)))
	}
	return strings.Join(list, " or ")
}

func (r *schemaReader) members(node object) map[string]member {
	members := map[string]member{}
	required, _ := node["required"].([]any)
	properties, _ := node["properties"].(object)
	for name, p := range properties {
		p := p.(object)
		var marks []string
		for _, mark := range []struct{ key, name string }{
			{"x-deserialize-default-on-error", "lenient"}, {"x-deserialize-default-on-null", "nullable"}, {"x-deserialize-skip-invalid-items", "skip"},
		} {
			if p[mark.key] == true {
				marks = append(marks, mark.name)
			}
		}
		for key := range p {
			if strings.HasPrefix(key, "x-") && !slices.Contains(knownMarks, key) {
				r.problem("member %s has the mark %s, which is new", name, key)
			}
		}
		m := member{typ: r.describe(name, p), required: slices.Contains(required, any(name)), marks: strings.Join(marks, " ")}
		_, hasDefault := p["default"]
		m.zero = !m.required && !hasDefault && isScalar(m.typ)
		members[name] = m
	}
	return members
}

// isScalar reports whether a type has a zero value that peers use: a number or a boolean.
func isScalar(typ string) bool {
	return typ == "bool" || strings.HasPrefix(typ, "float") || strings.HasPrefix(typ, "int") || strings.HasPrefix(typ, "uint")
}

var knownMarks = []string{
	"x-deserialize-default-on-error", "x-deserialize-default-on-null", "x-deserialize-skip-invalid-items", "x-docs-ignore",
}

// describe describes the type of a member.
func (r *schemaReader) describe(name string, node object) string {
	if ref, ok := refOf(node); ok {
		return "@" + ref
	}
	if all, ok := node["allOf"].([]any); ok && len(all) == 1 {
		return r.describe(name, all[0].(object))
	}
	if any, ok := node["anyOf"].([]any); ok {
		if len(any) == 2 && any[1].(object)["type"] == "null" {
			return r.describe(name, any[0].(object))
		}
		return r.alternatives(node)
	}
	typ := node["type"]
	if list, ok := typ.([]any); ok && len(list) == 2 && list[1] == "null" {
		typ = list[0]
	}
	switch typ {
	case "string":
		return "string"
	case "boolean":
		return "bool"
	case "number":
		return "float64"
	case "integer":
		return fmt.Sprint(node["format"])
	case "array":
		return "[]" + r.describe(name, node["items"].(object))
	case "object":
		if values, ok := node["additionalProperties"].(object); ok {
			return "map[string]" + r.describe(name, values)
		}
		return "map[string]any"
	case "null":
		return "null"
	case nil:
		return "any"
	}
	r.problem("%s has the type %v, which is new", name, typ)
	return fmt.Sprint(typ)
}

// union reads the variants of a union.
func (r *schemaReader) union(name string, node object, variants []any) *unionShape {
	u := &unionShape{tagged: map[string]string{}}
	var untagged []object
	for _, v := range variants {
		v := v.(object)
		members := r.members(v)
		tag := ""
		for member, p := range propertiesOf(v) {
			if value, ok := p.(object)["const"].(string); ok {
				if u.discriminator != "" && u.discriminator != member {
					r.problem("%s is told apart by %s and by %s", name, u.discriminator, member)
				}
				u.discriminator, tag = member, value
				delete(members, member)
			}
		}
		switch {
		case tag != "":
			u.tagged[tag] = r.variant(v, members)
		case v["title"] == "other":
			u.open = true
		default:
			untagged = append(untagged, v)
		}
	}
	for _, v := range untagged {
		u.untagged = append(u.untagged, r.variant(v, r.members(v)))
	}
	slices.Sort(u.untagged)
	if d, ok := node["discriminator"].(object); ok && d["propertyName"] != u.discriminator {
		r.problem("%s names %v as its discriminator, its variants have %s", name, d["propertyName"], u.discriminator)
	}
	return u
}

func propertiesOf(node object) object {
	properties, _ := node["properties"].(object)
	return properties
}

func (r *schemaReader) variant(node object, members map[string]member) string {
	if all, ok := node["allOf"].([]any); ok && len(all) == 1 && len(members) == 0 {
		return r.describe("", all[0].(object))
	}
	return describeMembers(members)
}
