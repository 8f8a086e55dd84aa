package request

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/profiles"
)

func TestDecodeFaults(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string // FIELD: part of Want; one a line
	}{
		{``, "request: must be a JSON object"},
		{`[]`, "request: must be a JSON object and is a list"},
		{`null`, "request: must be a JSON object and is null"},
		{`{"args":["a"]} x`, "request: must be a JSON object"},
		{`{"args":["a"]}{}`, "request: nothing behind it"},
		{"{\"args\":[\"\xff\"]}", "request: base64"},
		{`{"args":["\ud800"]}`, "request: surrogate"},
		{`{"args":["\ud800\u0041"]}`, "request: surrogate"},
		{`{"args":["\ude00"]}`, "request: surrogate"},
		{`{"args":["\ud83d\ude00","\\ud800"]}`, ""},
		{`{"args":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, "request: nested"},
		{`{"args":["a"]`, "request: must be a JSON object"},
		{`{"arg":["a"]}`, "arg: accepted are client, profile,"},
		{`{"Args":["a"]}`, "Args: is no field"},
		{`{"args":["a"],"args":["b"]}`, "args: is given twice"},
		{`{"args":"a"}`, "args: must be a list and is a string"},
		{`{"args":[1]}`, "args[0]: must be a string"},
		{`{"args":null}`, "args: must be a list and is null"},
		{`{"args":[{"base64":"/w=="}]}`, ""},
		{`{"args":[{"base64":"/w"}]}`, "args[0].base64: padding"},
		{`{"args":[{"base64":7}]}`, "args[0].base64: must be a string"},
		{`{"args":[{"base32":""}]}`, "args[0]: base64"},
		{`{"unix":"yes"}`, "unix: must be true or false"},
		{`{"net":false}`, "net: must be a string"},
		{`{"tier":0}`, "tier: above 0"},
		{`{"tier":1.5}`, "tier: whole number"},
		{`{"limits":{"memory_bytes":"64M"}}`, "limits.memory_bytes: must be a number and is a string"},
		{`{"limits":{"memory_bytes":-1}}`, "limits.memory_bytes: above 0"},
		{`{"limits":{"output_bytes":-1}}`, ""},
		{`{"limits":{"output_bytes":-2}}`, "limits.output_bytes: above 0"},
		{`{"limits":{"output_bytes":0}}`, "limits.output_bytes: above 0"},
		{`{"limits":{"nofile":-1}}`, "limits.nofile: above 0"},
		{`{"limits":{"memory_bytes":1e9}}`, "limits.memory_bytes: whole number"},
		{`{"limits":{"memory_bytes":99999999999999999999}}`, "limits.memory_bytes: whole number"},
		{`{"limits":{"cpus":1e999}}`, "limits.cpus: must be a number"},
		{`{"limits":{"timeout":30}}`, "limits.timeout: accepted are timeout_ms,"},
		{`{"limits":[]}`, "limits: must be an object"},
		{`{"view":[{"kind":"ro","size":1}]}`, "view[0].size: accepted are kind, source, target, size_bytes, content"},
		{`{"a":1,"b":2,"unix":3}`, "a: is no field\nb: is no field\nunix: must be true"},
	} {
		_, faults := Decode([]byte(tt.text))
		compareFaults(t, tt.text, faults, tt.want)
	}
}

// compareFaults wants one fault for each line of want: its field and a part of
// what it says.
func compareFaults(t *testing.T, text string, faults jail.Faults, want string) {
	t.Helper()
	lines := strings.FieldsFunc(want, func(r rune) bool { return r == '\n' })
	if len(faults) != len(lines) {
		t.Errorf("%s: faults %q, want %q", text, faults, lines)
		return
	}
	for i, line := range lines {
		field, part, _ := strings.Cut(line, ": ")
		if faults[i].Field != field || !strings.Contains(faults[i].Want, part) {
			t.Errorf("%s: fault %q, want %q", text, faults[i], line)
		}
	}
}

// TestImpossible: what is well-formed and yet no box.
func TestImpossible(t *testing.T) {
	host := profiles.Host{Path: "/usr/bin:/bin", Dir: "/"}
	for text, want := range map[string]string{
		`{}`:           "args: must name the program",
		`{"args":[1]}`: "args[0]: must be a string",
		`{"args":["a"],"limits":{"memory_bytes":1,"timeout_ms":0.5}}`:                             "limits.memory_bytes: from\nlimits.timeout_ms: from",
		`{"args":["a"],"limits":{"timeout_ms":1e300}}`:                                            "limits.timeout_ms: from",
		`{"args":["a"],"net":"host","tier":3}`:                                                    "net: one of none, loopback\ntier: 1 or 2",
		`{"args":["a"],"env":["A"],"optional":["root"]}`:                                          "env[0]: KEY=VALUE\noptional: must be one of",
		`{"args":["a"],"view":[{"kind":"ro","source":"x","target":"/x"}]}`:                        "view[0].source: absolute",
		`{"args":["a"],"view":[{"kind":"tmpfs","target":"/x","size_bytes":1}]}`:                   "view[0].size_bytes: from",
		`{"args":["a"],"seccomp":{"deny":["execve"],"allow":["frob"]}}`:                           "seccomp.allow: name of a system call\nseccomp.deny: needed to start",
		`{"profile":"nodejs","args":["a"]}`:                                                       "profile: the name of a profile\nargs: must name",
		`{"profile":"exec","args":["/bin/true"],"profile_ref":{"name":"","digest":""}}`:           "profile_ref: must not be given",
		`{"profile":"exec","args":["/bin/true"],"workspace":"x"}`:                                 "workspace: absolute",
		`{"profile":"exec","args":["/bin/true"],"view":[{"kind":"ro","source":"x","target":""}]}`: "view: absolute path",
		`{"profile":"sh","args":["script"]}`:                                                      "args: absolute path",
	} {
		r, faults := Decode([]byte(text))
		spec, more := r.Spec(host)
		got := Check(spec, append(faults, more...))
		compareFaults(t, text, got, want)
	}
}

// TestSpecIsKept: a Spec goes through a request unchanged, each of its fields.
func TestSpecIsKept(t *testing.T) {
	var full jail.Spec
	fill(reflect.ValueOf(&full).Elem(), new(int))
	full.Limits.Timeout, full.Limits.CPUTime = 1500*time.Microsecond, 366*24*time.Hour
	full.Args = []string{"a", "", "\xff\xfe", "ü\"\\ud800\n", "<&>\u2028"}
	for _, spec := range []jail.Spec{{}, full, {Args: []string{"true"}, View: []jail.Mount{{Kind: "ro", Source: "/a\xf0", Target: "/a"}}}} {
		text, err := json.Marshal(Of(spec))
		if err != nil {
			t.Fatal(err)
		}
		r, faults := Decode(text)
		got, more := r.Spec(profiles.Host{})
		if len(faults)+len(more) > 0 || !reflect.DeepEqual(got, spec) {
			t.Errorf("%d bytes: %v %v; changed: %v", len(text), faults, more, changed(got, spec))
		}
	}
}

// changed names the fields in which a and b differ.
func changed(a, b jail.Spec) (names []string) {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if !reflect.DeepEqual(x.Field(i).Interface(), y.Field(i).Interface()) {
			names = append(names, x.Type().Field(i).Name)
		}
	}
	return names
}

// fill gives every field a value of its own.
func fill(v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.String:
		v.SetString("s" + strings.Repeat("x", *n))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Float64:
		v.SetFloat(float64(*n) / 4)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	default:
		panic("fill: " + v.Kind().String())
	}
}

// TestSchema: the schema has the fields of a Request, and their types.
func TestSchema(t *testing.T) {
	var schema map[string]any
	if err := json.Unmarshal(Schema, &schema); err != nil {
		t.Fatal(err)
	}
	compareSchema(t, schema, schema, reflect.TypeFor[Request](), "request")
}

func compareSchema(t *testing.T, root, n map[string]any, typ reflect.Type, at string) {
	t.Helper()
	if ref, ok := n["$ref"].(string); ok {
		n = root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
	}
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ == reflect.TypeFor[Text]() {
		if !reflect.DeepEqual(n["type"], []any{"string", "object"}) {
			t.Errorf("%s: schema %v, want that of a text", at, n)
		}
		return
	}
	want := map[reflect.Kind]string{
		reflect.Struct: "object", reflect.Slice: "array", reflect.String: "string", reflect.Bool: "boolean",
		reflect.Int64: "integer", reflect.Float64: "number",
	}[typ.Kind()]
	_, enum := n["enum"]
	if n["type"] != want && !(enum && want == "string") {
		t.Errorf("%s: schema type %v, want %s", at, n["type"], want)
	}
	switch typ.Kind() {
	case reflect.Slice:
		compareSchema(t, root, n["items"].(map[string]any), typ.Elem(), at+"[]")
	case reflect.Struct:
		properties, _ := n["properties"].(map[string]any)
		if len(properties) != typ.NumField() {
			t.Errorf("%s: schema has %d properties, want %d", at, len(properties), typ.NumField())
		}
		for i := range typ.NumField() {
			name := nameOf(typ.Field(i))
			p, ok := properties[name].(map[string]any)
			if !ok {
				t.Errorf("%s: schema lacks %s", at, name)
				continue
			}
			compareSchema(t, root, p, typ.Field(i).Type, at+"."+name)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"args":["a",{"base64":"/w=="}],"limits":{"cpus":0.5}}`))
	f.Add([]byte(`{"args":["\ud83d\ude00"]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, faults := Decode(text)
		if len(faults) > 0 {
			return
		}
		again, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		r2, faults := Decode(again)
		if len(faults) > 0 || !reflect.DeepEqual(Of(r2.alone()), Of(r.alone())) {
			t.Errorf("%s became %s (%v)", text, again, faults)
		}
	})
}
