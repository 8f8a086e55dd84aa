package main

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// leastFiles is how many open files the Go runtime needs for its timers, with some
// to spare: it ends in a crash where it has none for them.
const leastFiles = 16

// enoughFiles says whether the caller lets jail open files at all, and tells a
// person if not. A run needs more, and its refusal says so itself. The hard limit is
// what counts: the runtime has raised the soft one to it.
func enoughFiles() bool {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil || limit.Max >= leastFiles {
		return true
	}
	fmt.Fprintf(os.Stderr, "jail: %d open files are too few for jail itself: allow more (ulimit -n)\n", limit.Max)
	return false
}
