package jail

import (
	"cmp"
	"strings"

	"golang.org/x/sys/unix"
)

// The heap of V8 has a size of its own, which a profile has follow the memory cap: a
// program that fills it comes to jail's limit on its memory, and no counter of the kernel's
// tells. V8 says so then, on stderr, and aborts.

// heapFull says whether the program, which ended so, was a V8 of a given heap that ran out
// of it. The words and the signal are the program's own and can be forged, and a program
// that would rather be out of memory than signaled only has to take some: it is one
// failure or the other.
func (r *run) heapFull(status unix.WaitStatus) bool {
	if !status.Signaled() || !heapGiven(r.spec.Args) {
		return false
	}
	switch status.Signal() {
	case unix.SIGABRT, unix.SIGTRAP, unix.SIGILL: // of abort(3), and of what compilers make of a crash
		return saysHeapFull(cmp.Or(r.result.saidOnStderr(), r.streams.lastWords()))
	}
	return false
}

// heapGiven says whether a program is started with a size for V8's heap.
func heapGiven(args []string) bool {
	for _, arg := range args[1:] {
		if !strings.HasPrefix(arg, "-") {
			break
		}
		if name, _, ok := strings.Cut(arg, "="); ok && strings.ReplaceAll(name, "_", "-") == "--max-old-space-size" {
			return true
		}
	}
	return false
}

// saysHeapFull looks for the line of Node.js that says so. Its stacks follow.
func saysHeapFull(said string) bool {
	for line := range strings.Lines(said) {
		if strings.HasPrefix(line, "FATAL ERROR: ") && strings.HasSuffix(strings.TrimRight(line, "\r\n"), "JavaScript heap out of memory") {
			return true
		}
	}
	return false
}
