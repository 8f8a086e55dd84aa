package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/seed-75010da9/jail/seccomp"
)

// TestEveryLauncherSaysWhatItLacks: a table of unlike things must say so.
func TestEveryLauncherSaysWhatItLacks(t *testing.T) {
	for _, l := range launchers() {
		if (l.lacks == "") != (l.name == jailName) {
			t.Errorf("launcher %s: lacks = %q", l.name, l.lacks)
		}
		if l.command == nil {
			t.Errorf("launcher %s: no command", l.name)
		}
	}
	for _, name := range bases() {
		if !slices.ContainsFunc(launchers(), func(l launcher) bool { return l.name == name }) {
			t.Errorf("base %s is no launcher", name)
		}
	}
}

// TestAllowedCalls: the list for those who take no program is the filter's.
func TestAllowedCalls(t *testing.T) {
	program, err := seccomp.Builtin(seccomp.Default)
	if err != nil {
		t.Fatal(err)
	}
	allowed, err := allowedCalls(program)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"read": true, "execve": true, "exit_group": true, "futex": true, "ptrace": false, "mount": false, "bpf": false} {
		nr, ok := seccomp.Number(name)
		if !ok {
			t.Fatalf("no number of %s", name)
		}
		if got := slices.Contains(allowed, nr); got != want {
			t.Errorf("allowed %s = %v, want %v", name, got, want)
		}
	}
}

func TestWordsOfARun(t *testing.T) {
	var b bench
	c := command{argv: []string{"run", idWord, slotWord}, slot: 7}
	first, second := b.words(c), b.words(c)
	if first[1] == second[1] || !strings.HasPrefix(first[1], "jail-bench-") || first[2] != "7" {
		t.Errorf("words = %v, then %v; want another name each time, and slot 7", first, second)
	}
	if c.argv[1] != idWord {
		t.Errorf("words changed the command: %v", c.argv)
	}
}

func TestSeen(t *testing.T) {
	text := "Name:\tcat\nCapBnd:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t1\nns-user: user:[1]\nns-mnt: mnt:[1]\n"
	want := []string{"user mnt", "yes", "yes", "yes", "1"}
	if got := seen(text); !slices.Equal(got, want) {
		t.Errorf("seen(%q) = %v, want %v", text, got, want)
	}
	if got := seen(text + "host: /root\n")[1]; got != "no" {
		t.Errorf("with /root to be seen, own root = %s, want no", got)
	}
}

func TestPeersTakesOnlyExecutables(t *testing.T) {
	for _, tc := range []struct {
		value string
		ok    bool
	}{
		{"nsjail=/bin/true", true},
		{"nsjail=/etc/passwd", false},
		{"nsjail=/nowhere", false},
		{"jail=/bin/true", false},
		{"nsjail", false},
	} {
		if err := (peers{}).Set(tc.value); (err == nil) != tc.ok {
			t.Errorf("-peer %s: %v, want ok %v", tc.value, err, tc.ok)
		}
	}
}
