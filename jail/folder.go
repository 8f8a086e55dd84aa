package jail

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// The private folder of a tier 2 box has no size of its own, as a tmpfs has: the
// supervisor looks how much is in it, and ends the box when it is too much. What
// is written between two looks, and files that are open and have no name, are not
// seen; RLIMIT_FSIZE is there as well.

// leastFile is what a file counts at least: its inode is the host's, too.
const leastFile = 1 << 10

// watchFolder looks, and returns when to look again: at a large folder less often.
func (w *watch) watchFolder(now time.Time) time.Time {
	limit := w.run.spec.Limits.TmpSize
	fd, err := unix.Open(w.run.private, folderFlags, 0)
	if err == nil && folderUse(fd, limit, deepest) > limit {
		w.run.end.now(ReasonDiskFull)
	}
	after := time.Now()
	return after.Add(max(lookEvery, 10*after.Sub(now)))
}

// deepest is how many folders may lie in one another: each takes a descriptor of
// the supervisor's to look into. More count as too much.
const deepest = 256

// folderUse adds up what is in a folder, until that is more than limit, and
// closes it.
func folderUse(fd int, limit int64, depth int) (use int64) {
	dir := os.NewFile(uintptr(fd), "private folder")
	defer dir.Close()
	if depth == 0 {
		return limit + 1
	}
	for use <= limit {
		names, err := dir.Readdirnames(256)
		for _, name := range names {
			var st unix.Stat_t
			if unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
				continue
			}
			use += max(st.Blocks*512, leastFile)
			if st.Mode&unix.S_IFMT != unix.S_IFDIR || use > limit {
				continue
			}
			if below, err := unix.Openat(fd, name, folderFlags, 0); err == nil {
				use += folderUse(below, limit-use, depth-1)
			}
		}
		if err != nil { // io.EOF, most likely
			break
		}
	}
	return use
}
