package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// header says on what the figures were measured.
func (b *bench) header() string {
	var s strings.Builder
	fmt.Fprintf(&s, "# What a box costs\n\n%s, ", time.Now().UTC().Format("2006-01-02 15:04 UTC"))
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		fmt.Fprintf(&s, "Linux %s %s, ", unix.ByteSliceToString(u.Release[:]), unix.ByteSliceToString(u.Machine[:]))
	}
	fmt.Fprintf(&s, "%d × %s, uid %d.\n\n", runtime.NumCPU(), processor(), os.Getuid())
	fmt.Fprintf(&s, "- jail: tree %s, built with `CGO_ENABLED=0 go build -ldflags='-E jail_entry' ./cmd/jail`, %s\n", firstLine("git", "describe", "--always", "--dirty"), runtime.Version())
	if b.bwrap != "" {
		fmt.Fprintf(&s, "- bubblewrap: %s, started with B=`%s`\n", firstLine(b.bwrap, "--version"), strings.Join(b.bubbleOptions, " "))
	}
	if b.floor != "" {
		fmt.Fprintf(&s, "- C floor: test/bench/floor/floor.c, `gcc -O2 -static`, %s\n", firstLine("gcc", "--version"))
	}
	for _, i := range []string{"/usr/bin/python3", "/usr/bin/node"} {
		if _, err := os.Stat(i); err == nil {
			fmt.Fprintf(&s, "- %s: %s\n", i, firstLine(i, "--version"))
		}
	}
	fmt.Fprintf(&s, "- filter: jail's default one, %d instructions, for all who have one\n- D: the folder of what was built for this report\n", b.filterLength)
	for _, m := range b.missing {
		fmt.Fprintf(&s, "- LEFT OUT: %s\n", m)
	}
	return s.String() + "- " + load("at the start") + "\n"
}

// abbreviate names what stands in nearly every command by one letter.
func (b *bench) abbreviate(s string) string {
	return strings.NewReplacer(strings.Join(b.bubbleOptions, " "), "$B", b.dir, "$D").Replace(s)
}

// firstLine is what a program says of itself, or "unknown".
func firstLine(name string, args ...string) string {
	out, err := exec.Command(name, args...).Output()
	line, _, _ := strings.Cut(string(out), "\n")
	if err != nil || line == "" {
		return "unknown"
	}
	return line
}

func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for l := range strings.Lines(string(text)) {
		if key, value, ok := strings.Cut(l, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH + " processors"
}

// load says how quiet the machine is.
func load(when string) string {
	text, err := os.ReadFile("/proc/loadavg")
	f := strings.Fields(string(text))
	if err != nil || len(f) < 3 {
		return "load " + when + ": unknown"
	}
	return fmt.Sprintf("load %s: %s (1, 5, 15 minutes)", when, strings.Join(f[:3], " "))
}
