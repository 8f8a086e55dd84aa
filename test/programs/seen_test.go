package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

const learned = `# Learned from one run of: x
extends = "exec"

[limits]
memory = "32M" # 2 times the peak

[view]
ro = [
  "/tmp/jail-programs-1/gcc/hello.c", # read
]
rw = [
  "/tmp/jail-programs-1/gcc/out", # folder, written to
]

[net]
# It made sockets.
mode = "loopback"
unix = true

[seccomp]
allow = ["flock"]
`

// What a profile grants is told without its peaks and words, and under the same
// name wherever the job lay.
func TestGranted(t *testing.T) {
	t.Setenv("TMPDIR", "/tmp")
	want := []string{"ro /JOB/hello.c", "rw /JOB/out", `mode = "loopback"`, "unix = true", `allow = ["flock"]`}
	if got := granted(learned); !slices.Equal(got, want) {
		t.Errorf("granted: %q, want %q", got, want)
	}
}

// What guests saw is kept of their results, and told as what is another way there.
func TestGuestsPage(t *testing.T) {
	t.Chdir(t.TempDir())
	code := 0
	ok := jail.Result{Reason: jail.ReasonOK, ExitCode: &code}
	rows := []row{
		{program: program{name: "gcc"}, bare: ok, learned: learned, ended: "ok, exit code 0", same: true, heard: ok, traced: ok},
		{program: program{name: "slow", native: "it is slow"}, bare: ok, heard: ok, traced: ok},
		{program: program{name: "late"}, bare: ok, heard: ok, traced: ok},
		{program: program{name: "other"}, bare: ok, ended: "ok, exit code 0", same: true, heard: ok, traced: ok},
	}
	other := rows[3].seen()
	other.Program, other.Traced, other.Refused = "other", "timeout", []string{"sync()"}
	type job map[string]any
	results, err := json.Marshal([]job{
		{"host": "qemu-1", "kernel": "1.0", "commit": "abc", "jobs": []job{
			{"name": "doctor", "json": job{"schema": "x"}},
			{"name": "programs/gcc", "json": rows[0].seen()}, {"name": "programs/late", "late": true}, {"name": "programs/other", "json": other, "commit": "ab1"}}},
		{"host": "qemu-2", "jobs": []job{{"name": "doctor"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "hosts.json")
	if err := os.WriteFile(file, results, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := take(file); err != nil {
		t.Fatal(err)
	}
	kept, err := readKept()
	if err != nil || len(kept) != 1 {
		t.Fatalf("kept %+v, %v; want the one host that ran programs", kept, err)
	}
	page := guestsPage(rows, kept)
	for _, want := range []string{"| qemu-1 | 1.0 | 2 | 2 | 1 | 1 |", "| gcc | as here |", "| slow | left out: it is slow |",
		"| late | left out: it was ended at the limit of its time |", "| other | traced: timeout<br>refused + `sync()`<br>(of commit ab1) |"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in %s", want, page)
		}
	}
}
