package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"

	"github.com/rogpeppe/go-internal/testscript"
)

// exitStatus is how a shell would show the end of a program.
func exitStatus(e *exec.ExitError) int {
	if s, ok := e.Sys().(syscall.WaitStatus); ok && s.Signaled() {
		return 128 + int(s.Signal())
	}
	return e.ExitCode()
}

// checkRecord reads a record from a file, or from stdout, holds it against the
// schema, and compares fields by their dotted names:
//
//	record stdout reason=ok exit_code=0 stdout.text~^hello
//
// NAME=JSON compares (a word that is no JSON is a string), NAME~REGEXP matches.
func checkRecord(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: record stdout|FILE [NAME=JSON | NAME~REGEXP]…")
	}
	text := ts.ReadFile(args[0])
	if strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "\n") {
		ts.Fatalf("not one line: %q", text)
	}
	var record any
	ts.Check(json.Unmarshal([]byte(text), &record))
	schema, err := loadSchema()
	ts.Check(err)
	for _, fault := range schema.check(record) {
		ts.Fatalf("not jail/1: %s in %s", fault, text)
	}
	if reason, _ := field(record, "reason"); hasRefusal(record) != (reason == "setup_refused" || reason == "exec_failed") {
		ts.Fatalf("refusal: %v, and reason: %v, against the schema's words in %s", hasRefusal(record), reason, text)
	}
	for _, want := range args[1:] {
		if err := compare(record, want); err != nil {
			ts.Fatalf("%v in %s", err, text)
		}
	}
}

func hasRefusal(record any) bool {
	refusal, err := field(record, "refusal")
	return err == nil && refusal != nil
}

func compare(record any, want string) error {
	at := strings.IndexAny(want, "=~")
	if at < 0 {
		return fmt.Errorf("%q: want NAME=JSON or NAME~REGEXP", want)
	}
	name, value := want[:at], want[at+1:]
	got, err := field(record, name)
	if err != nil {
		return err
	}
	if want[at] == '~' {
		ok, err := regexp.MatchString(value, fmt.Sprint(got))
		if err != nil || !ok {
			return fmt.Errorf("%s = %v does not match %q (%v)", name, got, value, err)
		}
		return nil
	}
	var wanted any
	if json.Unmarshal([]byte(value), &wanted) != nil {
		wanted = value
	}
	if fmt.Sprint(got) != fmt.Sprint(wanted) {
		return fmt.Errorf("%s = %v, want %v", name, got, wanted)
	}
	return nil
}

// field follows a dotted name; an element of layers is named by its name.
func field(v any, name string) (any, error) {
	for part := range strings.SplitSeq(name, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[part]
		case []any:
			v = nil
			for _, e := range x {
				if m, ok := e.(map[string]any); ok && m["name"] == part {
					v = m
				}
			}
		default:
			return nil, fmt.Errorf("%s: nothing named %q", name, part)
		}
	}
	return v, nil
}

func loadSchema() (schema, error) {
	text, err := os.ReadFile("../../jail/schema.json")
	if err != nil {
		return schema{}, err
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		return schema{}, fmt.Errorf("schema.json: %w", err)
	}
	return schema{root}, nil
}
