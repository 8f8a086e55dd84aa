package profiles

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write builtin_generated.go and the golden files")

// TestBuiltinsAreCurrent decodes the built-in profiles' texts and compares
// what they say with the file that jail uses at run time.
func TestBuiltinsAreCurrent(t *testing.T) {
	var b bytes.Buffer
	b.WriteString("// Code generated from builtin/*.toml by go generate; DO NOT EDIT.\n\npackage profiles\n\n")
	b.WriteString("import \"github.com/seed-75010da9/jail/jail\"\n\n")
	b.WriteString("// decodedBuiltin is a built-in profile as its text decodes, and whether there\n// is one of that name. Every call makes a new one.\n")
	b.WriteString("func decodedBuiltin(name string) (Profile, bool) {\n\tswitch name {\n")
	for _, name := range Names() {
		p, err := decode(name, Host{})
		if err != nil {
			t.Fatalf("decode(%q): %v", name, err)
		}
		fmt.Fprintf(&b, "case %q:\nreturn ", name)
		literal(&b, reflect.ValueOf(*p))
		b.WriteString(", true\n")
	}
	b.WriteString("}\nreturn Profile{}, false\n}\n")
	want, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(want, []byte("jail.")) {
		want = bytes.Replace(want, []byte("import \"github.com/seed-75010da9/jail/jail\"\n\n"), nil, 1)
	}
	const file = "builtin_generated.go"
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the profiles' texts say (%v); run go generate ./profiles", file, err)
	}
	for _, name := range Names() {
		slow, _ := decode(name, Host{})
		if fast, err := Load(name, Host{}); err != nil || !reflect.DeepEqual(fast, slow) {
			t.Errorf("Load(%q) = %+v, %v; its text says %+v", name, fast, err, slow)
		}
	}
}

// literal writes a value as Go source, without what is zero.
func literal(b *bytes.Buffer, v reflect.Value) {
	name := strings.TrimPrefix(v.Type().String(), "profiles.")
	switch v.Kind() {
	case reflect.Struct:
		b.WriteString(name + "{\n")
		for i := range v.NumField() {
			if f := v.Field(i); !f.IsZero() {
				b.WriteString(v.Type().Field(i).Name + ": ")
				literal(b, f)
				b.WriteString(",\n")
			}
		}
		b.WriteString("}")
	case reflect.Slice:
		b.WriteString(name + "{\n")
		for i := range v.Len() {
			literal(b, v.Index(i))
			b.WriteString(",\n")
		}
		b.WriteString("}")
	case reflect.Map:
		b.WriteString(name + "{\n")
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, k := range keys {
			fmt.Fprintf(b, "%q: ", k.String())
			literal(b, v.MapIndex(k))
			b.WriteString(",\n")
		}
		b.WriteString("}")
	case reflect.String:
		fmt.Fprintf(b, "%q", v.String())
	default:
		fmt.Fprintf(b, "%v", v)
	}
}
