package acp

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// readOurs reads our types into the shape of the comparison: from the table of methods on, whatever can be reached.
func readOurs(t *testing.T) *protocol {
	r := &ourReader{
		protocol: &protocol{definitions: map[string]*definition{}, methods: map[string]string{}, unstable: map[string]bool{}},
		seen:     map[reflect.Type]bool{},
	}
	for _, m := range Methods {
		key := "request "
		if m.Notification {
			key = "notification "
		}
		key += m.Name + " " + m.Direction.String()
		types := ourName(m.Params)
		r.visit(m.Params)
		if m.Result != nil {
			result := ourName(m.Result)
			if m.Result == rawType {
				result = "ProxySuccessorResponse"
			}
			types += ", " + result
			r.visit(m.Result)
		}
		r.protocol.methods[key] = types
		r.protocol.unstable[key] = m.Unstable
	}
	r.visit(reflect.TypeFor[Error]())
	r.readSource(t)
	return r.protocol
}

type ourReader struct {
	protocol *protocol
	seen     map[reflect.Type]bool
}

// ourName returns the name of the definition that a type stands for.
func ourName(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[RequestID]():
		return "RequestID"
	case reflect.TypeFor[Error]():
		return "Error"
	}
	if name := sharedBy[t.Name()]; name != "" {
		return name
	}
	return t.Name()
}

// visit reads a type and what it refers to.
func (r *ourReader) visit(t reflect.Type) {
	if r.seen[t] || t == rawType {
		return
	}
	r.seen[t] = true
	if v, ok := reflect.New(t).Interface().(optional); ok {
		value, _ := v.reach()
		r.visit(reflect.TypeOf(value).Elem())
		return
	}
	switch {
	case t == propertiesType:
		r.visit(reflect.TypeFor[ElicitationPropertySchema]())
		return
	case unions.byInterface[t] != nil:
		r.add(t, &definition{kind: "union", unions: []*unionShape{r.union(unions.byInterface[t])}})
		return
	case unions.byUnknown[t] != nil:
		return
	case isObject(t):
		r.object(t)
		return
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if t.Kind() == reflect.Map {
			r.visit(t.Key())
		}
		r.visit(t.Elem())
	case reflect.Struct:
		r.add(t, &definition{kind: byHand[ourName(t)]})
		for i := range t.NumField() {
			r.visit(t.Field(i).Type)
		}
	default:
		if t.PkgPath() == "" {
			return
		}
		if values, ok := enums[t]; ok {
			values = slices.Clone(values)
			slices.Sort(values)
			r.add(t, &definition{kind: "enum", values: values})
		} else {
			r.add(t, &definition{kind: t.Kind().String()})
		}
	}
}

func (r *ourReader) add(t reflect.Type, d *definition) {
	if t.Name() == "Meta" || t.PkgPath() != reflect.TypeFor[Meta]().PkgPath() && byHand[ourName(t)] == "" {
		return
	}
	r.protocol.definitions[ourName(t)] = d
}

func (r *ourReader) object(t reflect.Type) {
	d := &definition{kind: "object", members: r.members(t)}
	plan := codecOf(t).plan()
	for _, in := range plan.inline {
		d.unions = append(d.unions, r.union(in.union))
	}
	if r.isNamed(t) {
		r.add(t, d)
	}
}

// isNamed reports whether a type stands for a definition, and not for a variant that has no name in the schema.
func (r *ourReader) isNamed(t reflect.Type) bool { return !nameless[t.Name()] }

func (r *ourReader) members(t reflect.Type) map[string]member {
	members := map[string]member{}
	for _, f := range codecOf(t).plan().fields {
		var marks []string
		for mark, set := range map[string]bool{"lenient": f.lenient, "nullable": f.nullable, "skip": f.skip} {
			if set {
				marks = append(marks, mark)
			}
		}
		slices.Sort(marks)
		typ := t.Field(f.index).Type
		r.visit(typ)
		m := member{typ: describeGo(typ), required: f.required, marks: strings.Join(marks, " ")}
		m.zero = !m.required && typ.Kind() != reflect.Bool && isScalar(m.typ)
		if m.zero && typ.Kind() != reflect.Pointer && typ.Kind() != reflect.Struct {
			m.typ += " that is not a pointer"
		}
		members[f.name] = m
	}
	return members
}

func describeGo(t reflect.Type) string {
	if v, ok := reflect.New(t).Interface().(optional); ok {
		value, _ := v.reach()
		return describeGo(reflect.TypeOf(value).Elem())
	}
	switch {
	case t == rawType:
		return "any"
	case t == reflect.TypeFor[Meta]():
		return "map[string]any"
	case t == propertiesType:
		return "map[string]" + describeGo(reflect.TypeFor[ElicitationPropertySchema]())
	case t.PkgPath() != "":
		return "@" + ourName(t)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return describeGo(t.Elem())
	case reflect.Slice:
		return "[]" + describeGo(t.Elem())
	case reflect.Map:
		return "map[string]" + describeGo(t.Elem())
	}
	return t.Kind().String()
}

func (r *ourReader) union(u *unionPlan) *unionShape {
	shape := &unionShape{discriminator: u.discriminator, tagged: map[string]string{}}
	for _, v := range u.variants {
		if v == u.unknown {
			shape.open = true
			continue
		}
		r.visit(v.typ)
		typ := "@" + ourName(v.typ)
		if !r.isNamed(v.typ) {
			typ = describeMembers(r.members(v.typ))
		}
		if v.tag != nil {
			shape.tagged[v.tag.value] = typ
		} else {
			shape.untagged = append(shape.untagged, typ)
		}
	}
	if u.untagged != nil && u.discriminator != "" {
		shape.open = true // a value that is not known goes with the type that has none
	}
	slices.Sort(shape.untagged)
	return shape
}

// readSource reads from the source what reflection does not see: aliases, and which comments say Unstable.
func (r *ourReader) readSource(t *testing.T) {
	names, _ := filepath.Glob("*.go")
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			decl, ok := decl.(*ast.GenDecl)
			if !ok || decl.Tok != token.TYPE {
				continue
			}
			for _, spec := range decl.Specs {
				spec := spec.(*ast.TypeSpec)
				if doc := spec.Doc; doc == nil {
					spec.Doc = decl.Doc
				}
				r.typeSpec(spec)
			}
		}
	}
}

func (r *ourReader) typeSpec(spec *ast.TypeSpec) {
	name := spec.Name.Name
	if shared := sharedBy[name]; shared != "" {
		name = shared
	}
	r.protocol.unstable[name] = saysUnstable(spec.Doc)
	if spec.Assign.IsValid() {
		if target, ok := spec.Type.(*ast.Ident); ok && name != "Raw" {
			kind := "@" + target.Name
			if target.Name == "Raw" {
				kind = "any"
			}
			r.protocol.definitions[name] = &definition{kind: kind}
		}
		return
	}
	fields, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range fields.Fields.List {
		if f.Tag == nil {
			continue
		}
		tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`"))
		member, _, _ := strings.Cut(tag.Get("json"), ",")
		r.protocol.unstable[name+"."+member] = saysUnstable(f.Doc)
	}
}

func saysUnstable(doc *ast.CommentGroup) bool {
	for _, line := range strings.Split(doc.Text(), "\n") {
		if strings.HasPrefix(line, "Unstable:") {
			return true
		}
	}
	return false
}
