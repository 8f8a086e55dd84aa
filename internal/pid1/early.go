package pid1

import (
	"os"
	"runtime"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// early is what jail_entry leaves here. It is written before there is a
// runtime, and zero if that was not the entry point or there was a reason not
// to: then everything is done later, with the error that is due.
var early struct {
	starter int32 // pid
	channel int32 // our end
	asked   int32 // the request for Namespaces has been sent
	taken   atomic.Int32
	single  int32 // the runtime was told to begin with one processor
	spread  atomic.Bool
	rests   atomic.Bool // the text has been given back
}

// profileRate is where jail_entry finds that variable.
//
//lint:ignore U1000 for assembly alone
var profileRate = &runtime.MemProfileRate

// Settle is for the beginning of a main function, before anything else looks at
// the environment. The runtime was started with one processor, by a variable of
// its own (GOMAXPROCS) that the caller had not set, and that is gone now.
func Settle() {
	if early.single != 0 {
		os.Unsetenv("GOMAXPROCS")
	}
}

// Spread gives the runtime as many processors as in any program. It is due before
// a second goroutine begins: one that waits in the kernel keeps the only processor
// until the runtime's monitor looks, which may be milliseconds. Most runs have no
// second one, and making the runtime's part of a processor and waking a thread for
// it would cost them a hundredth.
func Spread() {
	if early.single != 0 && early.spread.CompareAndSwap(false, true) {
		runtime.SetDefaultGOMAXPROCS()
	}
}

// Alongside begins a goroutine beside others, as many processors as there are being given
// to the runtime first (Spread).
func Alongside(f func()) {
	Spread()
	go f()
}

// Single says that the runtime has one processor, and one goroutine that has a use for
// it: `jail run` before Spread.
func Single() bool { return early.single != 0 && !early.spread.Load() }

// Narrow is Spread for a process that is short of threads: it stays with as few
// processors as a run has a use for, each of which may come to take one.
func Narrow() {
	if early.single != 0 && early.spread.CompareAndSwap(false, true) {
		runtime.GOMAXPROCS(2)
	}
}

// Early is a starter that began before the Go runtime did.
type Early struct {
	Starter, Channel int
	// Asked says that it has had its request already, for Namespaces and no
	// group. That is so unless the host has cgroup v2, where PID 1 is to be born
	// in a group.
	Asked bool
}

// EarlyWaits says that there is an early starter that nobody has taken: the
// process began at jail_entry, and has run no box yet.
func EarlyWaits() bool { return early.starter != 0 && early.taken.Load() == 0 }

// EarlyAsked says that there is one that has had its request, too.
func EarlyAsked() bool { return EarlyWaits() && early.asked != 0 }

// TakeEarly hands the early starter to its first caller.
func TakeEarly() (Early, bool) {
	if early.starter == 0 || !early.taken.CompareAndSwap(0, 1) {
		return Early{}, false
	}
	return Early{Starter: int(early.starter), Channel: int(early.channel), Asked: early.asked != 0}, true
}

// DiscardEarly discards the early starter, unless somebody has taken it.
func DiscardEarly() {
	if e, ok := TakeEarly(); ok {
		e.Discard()
	}
}

// Discard ends the starter and PID 1, if there is one, and reaps them.
func (e Early) Discard() {
	if !e.Asked {
		unix.Close(e.Channel) // which ends it
		wait(e.Starter)
		return
	}
	pid, err := Born(e.Starter, e.Channel)
	unix.Close(e.Channel)
	if err == nil {
		wait(pid) // it was waiting for its plan
	}
}
