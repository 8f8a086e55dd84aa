package jail

import (
	"time"

	"golang.org/x/sys/unix"
)

// An allowance bounds the processor time of one thread.
type allowance struct {
	left  time.Duration
	spent time.Duration // of the thread, when that was so
	at    time.Time     // and when that was
}

// wait is how long to wait before the next call is answered; 0 is now.
func (a *allowance) wait(now time.Time, spent time.Duration) time.Duration {
	a.left = min(a.left+time.Duration(share*float64(now.Sub(a.at))), burst) - (spent - a.spent)
	a.at, a.spent = now, spent
	if a.left > 0 {
		return 0
	}
	return time.Duration(float64(batch-a.left) / share)
}

// threadTime is the processor time of the calling thread, which is locked to its
// goroutine.
func threadTime() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}
