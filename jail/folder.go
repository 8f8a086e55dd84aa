package jail

import (
	"time"

	"github.com/seed-75010da9/jail/internal/folder"
	"golang.org/x/sys/unix"
)

// The private folder of a tier 2 box has no size of its own, as a tmpfs has: the
// supervisor looks how much is in it, and ends the box when it is too much. What
// is written between two looks, and files that are open and have no name, are not
// seen; RLIMIT_FSIZE is there as well.

// watchFolder looks, and returns when to look again: at a large folder less often.
func (w *watch) watchFolder(now time.Time) time.Time {
	limit := w.run.spec.Limits.TmpSize
	if place, err := folder.Open(unix.AT_FDCWD, w.run.private, 0); err != nil || folder.Use(place, limit) > limit {
		w.run.end.now(ReasonDiskFull)
	}
	after := time.Now()
	return after.Add(max(lookEvery, 10*after.Sub(now)))
}
