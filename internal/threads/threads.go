// Package threads has this process own the threads that it is going to need.
//
// The Go runtime ends the program where it needs a thread and clone(2) stays
// EAGAIN (runtime/os_linux.go, newosproc): no defer runs, nothing is recovered.
// Whoever runs strangers' programs below the same limit on processes has to have
// its threads before these begin. The runtime never gives an idle thread back to
// the kernel, so those that are there once remain.
package threads

import (
	"runtime"
	"sync"
)

const (
	// ForBox is how many threads one box may hold in calls of the kernel at once: its
	// run, what copies its output, feeds it, takes its value and passes its terminal
	// on, what answers its refused calls, and one that ends it or looks at the host.
	ForBox = 7
	// base is what there is besides: the runtime's monitor, the thread that makes
	// others where a goroutine is locked to one, one that waits for descriptors and one
	// for signals, and the main function.
	base = 5
)

// claims are a fact about the process, as its threads are.
var claims struct {
	mu    sync.Mutex
	boxes int // that there are
	most  int // that there will be, as far as that has been said
}

// Missing is how many threads the process has to get for so many boxes more.
func Missing(boxes int) int {
	claims.mu.Lock()
	defer claims.mu.Unlock()
	return missing(claims.boxes + boxes)
}

func missing(boxes int) int {
	have, _ := runtime.ThreadCreateProfile(nil) // of the threads that there are
	return max(0, max(boxes, claims.most)*ForBox+base+runtime.GOMAXPROCS(0)-have)
}

// Claim gets the threads of one box. What it returns is due when the box is gone.
// Where the kernel refuses a thread the process ends, see [Missing].
func Claim() (release func()) {
	claims.mu.Lock()
	defer claims.mu.Unlock()
	claims.boxes++
	get(missing(claims.boxes))
	return func() {
		claims.mu.Lock()
		defer claims.mu.Unlock()
		claims.boxes--
	}
}

// Keep gets the threads of so many boxes at once, for as long as the process lives.
func Keep(boxes int) {
	claims.mu.Lock()
	defer claims.mu.Unlock()
	claims.most = max(claims.most, boxes)
	get(missing(claims.boxes))
}

// get makes the process have n threads more. Goroutines that are locked to their
// threads take up those that are idle, one after the other, until there are new ones.
func get(n int) {
	have, _ := runtime.ThreadCreateProfile(nil)
	want := have + n
	var ended sync.WaitGroup
	free := make(chan struct{})
	for range want {
		if have, _ = runtime.ThreadCreateProfile(nil); have >= want {
			break
		}
		locked := make(chan struct{})
		ended.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			close(locked)
			<-free
		})
		<-locked
	}
	close(free)
	ended.Wait()
}
