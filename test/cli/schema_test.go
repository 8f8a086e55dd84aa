package cli

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-75010da9/jail/jail"
)

// A schema is the part of JSON Schema that jail/schema.json uses. A keyword
// that it does not know is a fault, so that none is written in vain.
type schema struct{ root map[string]any }

func (s schema) check(v any) []string { return s.node(s.root, v, "record") }

// node checks v, which stands at path, against one schema object.
func (s schema) node(n map[string]any, v any, path string) (faults []string) {
	fault := func(format string, args ...any) {
		faults = append(faults, path+": "+fmt.Sprintf(format, args...))
	}
	for keyword, want := range n {
		switch keyword {
		case "$schema", "$id", "$defs", "title", "description", "format":
		case "$ref":
			name := strings.TrimPrefix(want.(string), "#/$defs/")
			faults = append(faults, s.node(s.root["$defs"].(map[string]any)[name].(map[string]any), v, path)...)
		case "type":
			if !hasType(v, want) {
				fault("%v is not of type %v", v, want)
			}
		case "const":
			if v != want {
				fault("%v is not %v", v, want)
			}
		case "enum":
			if !slices.Contains(want.([]any), v) {
				fault("%v is not one of %v", v, want)
			}
		case "minimum", "maximum":
			if x, ok := v.(float64); ok && (keyword == "minimum" && x < want.(float64) || keyword == "maximum" && x > want.(float64)) {
				fault("%v: %s is %v", x, keyword, want)
			}
		case "minLength":
			if x, ok := v.(string); ok && utf8.RuneCountInString(x) < int(want.(float64)) {
				fault("%q is too short", x)
			}
		case "pattern":
			if x, ok := v.(string); ok && !regexp.MustCompile(want.(string)).MatchString(x) {
				fault("%q does not match %v", x, want)
			}
		case "required", "properties", "items":
			faults = append(faults, s.inner(keyword, want, v, path)...)
		default:
			fault("schema.json has the keyword %q, which this test does not know", keyword)
		}
	}
	return faults
}

// inner checks what is in an object or a list.
func (s schema) inner(keyword string, want, v any, path string) (faults []string) {
	object, isObject := v.(map[string]any)
	list, isList := v.([]any)
	switch {
	case keyword == "required" && isObject:
		for _, name := range want.([]any) {
			if _, ok := object[name.(string)]; !ok {
				faults = append(faults, fmt.Sprintf("%s: %v is missing", path, name))
			}
		}
	case keyword == "properties" && isObject:
		for name, value := range object {
			known, ok := want.(map[string]any)[name]
			if !ok {
				faults = append(faults, path+"."+name+": the schema does not know it")
				continue
			}
			faults = append(faults, s.node(known.(map[string]any), value, path+"."+name)...)
		}
	case keyword == "items" && isList:
		for i, value := range list {
			faults = append(faults, s.node(want.(map[string]any), value, path+"["+strconv.Itoa(i)+"]")...)
		}
	}
	return faults
}

func hasType(v, want any) bool {
	if list, ok := want.([]any); ok {
		return slices.ContainsFunc(list, func(t any) bool { return hasType(v, t) })
	}
	switch x := v.(type) {
	case nil:
		return want == "null"
	case bool:
		return want == "boolean"
	case string:
		return want == "string"
	case float64:
		return want == "number" || want == "integer" && x == float64(int64(x))
	case []any:
		return want == "array"
	case map[string]any:
		return want == "object"
	}
	return false
}

// TestSchemaHasEveryField fills every field of a Result and wants the schema
// to know it: and to have no property besides.
func TestSchemaHasEveryField(t *testing.T) {
	s, err := loadSchema()
	if err != nil {
		t.Fatal(err)
	}
	defs := s.root["$defs"].(map[string]any)
	for name, value := range map[string]any{
		"": jail.Result{}, "refusal": jail.Refusal{}, "output": jail.Output{}, "usage": jail.Usage{},
		"limits": jail.InForce{}, "layer": jail.Layer{}, "denial": jail.Denial{}, "observation": jail.Observation{}, "thrown": jail.Thrown{}, "profile": jail.ProfileRef{},
	} {
		node := s.root
		if name != "" {
			node = defs[name].(map[string]any)
		}
		properties := node["properties"].(map[string]any)
		required := node["required"].([]any)
		typ := reflect.TypeOf(value)
		for i := range typ.NumField() {
			tag, opts, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if !typ.Field(i).IsExported() || tag == "-" {
				continue
			}
			if _, ok := properties[tag]; !ok {
				t.Errorf("schema.json: %s has no property %q", name, tag)
			}
			delete(properties, tag)
			if must := opts != "omitempty"; must != slices.Contains(required, any(tag)) {
				t.Errorf("schema.json: %s.%s required = %v, want %v", name, tag, !must, must)
			}
		}
		for extra := range properties {
			t.Errorf("schema.json: %s has the property %q, which no record has", name, extra)
		}
	}
}

// TestSchemaHasEveryConstant compares the closed sets with the source.
func TestSchemaHasEveryConstant(t *testing.T) {
	s, err := loadSchema()
	if err != nil {
		t.Fatal(err)
	}
	defs := s.root["$defs"].(map[string]any)
	properties := s.root["properties"].(map[string]any)
	stage := defs["refusal"].(map[string]any)["properties"].(map[string]any)["stage"]
	for typ, node := range map[string]any{"Reason": properties["reason"], "Stage": stage, "LayerName": defs["layer_name"]} {
		var got []string
		for _, v := range node.(map[string]any)["enum"].([]any) {
			got = append(got, v.(string))
		}
		want := constants(t, typ)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("schema.json: values of %s = %v, want %v", typ, got, want)
		}
	}
}

// constants are the values of the string constants of a type of package jail.
func constants(t *testing.T, typ string) []string {
	t.Helper()
	files, err := filepath.Glob("../../jail/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if id, ok := spec.Type.(*ast.Ident); ok && id.Name == typ && len(spec.Values) > 0 {
				if lit, ok := spec.Values[0].(*ast.BasicLit); ok {
					v, err := strconv.Unquote(lit.Value)
					if err != nil {
						t.Fatal(err)
					}
					values = append(values, v)
				}
			}
			return true
		})
	}
	return values
}

// TestSchemaIsStrict proves that the checks above can fail.
func TestSchemaIsStrict(t *testing.T) {
	s, err := loadSchema()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(jail.Result{Schema: jail.Schema, ID: "x", Tier: jail.Tier1, Reason: "no such reason", Layers: []jail.Layer{}, Denials: []jail.Denial{}})
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	if faults := s.check(v); len(faults) != 1 || !strings.Contains(faults[0], "no such reason") {
		t.Errorf("check(record with a wrong reason) = %q, want one fault", faults)
	}
	v.(map[string]any)["extra"] = 1.0
	delete(v.(map[string]any), "id")
	if faults := s.check(v); len(faults) != 3 {
		t.Errorf("check(record with three faults) = %q, want three", faults)
	}
}
