package examples

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A cause is one way to bring a reason about by a small program.
type cause struct {
	reason, answer string
	args           []string
	stdin          string
	// meanwhile is called with the number of the program in the box, of which box
	// and jail are the parents.
	meanwhile func(t *testing.T, program int)
}

// held is a program that is found by its argument, which nobody else's has.
var held = "31." + strconv.Itoa(os.Getpid())

func sh(script string, flags ...string) []string {
	return append(append([]string{"run", "--json", "--profile", "sh"}, flags...), "--", "-c", script)
}

func causes() []cause {
	all := []cause{
		{reason: "ok", answer: "value", args: []string{"eval", "--profile", "python"}, stdin: `{"source":"return input + 1","input":41}`},
		{reason: "execution_failed", answer: "mistake", args: []string{"eval", "--profile", "node"}, stdin: `{"source":"throw new Error('no')"}`},
		{reason: "invalid_output", answer: "mistake", args: []string{"eval", "--profile", "node"}, stdin: `{"source":"return NaN"}`},
		{reason: "signaled", answer: "mistake", args: sh("kill -SEGV $$")},
		{reason: "exec_failed", answer: "mistake", args: []string{"run", "--json", "--profile", "base", "--", "no-such-program"}},
		{reason: "timeout", answer: "limit", args: sh("sleep 600", "--timeout", "2s")},
		{reason: "cpu_time", answer: "limit", args: sh("while :; do :; done", "--cpu-time", "200ms")},
		{reason: "output_too_large", answer: "limit", args: sh("echo 0123456789; sleep 20", "--output", "5")},
		{reason: "out_of_memory", answer: "limit", args: sh("exec tail /dev/zero", "--memory", "16M")},
		{reason: "out_of_memory", answer: "limit", args: []string{"eval", "--profile", "node", "--memory", "64M"}, stdin: `{"source":"const a = []; for (;;) a.push(() => a)"}`},
		{reason: "pids_limit", answer: "limit", args: sh("while :; do sleep 20 & done", "--pids", "8")},
		{reason: "disk_full", answer: "limit", args: sh("exec dd if=/dev/zero of=/tmp/x bs=64k status=none", "--tmp-size", "256K")},
		{reason: "setup_refused", answer: "host", args: sh("true", "--require", "landlock>=999")},
		{reason: "canceled", answer: "canceled", args: sh("sleep " + held), meanwhile: func(t *testing.T, program int) {
			unix.Kill(parent(t, parent(t, program)), unix.SIGTERM)
		}},
		{reason: "internal_error", answer: "broken", args: sh("sleep " + held), meanwhile: func(t *testing.T, program int) {
			unix.Kill(parent(t, program), unix.SIGKILL) // PID 1, as only somebody outside can
		}},
	}
	if runtime.GOARCH == "amd64" { // where there is a foreign system call to make
		all = append(all, cause{reason: "syscall_denied", answer: "mistake", args: []string{"run", "--json", "--profile", "python", "--", "-c", foreign}})
	}
	return all
}

// foreign makes getpid of the x32 table; int 0x80 is not everywhere to be had.
const foreign = `import ctypes, mmap
code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(b"\xb8\x27\x00\x00\x40\x0f\x05\xc3")
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()`

// parent is the number of a process's parent.
func parent(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\nPPid:\t")
	number, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.Atoi(number)
	if err != nil || n < 2 {
		t.Fatalf("process %d has the parent %q", pid, number)
	}
	return n
}

// find is the number of the held program, once it runs.
func find(t *testing.T) int {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, l := range lines {
			if text, _ := os.ReadFile(l); string(text) == "sleep\x00"+held+"\x00" {
				n, _ := strconv.Atoi(strings.Split(l, "/")[2])
				// The shell's child: its parent is the shell, or PID 1 where the shell became it.
				if above := parent(t, n); comm(above) == "sh" {
					return above
				}
				return n
			}
		}
	}
	t.Fatal("the program does not begin")
	return 0
}

func comm(pid int) string {
	text, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	return strings.TrimSpace(string(text))
}

// clients are the commands that start each client.
func clients(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{
		"node":   {"node", sources + "/node/client.mjs"},
		"python": {"python3", sources + "/python/client.py"},
		"go":     {goName},
		"shell":  {"sh", sources + "/shell/client.sh"},
		"rust":   {filepath.Join(t.TempDir(), "client-rust")},
	}
	if _, err := exec.LookPath("rustc"); err == nil {
		if out, err := exec.Command("rustc", "-o", all["rust"][0], sources+"/rust/client.rs").CombinedOutput(); err != nil {
			t.Fatalf("rustc: %v: %s", err, out)
		}
	}
	return all
}

var needs = map[string]string{"rust": "rustc", "shell": "jq"}

// TestClients drives each client through every reason.
func TestClients(t *testing.T) {
	all := causes()
	for language, command := range clients(t) {
		t.Run(language, func(t *testing.T) {
			if program, ok := needs[language]; ok {
				needProgram(t, program)
			}
			for _, c := range all {
				t.Run(c.reason, func(t *testing.T) { c.check(t, command) })
			}
		})
	}
}

func (c cause) check(t *testing.T, command []string) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	client := exec.CommandContext(ctx, command[0], append(command[1:], c.args...)...)
	client.Stdin = strings.NewReader(c.stdin)
	var out, told bytes.Buffer
	client.Stdout, client.Stderr = &out, &told
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	if c.meanwhile != nil {
		c.meanwhile(t, find(t))
	}
	if err := client.Wait(); err != nil {
		t.Fatalf("%v: %s", err, told.String())
	}
	want := c.answer + " " + c.reason + ": "
	if c.answer == "value" {
		want = "value "
	}
	if got := out.String(); !strings.HasPrefix(got, want) {
		t.Errorf("it says %.300q, want %q", got, want)
	}
	if c.reason == "ok" && out.String() != "value 42\n" {
		t.Errorf("it says %.300q, want the value 42 alone", out.String())
	}
	if strings.Contains(out.String(), "schema") || strings.Count(out.String(), "\n") != 1 {
		t.Errorf("it prints more than what came of it: %.300q", out.String())
	}
}

// TestEveryReasonIsThere: a reason that is added must be brought about here.
func TestEveryReasonIsThere(t *testing.T) {
	text, err := os.ReadFile("../../jail/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Properties struct {
			Reason struct{ Enum []string }
		}
	}
	if err := json.Unmarshal(text, &schema); err != nil || len(schema.Properties.Reason.Enum) == 0 {
		t.Fatalf("%v: %+v", err, schema)
	}
	have := map[string]bool{"syscall_denied": true} // on amd64
	for _, c := range causes() {
		have[c.reason] = true
	}
	for _, reason := range schema.Properties.Reason.Enum {
		if !have[reason] {
			t.Errorf("no client is driven through %s", reason)
		}
	}
}

const someRecord = `{"schema":"jail/1","reason":"ok","ok":true,"stdout":{"text":""},"value":{"a":{"b":1}},"message":"m"}`

// halfRecords are what a jail that was killed may have left of a record, or what is none.
func halfRecords() []string {
	const head = `{"schema":"jail/1","reason":"ok","ok":true,"stdout":{"text":""},"value":`
	return []string{
		someRecord, someRecord + "x\n", someRecord + "\n" + someRecord + "\n", "[" + someRecord + "]\n",
		strings.Replace(someRecord, "jail/1", "jail/2", 1) + "\n",
		head + "1", head + "1\n", head + `{"a":{"b":1}`, head + `{"a":{"b":1}` + "\n", head + `"}`, `{"schema":"jail/1","reason":"ok"`,
	}
}

// TestOtherAnswers: a reason of a later version, and no record at all.
func TestOtherAnswers(t *testing.T) {
	all := clients(t)
	cases := []struct{ jail, want string }{
		{`echo '{"schema":"jail/1","id":"x","tier":1,"reason":"invented","message":"m","stdout":{"text":""}}'`, "broken invented: "},
		{"exit 125", ""},
		{"echo not JSON", ""},
		{"echo '" + someRecord + "'", `value {"a":`},
	}
	for _, half := range halfRecords() {
		cases = append(cases, struct{ jail, want string }{"printf %s '" + half + "'", ""})
	}
	for _, c := range cases {
		dir := t.TempDir()
		if err := os.WriteFile(dir+"/jail", []byte("#!/bin/sh\ncat >/dev/null\n"+c.jail+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
		for language, command := range all {
			if program, ok := needs[language]; ok {
				if _, err := exec.LookPath(program); err != nil {
					continue // TestClients says so
				}
			}
			client := exec.Command(command[0], append(command[1:], "run")...)
			var told bytes.Buffer
			client.Stderr = &told
			out, err := client.Output()
			if !strings.HasPrefix(string(out), c.want) || (err == nil) != (c.want != "") || c.want == "" && (!strings.Contains(told.String(), "no record") || strings.Contains(told.String(), "\n  ")) {
				t.Errorf("%s, with %q: %v, %q, %q", language, c.jail, err, out, told.String())
			}
		}
	}
}
