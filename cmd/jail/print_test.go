package main

import (
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/jail"
)

// TestQuote: nothing that a stranger named may steer a terminal.
func TestQuote(t *testing.T) {
	for in, want := range map[string]string{
		"": `""`, "plain": `"plain"`, "ünï 日本": `"ünï 日本"`, "a\nb": `"a\nb"`, "\x1b[31m": `"\x1b[31m"`, "\xff": `"\xff"`,
		`q"q`: `"q\"q"`, `back\slash`: `"back\\slash"`, "\u202e": `"\u202e"`,
	} {
		if got := quote(in); got != want {
			t.Errorf("quote(%q) = %s, want %s", in, got, want)
		}
	}
	if got := quote(strings.Repeat("x", 10000)); len(got) > 300 {
		t.Errorf("quote(10,000 bytes) has %d bytes, want a few", len(got))
	}
}

func TestPrintOutcome(t *testing.T) {
	code := func(n int) *int { return &n }
	off := jail.Layer{Name: jail.LayerCgroup, Note: "no group"}
	for _, tt := range []struct {
		name   string
		result jail.Result
		quiet  bool
		want   string
	}{
		{"ok", jail.Result{Reason: jail.ReasonOK}, false, ""},
		{"own failure", jail.Result{Reason: jail.ReasonExecutionFailed}, false, ""},
		{"ok, and forks were refused", jail.Result{Reason: jail.ReasonOK, Message: "the program ended with exit code 0; 9 of its forks were refused", Hint: "raise --pids"}, false, "jail: ok: the program ended with exit code 0; 9 of its forks were refused (raise --pids)\n"},
		{"timeout", jail.Result{Reason: jail.ReasonTimeout, Message: "ended after 2s", Hint: "raise --timeout"}, false, "jail: timeout: ended after 2s (raise --timeout)\n"},
		{"quiet", jail.Result{Reason: jail.ReasonTimeout, Message: "ended after 2s"}, true, ""},
		{"refused though quiet", jail.Result{Reason: jail.ReasonSetupRefused, Message: "no"}, true, "jail: setup_refused: no\n"},
		{"weaker", jail.Result{Reason: jail.ReasonOK, Layers: []jail.Layer{off}}, false, "jail: without cgroup: no group\n"},
		{"a group given up by name", jail.Result{Reason: jail.ReasonOK, Layers: []jail.Layer{{Name: jail.LayerCgroup, Note: "no caps, as --optional allows; in their place much: and why"}}}, false, "jail: without cgroup: no caps, as --optional allows\n"},
		{"no group", jail.Result{Reason: jail.ReasonSetupRefused, Message: `cgroup: find "/g": cgroups: find /g: denied`, Hint: "run as root; or weaken the box by name: --optional cgroup; and more", Refusal: &jail.Refusal{Layer: jail.LayerCgroup}}, false,
			"jail: setup_refused: cgroup: find /g: denied (at once, without caps on memory, CPU and processes: --optional cgroup; with them: run as root; and more)\n"},
		{"sizes", jail.Result{Reason: jail.ReasonOutOfMemory, Message: "a (limit 536870912 bytes, for all), 1000 bytes of 1048576 bytes"}, false, "jail: out_of_memory: a (limit 512M, for all), 1000 bytes of 1M\n"},
		{"files", jail.Result{Reason: jail.ReasonSignaled, Denials: []jail.Denial{{Layer: jail.LayerRoot, What: `reading "/etc/x"`, Count: 1}, {Layer: jail.LayerRoot, What: `reading "/srv/x"`, Count: 1}}}, false,
			"jail: signaled\njail: the box's files denied reading \"/srv/x\"\njail: the box's files denied reading \"/etc/x\"\n"},
		{"failed without a word", jail.Result{Reason: jail.ReasonExecutionFailed, ExitCode: code(4), Message: "m", Hint: "it was refused sync(), which"}, false, "jail: execution_failed: m (it was refused sync(), which)\n"},
		{"failed with one", jail.Result{Reason: jail.ReasonExecutionFailed, ExitCode: code(4), Message: "m", Hint: "it was refused sync(), which", Stderr: jail.Output{Bytes: 1}}, false, ""},
		{"one line", jail.Result{Reason: jail.ReasonExecFailed, Message: "a\nb\x1b"}, false, "jail: exec_failed: a�b�\n"},
		{"denials", jail.Result{Reason: jail.ReasonSignaled, Message: "m", Denials: []jail.Denial{{Layer: jail.LayerSeccomp, What: "socket(AF_INET)", Count: 3, Grant: "--net loopback"}}}, false,
			"jail: signaled: m\njail: seccomp denied socket(AF_INET), 3 times; to allow it: --net loopback\n"},
		{"a name was looked up", jail.Result{Reason: jail.ReasonTimeout, Message: "m", Denials: []jail.Denial{{Layer: jail.LayerSeccomp, What: "socket(AF_UNIX, SOCK_STREAM|SOCK_NONBLOCK)", Count: 4, Grant: "--unix"}}}, false, "jail: timeout: m\n"},
		{"own failure, refused what it can do without", jail.Result{Reason: jail.ReasonExecutionFailed, Message: "m", Hint: "it was refused sync(), which many programs try and do without", Denials: []jail.Denial{{Layer: jail.LayerSeccomp, What: "sync()", Count: 1}}}, false, ""},
		{"own failure, and its words say of what", jail.Result{Reason: jail.ReasonExecutionFailed, Message: "m", Hint: "h", Denials: []jail.Denial{{Layer: jail.LayerSeccomp, What: "sync()", Count: 1}}}, false, "jail: execution_failed: m (h)\n"},
		{"the same, quiet", jail.Result{Reason: jail.ReasonExecutionFailed, Message: "m", Hint: "h"}, true, ""},
		{"own failure, and likely why", jail.Result{Reason: jail.ReasonExecutionFailed, Message: "m", Hint: "h", Denials: []jail.Denial{{Layer: jail.LayerSeccomp, What: "chroot(\"/\x1b\")", Count: 1, Errno: "EPERM", Never: "n", Likely: true}, {Layer: jail.LayerRoot, What: "other paths", Count: 2, Never: "no more are looked up"}}}, false,
			"jail: execution_failed: m (h)\njail: seccomp denied chroot(\"/�\"); no flag allows it: n\njail: the box's files denied other paths, 2 times; no more are looked up\n"},
	} {
		var b strings.Builder
		printOutcome(&b, tt.result, tt.quiet, false)
		if got := b.String(); got != tt.want {
			t.Errorf("%s: printOutcome = %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A run that failed in the watching box is told with the flags that widen it, but not with
// one for what libc tries by itself.
func TestWider(t *testing.T) {
	var b strings.Builder
	wider(&b, jail.Result{Denials: []jail.Denial{
		{Layer: jail.LayerSeccomp, What: "socket(AF_UNIX, SOCK_STREAM|SOCK_NONBLOCK)", Errno: "EAFNOSUPPORT", Grant: "--unix"},
		{Layer: jail.LayerSeccomp, What: "ptrace(PTRACE_TRACEME, 0, …)", Errno: "EPERM", Grant: "--allow-syscall ptrace"},
		{Layer: jail.LayerSeccomp, What: "socket(AF_UNIX, SOCK_STREAM)", Errno: "EAFNOSUPPORT", Grant: "--unix"},
	}})
	if got, want := b.String(), "jail: it was refused ptrace(PTRACE_TRACEME, 0, …) (EPERM); to have that allowed, watch it with --allow-syscall ptrace\njail: it was refused socket(AF_UNIX, SOCK_STREAM) (EAFNOSUPPORT); to have that allowed, watch it with --unix\n"; got != want {
		t.Errorf("wider = %q, want %q", got, want)
	}
}
