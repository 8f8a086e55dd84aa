package jail

import (
	"syscall"
	"time"
)

// refused is calls that look the same.
type refused struct {
	what  string
	name  string
	nr    int32
	args  [6]uint64 // of the first
	arch  uint32
	errno syscall.Errno
	count int64
}

// mostDenials is how many kinds of refused calls are told apart.
const mostDenials = 32

// note counts a call.
func (o *observer) note(call refused) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range o.seen {
		if s := &o.seen[i]; s.nr == call.nr && s.errno == call.errno && s.what == call.what {
			s.count++
			return
		}
	}
	if len(o.seen) == mostDenials {
		o.rest++
		return
	}
	call.count = 1
	o.seen = append(o.seen, call)
}

// refusals is what was refused so far, and how many calls beyond.
func (o *observer) refusals() ([]refused, int64) {
	if o == nil {
		return nil, 0
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]refused(nil), o.seen...), o.rest
}

// delay counts time in which calls were not answered that could have been.
func (o *observer) delay(d time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.late += d
}

// delayed is how long calls waited for more than their turn.
func (o *observer) delayed() time.Duration {
	if o == nil {
		return 0
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.late
}
