package jail

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// The heap of V8 has a size of its own, which a profile has follow the memory cap: a
// program that fills it comes to jail's limit on its memory, and no counter of the kernel's
// tells. V8 says so then, on stderr, and aborts; a worker of Node.js is ended alone, and what
// created it gets an error.

// heapFull says whether the program, which ended so, was a V8 of a given heap that ran out
// of it, or ended with the error by which Node.js tells that a worker did. The words, the
// signal and the exit code are the program's own and can be forged, and a program that would
// rather be out of memory than have failed only has to take some: it is one failure or the
// other. A worker's size can be a source's own choice, so that much was taken is looked at.
func (r *run) heapFull(status unix.WaitStatus) bool {
	if !r.heapGiven() {
		return false
	}
	said := cmp.Or(r.result.saidOnStderr(), r.streams.lastWords())
	if status.Exited() {
		return status.ExitStatus() == 1 && r.hadMemory() && saysLine(said, "Error [ERR_WORKER_OUT_OF_MEMORY]: ", workerHeapFull)
	}
	switch status.Signal() {
	case unix.SIGABRT, unix.SIGTRAP, unix.SIGILL: // of abort(3), and of what compilers make of a crash
		return saysHeapFull(said)
	}
	return false
}

// heapGiven says whether the program is started with a size for V8's heap, as its option or
// in the variable that Node.js reads options from.
func (r *run) heapGiven() bool {
	for _, arg := range r.spec.Args[1:] {
		if !strings.HasPrefix(arg, "-") {
			break
		}
		if sizesHeap(arg) {
			return true
		}
	}
	for _, v := range r.spec.Env {
		if options, ok := strings.CutPrefix(v, "NODE_OPTIONS="); ok {
			return slices.ContainsFunc(strings.Fields(options), sizesHeap)
		}
	}
	return false
}

// sizesHeap says whether an option gives V8's heap a size.
func sizesHeap(option string) bool {
	name, _, ok := strings.Cut(option, "=")
	return ok && strings.ReplaceAll(name, "_", "-") == "--max-old-space-size"
}

// heapHint is for a failed program whose words are of a V8's full heap that did not end it
// as its own: that of a worker whose error it caught, or of a child. Of what size that was
// nobody knows but that it was not more than the program had.
func (r *run) heapHint(said string) string {
	switch reason := r.result.Reason; {
	case reason != ReasonExecutionFailed && reason != ReasonSignaled:
	case strings.Contains(said, workerHeapFull) && r.heapGiven() && r.hadMemory():
		return "the JavaScript heap of a worker was full, which follows the memory cap as the program's does: raise --memory if it needs more"
	case saysHeapFull(said) && !r.heapGiven():
		return "a JavaScript heap was full, whose size was not given: if it needs more, say so with --env NODE_OPTIONS=--max-old-space-size=MIB, and raise --memory above that"
	}
	return ""
}

// workerHeapFull is how Node.js tells of a worker's.
const workerHeapFull = "Worker terminated due to reaching memory limit: JS heap out of memory"

// saysHeapFull looks for the line of Node.js that says so. Its stacks follow.
func saysHeapFull(said string) bool {
	return saysLine(said, "FATAL ERROR: ", "JavaScript heap out of memory")
}

// saysLine says whether a line begins and ends so.
func saysLine(said, begin, end string) bool {
	for line := range strings.Lines(said) {
		if strings.HasPrefix(line, begin) && strings.HasSuffix(strings.TrimRight(line, "\r\n"), end) {
			return true
		}
	}
	return false
}
