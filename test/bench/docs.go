package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// intro stands above the figures on the page.
const intro = `# Speed

What a box costs, beside what the same program costs in the launchers that
people use today, in the least that a C program of the same walls can do
(test/bench/floor), and bare. This page is written by test/bench and holds its
last run, whole; the ratios travel between machines, the times do not. To write
it anew, on a quiet machine and as root:

` + "```" + `
go run ./test/bench -install -docs docs/speed.md
` + "```" + `

` + "`-peer NAME=PATH`" + ` adds launchers that the distribution has no package of. All
contenders of a table run in the same rounds, in another order each round;
a ratio is the median of the rounds' own ratios. Each run's exit status is
checked, and for jail every record: reason ok, every layer applied, nothing left.

What bounds many callers is processor time: all processors are busy (see the table of
parallel runs). Where a run of /bin/true spends it, by a profile of 1,200 runs by 8
callers (perf record -a -e cpu-clock -F 2000 -g, 2026-12-01): a sixth in the supervisor's
own code; a seventh in page faults; a tenth in making a network namespace and clearing it
away; a twentieth in giving back the memory of processes; 4 % each in control groups and
in the rest of clone, 3 % in execve, 2 % each in the end of mounts and namespaces and in
attaching filters; the rest, a third, in some 850 short system calls.

`

// notForCiting stands there when the run was too short or not whole.
const notForCiting = "**Not the figures: a quick or partial run, to look at the page.**\n\n"

// A page is what -docs writes.
type page struct {
	path  string
	whole bool // every table, and as many rounds as it takes
}

// write replaces the page at once: a run that fails leaves the last one.
func (p page) write(text string) error {
	head := intro
	if !p.whole {
		head += notForCiting
	}
	f, err := os.CreateTemp(filepath.Dir(p.path), ".speed-")
	if err != nil {
		return fmt.Errorf("bench: -docs: %w", err)
	}
	defer os.Remove(f.Name()) // gone when it was renamed
	if _, err := f.WriteString(head + text); err != nil {
		return fmt.Errorf("bench: -docs: %w", err)
	}
	if err := f.Chmod(0o644); err != nil {
		return fmt.Errorf("bench: -docs: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("bench: -docs: %w", err)
	}
	if err := os.Rename(f.Name(), p.path); err != nil {
		return fmt.Errorf("bench: -docs: %w", err)
	}
	return nil
}
