package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// header says on what, of what and by which command the figures were measured.
func (b *bench) header() string {
	var s strings.Builder
	fmt.Fprintf(&s, "Measured %s, Linux %s, %d × %s, uid %d, by\n\n", time.Now().UTC().Format("2006-01-02 15:04 UTC"), kernel(), runtime.NumCPU(), processor(), os.Getuid())
	fmt.Fprintf(&s, "```\ngo run ./test/bench %s\n```\n\n", strings.Join(os.Args[1:], " "))
	fmt.Fprintf(&s, "- jail: tree %s, built with `CGO_ENABLED=0 go build -ldflags='-E jail_entry' ./cmd/jail`, %s\n", firstLine("git", "describe", "--always", "--dirty"), runtime.Version())
	said := map[string]bool{}
	for _, l := range b.launchers {
		if said[l.path] || l.program == "" || l.program == "jail" {
			continue
		}
		said[l.path] = true
		if l.program == "floor" {
			fmt.Fprintf(&s, "- C floor: test/bench/floor/floor.c, `gcc -O2 -static`, %s\n", firstLine("gcc", "--version"))
			continue
		}
		fmt.Fprintf(&s, "- %s: %s\n", l.name, l.says())
	}
	for _, i := range []string{"/usr/bin/python3", "/usr/bin/node"} {
		if _, err := os.Stat(i); err == nil {
			fmt.Fprintf(&s, "- %s: %s\n", i, firstLine(i, "--version"))
		}
	}
	fmt.Fprintf(&s, "- filter: jail's default one, %d instructions, which allows %d calls, for all who take one; who takes names or numbers gets those calls\n", b.program.Len(), len(b.allowed))
	fmt.Fprintf(&s, "- in the commands: D is the folder of what was built for this report, B=`%s`, ID a new name and SLOT the caller's number in each run\n", strings.Join(bubbleOptions(), " "))
	return b.homeless(s.String()) + "- " + load("at the start") + "\n"
}

// homeless takes away where the launchers that -peer names lie: it says nothing
// to a reader on another machine.
func (b *bench) homeless(s string) string {
	for _, l := range b.launchers {
		if l.given {
			s = strings.ReplaceAll(s, l.path, "…/"+filepath.Base(l.path))
		}
	}
	return s
}

// leftOut is what is missing, and why.
func (b *bench) leftOut() string {
	var s strings.Builder
	for _, m := range b.missing {
		fmt.Fprintf(&s, "- LEFT OUT: %s\n", m)
	}
	return s.String()
}

// says is the version that a launcher tells of itself.
func (l *launcher) says() string {
	if len(l.version) == 0 {
		return "tells no version, " + l.path
	}
	return firstLine(l.path, l.version...) + ", " + l.path
}

// abbreviate names what stands in nearly every command by one letter.
func (b *bench) abbreviate(s string) string {
	words := []string{strings.Join(bubbleOptions(), " "), "$B", b.dir, "$D"}
	if self, err := os.Executable(); err == nil {
		words = append(words, self, "bench")
	}
	return b.homeless(strings.NewReplacer(words...).Replace(s))
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

func kernel() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return "unknown"
	}
	return unix.ByteSliceToString(u.Release[:]) + " " + unix.ByteSliceToString(u.Machine[:])
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
