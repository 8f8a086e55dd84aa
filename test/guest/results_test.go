package main

import (
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-75010da9/jail/jail"
	"github.com/seed-75010da9/jail/test/guest/internal/order"
)

const printed = `=== RUN   TestGood
--- PASS: TestGood (0.00s)
=== RUN   TestParts
=== RUN   TestParts/one
    x_test.go:3: it is broken
=== RUN   TestParts/two
--- FAIL: TestParts (0.00s)
    --- FAIL: TestParts/one (0.00s)
    --- PASS: TestParts/two (0.00s)
=== RUN   TestNotHere
    x_test.go:9: there is none
--- SKIP: TestNotHere (0.00s)
FAIL
`

const begun = "=== RUN   TestGood\n--- PASS: TestGood (0.00s)\n=== RUN   TestNext\n"

func TestRead(t *testing.T) {
	tests := []struct {
		name   string
		output string
		end    order.End
		want   ended
		fine   bool
	}{
		{"tests", printed, order.End{Exit: 1, TookMS: 7}, ended{Exit: 1, TookMS: 7, Passed: 2,
			Failed: []verdict{{"TestParts/one", "x_test.go:3: it is broken"}},
			Skips:  []verdict{{"TestNotHere", "x_test.go:9: there is none"}},
			Passes: []verdict{{"TestGood", ""}, {"TestParts/two", ""}}, Output: printed}, false},
		{"passed", "=== RUN   TestGood\n--- PASS: TestGood (0.00s)\nPASS\n", order.End{}, ended{Passed: 1, Passes: []verdict{{"TestGood", ""}}}, true},
		{"a pass that ended late", begun, order.End{Exit: 137, Late: true},
			ended{Exit: 137, Late: true, Passed: 1, Passes: []verdict{{"TestGood", ""}}, Output: begun}, false},
		{"no test at all", "PASS\n", order.End{}, ended{Output: "PASS\n"}, false},
		{"a record", "jail: a line of stderr\n{\"schema\":\"jail/1\"}\n", order.End{Exit: 125},
			ended{Exit: 125, JSON: []byte(`{"schema":"jail/1"}`)}, true},
	}
	test2json := filepath.Join(t.TempDir(), "test2json")
	if out, err := exec.Command("go", "build", "-o", test2json, "cmd/test2json").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.want.Name = "job"
			got, err := read(test2json, order.Job{Name: "job"}, tt.end, []byte(tt.output))
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("read = %+v, %v, want %+v", got, err, tt.want)
			}
			if got.fine() != tt.fine {
				t.Errorf("fine() = %v, want %v", got.fine(), tt.fine)
			}
		})
	}
}

// A later run of one suite leaves what is known of the others.
func TestMerge(t *testing.T) {
	early, late := time.Unix(1, 0), time.Unix(2, 0)
	old := []result{{Host: "a", Role: "root", Commit: "c1", At: early, Jobs: []ended{{Name: "x"}, {Name: "y"}, {Name: "z", Commit: "c2"}}}, {Host: "b", Role: "root"}}
	got := merge(old, []result{{Host: "a", Role: "root", Commit: "c2", At: late, Jobs: []ended{{Name: "y", Passed: 1}}}, {Host: "a", Role: "user"}})
	want := []result{{Host: "a", Role: "root", Commit: "c2", At: late, Jobs: []ended{{Name: "y", Passed: 1}, {Name: "x", Commit: "c1"}, {Name: "z"}}},
		{Host: "b", Role: "root"}, {Host: "a", Role: "user"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("merge = %+v, want %+v", got, want)
	}
	got[0].Host = "qemu-6.1"
	for _, want := range []string{"- commit c1, kept of an earlier run: qemu-6.1 root: x\n", "- commit c2, from "} {
		if lines := runLines(got); !slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, want) }) {
			t.Errorf("runLines = %q, want one %q", lines, want)
		}
	}
}

func TestChoose(t *testing.T) {
	name := func(s string) string { return s }
	all := []string{"a", "b", "c"}
	if got, err := choose(all, "", name); err != nil || len(got) != 3 {
		t.Errorf("choose of nothing = %v, %v, want all", got, err)
	}
	if got, err := choose(all, "c,a", name); err != nil || !reflect.DeepEqual(got, []string{"c", "a"}) {
		t.Errorf("choose(c,a) = %v, %v", got, err)
	}
	if _, err := choose(all, "a,d", name); err == nil {
		t.Error("choose of one that is not there succeeded")
	}
}

func TestJudge(t *testing.T) {
	const refusal = `{"layer":"cgroup","stage":"probe"}`
	tests := []struct {
		record  string
		refuses jail.LayerName
		right   bool
	}{
		{`{"schema":"jail/1","ok":true}`, "", true},
		{`{"schema":"jail/1","ok":false}`, "", false},
		{`{"schema":"jail/1","ok":false,"refusal":` + refusal + `}`, "cgroup", true},
		{`{"schema":"jail/1","ok":false,"refusal":` + refusal + `}`, "landlock", false},
		{`{"schema":"jail/1","ok":true}`, "cgroup", false},
		{`{"schema":"jail-doctor/1","ok":false,"box":{"refusal":` + refusal + `}}`, "cgroup", true},
		{`{"schema":"jail-doctor/1","ok":true,"box":{"reason":"ok"}}`, "", true},
	}
	for _, tt := range tests {
		if got := judge([]byte(tt.record), tt.refuses); (got == "") != tt.right {
			t.Errorf("judge(%s, %q) = %q, want right: %v", tt.record, tt.refuses, got, tt.right)
		}
	}
}

// A program's run is wrong where it was not carried out, where its profile makes a
// difference, or the looking does.
func TestJudgeProgram(t *testing.T) {
	for line, want := range map[string]string{
		`{"schema":"programs","enforced":"ok 0","traced":"ok 0","differs":""}`:    "",
		`{"schema":"programs","missing":"no folder"}`:                             "no folder",
		`{"schema":"programs","enforced":"ok 0","traced":"ok 0","differs":"rw"}`:  "rw",
		`{"schema":"programs","enforced":"ok 0","traced":"timeout","differs":""}`: "enforced it is ok 0, and traced timeout",
		`{"schema":"programs","enforced":"ok 0","traced":"ok 0","wrong":"late"}`:  "late",
	} {
		if got := judgeProgram([]byte(line)); got != want {
			t.Errorf("judgeProgram(%s) = %q, want %q", line, got, want)
		}
	}
}

// Programs are for root's guests that have every wall, and for no other host.
func TestProgramsFit(t *testing.T) {
	var programs suite
	for _, s := range suites() {
		if s.commands != "" {
			programs = s
		}
	}
	var fit []string
	for _, h := range hosts() {
		for _, role := range h.roles() {
			if programs.unfit(h, role) == "" && programs.spared(h) == "" {
				fit = append(fit, h.name+":"+role)
			}
		}
	}
	if want := []string{"qemu-6.1:root", "qemu-6.12:root", "qemu-7.3:root"}; !slices.Equal(fit, want) {
		t.Errorf("programs are run on %v, want %v", fit, want)
	}
}
